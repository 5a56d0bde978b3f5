import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue as BullQueue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { ClawError, reason } from '../errors.ts'
import type { Queue, Topic } from './queue.ts'

/**
 * A worker that has not said so for this long, in milliseconds, is dead and its keys go to another. Renewed at half
 * the time by a process that only waits while it works: what computes does so in a thread or process of its own.
 */
const LOCK = 5_000
const STALLED = 1_000

const RETRY = 250
/** Longest pause between two tries to reach a Redis that went away, in milliseconds. */
const LONGEST_RETRY = 1_000
const CONNECT_TIMEOUT = 5_000
/** How long a closing worker waits for a Redis that does not answer, in milliseconds. */
const FAREWELL = 5_000

/**
 * The queue of a bot that is several processes: BullMQ. While Redis does not answer at the start it waits, and calls
 * `waiting` once with a line for a person; without `waiting` it gives up at once.
 * Throws QUEUE_UNREACHABLE, and QUEUE_UNUSABLE for a Redis that would drop keys; no error names the address.
 */
export async function redisQueue(
  url: string,
  report: (error: unknown) => void,
  waiting?: (line: string) => void,
): Promise<Queue> {
  await answering(url, waiting)
  // Workers connect with the same options, and one that connects lazily gives up for good when its first try fails.
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT,
    retryStrategy: (times) => Math.min(LONGEST_RETRY, times * RETRY),
  })
  redis.on('error', () => {})
  await new Promise<void>((resolve) => redis.once('ready', resolve))
  let away = false
  /** Says once what keeps failing until Redis is back. */
  const fault = () => {
    if (!away) report(unreachable())
    away = true
  }
  redis.on('ready', () => {
    away = false
  })

  const queues = new Map<Topic, BullQueue>()
  const workers: Worker[] = []
  /** Wake-ups on their way. */
  const adding = new Set<Promise<unknown>>()
  let running = 0
  let closing = false

  function queueOf(topic: Topic): BullQueue {
    let queue = queues.get(topic)
    if (queue === undefined) {
      queue = new BullQueue(topic, { prefix: PREFIX, connection: redis, streams: { events: { maxLen: 100 } } })
      queue.on('error', fault)
      queues.set(topic, queue)
    }
    return queue
  }

  /** Whether anything that is worked on here waits or runs, here or elsewhere. */
  async function waits(): Promise<boolean> {
    await Promise.all(adding)
    for (const { name } of workers) {
      const counts = await queueOf(name as Topic).getJobCounts('wait', 'active', 'delayed')
      if (Object.values(counts).some((count) => count > 0)) return true
    }
    return false
  }

  return {
    wake(topic, key) {
      // What is not woken now is found by the next look into the store.
      if (closing || redis.status !== 'ready') return
      const deduplication = { id: nameOf(key), keepLastIfActive: true }
      queueOf(topic).add('wake', { key }, { deduplication, removeOnComplete: true, removeOnFail: true }).catch(fault)
    },
    work(topic, concurrency, run) {
      const worker = new Worker<{ readonly key: string }>(
        topic,
        async ({ data }) => {
          running++
          try {
            await run(data.key)
          } catch (error) {
            report(error)
          } finally {
            running--
          }
        },
        {
          prefix: PREFIX,
          connection: redis,
          concurrency,
          lockDuration: LOCK,
          stalledInterval: STALLED,
          runRetryDelay: RETRY,
          // A key whose worker died is tried again for ever: the store knows when there is nothing left to do.
          maxStalledCount: Number.MAX_SAFE_INTEGER,
        },
      )
      worker.on('error', fault)
      workers.push(worker)
    },
    async idle() {
      while (running > 0 || (redis.status === 'ready' && (await waits()))) await sleep(20)
    },
    async close() {
      closing = true
      const parts = [...workers, ...queues.values()]
      const closed = Promise.allSettled(parts.map((part) => part.close()))
      if (redis.status === 'ready') await closed
      else await Promise.race([closed, sleep(FAREWELL)])
      redis.disconnect()
    },
  }
}

const PREFIX = 'claw'

/** Resolves when the Redis at an address answers and is fit for a queue. */
async function answering(url: string, waiting?: (line: string) => void): Promise<void> {
  for (let told = false; ; told = true) {
    const redis = new Redis(url, { lazyConnect: true, connectTimeout: CONNECT_TIMEOUT, retryStrategy: () => null })
    let fault = ''
    redis.on('error', (error) => {
      fault = reason(error)
    })
    try {
      await redis.connect()
      return checkPolicy(await redis.info('memory'))
    } catch (error) {
      if (error instanceof ClawError) throw error
      if (/\b(?:NOAUTH|WRONGPASS|NOPERM)\b/.test(`${fault} ${reason(error)}`)) {
        throw new ClawError('QUEUE_UNUSABLE', 'The Redis of REDIS_URL does not accept its user or password')
      }
    } finally {
      redis.disconnect()
    }
    if (waiting === undefined) throw unreachable()
    if (!told) waiting('The Redis of REDIS_URL does not answer yet; waiting for it.')
    await sleep(RETRY)
  }
}

/** A Redis that makes room by dropping keys drops work that runs. */
function checkPolicy(memory: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new ClawError('QUEUE_UNUSABLE', `The Redis of REDIS_URL drops keys when it is full (${policy})`, {
    remedy: 'Set its maxmemory-policy to noeviction.',
  })
}

function unreachable(): ClawError {
  return new ClawError('QUEUE_UNREACHABLE', 'The Redis of REDIS_URL does not answer', {
    remedy: 'Start it, or check the address. Nothing is lost: work goes on when it is back.',
  })
}

/** A key may hold any character, a name in Redis may not. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { localQueue } from '../../../core/queue/local.ts'
import type { Queue } from '../../../core/queue/queue.ts'
import { redisQueue } from '../../../core/queue/redis.ts'
import { hasRedis, type RedisServer, startRedis } from '../../services/redis.ts'

let redis: RedisServer
const open: Queue[] = []
const faults: unknown[] = []
const report = (fault: unknown) => faults.push(fault)

/** What another process would hold of the same queue: the same where the queue is one process. */
type Peers = () => Promise<readonly [Queue, Queue]>

async function localPeers(): Promise<readonly [Queue, Queue]> {
  const queue = localQueue(report)
  open.push(queue)
  return [queue, queue]
}

async function redisPeers(): Promise<readonly [Queue, Queue]> {
  const peers = [await redisQueue(redis.url, report), await redisQueue(redis.url, report)] as const
  open.push(...peers)
  return peers
}

const kinds: readonly (readonly [string, Peers])[] = [
  ['in process', localPeers],
  ...(hasRedis ? [['on Redis', redisPeers] as const] : []),
]

beforeAll(async () => {
  if (hasRedis) redis = await startRedis()
})

afterEach(async () => {
  for (const queue of open.splice(0)) await queue.close()
  faults.splice(0)
  if (hasRedis) await forget()
})

/** No test finds what another has left in Redis. */
async function forget(): Promise<void> {
  const client = new Redis(redis.url)
  await client.flushall()
  client.disconnect()
}

afterAll(async () => redis?.close())

async function until(met: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!met()) {
    if (Date.now() > deadline) throw new Error('nothing came')
    await sleep(5)
  }
}

describe.each(kinds)('a queue %s', (_kind, peers) => {
  test('brings each key to a worker, also one that was woken before there was a worker', async () => {
    const [asking, working] = await peers()
    const seen = new Set<string>()
    asking.wake('judge', 'early')
    working.work('judge', 4, async (key) => {
      seen.add(key)
    })
    const keys = ['a:b', '7', 'ünï "quoted"\n', '["x","y"]']
    for (const key of keys) asking.wake('judge', key)
    await until(() => seen.size === 5)
    expect([...seen].sort()).toEqual(['early', ...keys].sort())
  })

  test('runs a key never twice at once, and once more for what came meanwhile', async () => {
    const [one, other] = await peers()
    const running = new Map<string, number>()
    const runs = new Map<string, number>()
    let most = 0
    const run = async (key: string) => {
      running.set(key, (running.get(key) ?? 0) + 1)
      most = Math.max(most, running.get(key) ?? 0)
      await sleep(Math.random() * 20)
      running.set(key, (running.get(key) ?? 0) - 1)
      runs.set(key, (runs.get(key) ?? 0) + 1)
    }
    one.work('conversation-playground', 8, run)
    if (other !== one) other.work('conversation-playground', 8, run)
    for (let i = 0; i < 40; i++) {
      ;[one, other][i % 2]?.wake('conversation-playground', `c${i % 4}`)
      await sleep(3)
    }
    const before = new Map(runs)
    for (const key of ['c0', 'c1', 'c2', 'c3']) one.wake('conversation-playground', key)
    await until(() => ['c0', 'c1', 'c2', 'c3'].every((key) => (runs.get(key) ?? 0) > (before.get(key) ?? 0)))
    expect(most).toBe(1)
    expect(faults).toEqual([])
  })

  test('runs no more keys at once than it was told', async () => {
    const [asking, working] = await peers()
    let running = 0
    let most = 0
    let done = 0
    working.work('lessons', 2, async () => {
      most = Math.max(most, ++running)
      await sleep(10)
      running--
      done++
    })
    for (let i = 0; i < 9; i++) asking.wake('lessons', `w${i}`)
    await until(() => done === 9)
    expect(most).toBe(2)
  })

  test('lets a key rest whose run failed, until it is woken again', async () => {
    const [asking, working] = await peers()
    let runs = 0
    working.work('version-playground', 1, async () => {
      if (++runs === 1) throw new Error('not today')
    })
    asking.wake('version-playground', 'w')
    await until(() => faults.length === 1)
    await sleep(30)
    expect(runs).toBe(1)
    asking.wake('version-playground', 'w')
    await until(() => runs === 2)
  })

  test('waits for what runs when it is closed', async () => {
    const [asking, working] = await peers()
    let ended = false
    let begun = false
    working.work('judge', 1, async () => {
      begun = true
      await sleep(50)
      ended = true
    })
    asking.wake('judge', 'slow')
    await until(() => begun)
    await working.close()
    expect(ended).toBe(true)
    asking.wake('judge', 'slow')
  })
})

describe.skipIf(!hasRedis)('Redis', () => {
  /** Wakes until the key is seen; the bound is how long nobody may be without the service. */
  async function serves(asking: Queue, seen: readonly string[]): Promise<void> {
    const back = Date.now()
    while (!seen.includes('after')) {
      asking.wake('judge', 'after')
      await sleep(50)
      expect(Date.now() - back).toBeLessThan(10_000)
    }
    expect(faults.every((fault) => (fault as { code?: string }).code === 'QUEUE_UNREACHABLE')).toBe(true)
  }

  test('may go and come back: keys woken after that run', async () => {
    const [asking, working] = await redisPeers()
    const seen: string[] = []
    working.work('judge', 1, async (key) => {
      seen.push(key)
    })
    asking.wake('judge', 'before')
    await until(() => seen.length === 1)
    await redis.stop('SIGKILL')
    asking.wake('judge', 'lost')
    await sleep(300)
    await redis.start()
    await serves(asking, seen)
  })

  test('may go while a worker begins, which works when it is back', async () => {
    const [asking, working] = await redisPeers()
    await redis.stop('SIGKILL')
    const seen: string[] = []
    working.work('judge', 1, async (key) => {
      seen.push(key)
    })
    await sleep(300)
    await redis.start()
    await serves(asking, seen)
  })

  test('may go at any moment of a key, five times in a row', async () => {
    const [asking, working] = await redisPeers()
    const seen: string[] = []
    working.work('judge', 1, async (key) => {
      seen.push(key)
    })
    for (const [round, ms] of [0, 1, 2, 5, 10].entries()) {
      asking.wake('judge', `${round}`)
      asking.wake('judge', `${round}, too`)
      await until(() => seen.includes(`${round}`))
      await sleep(ms)
      await redis.stop('SIGKILL')
      await redis.start()
      seen.length = 0
      await serves(asking, seen)
    }
  })

  test('that is not there is waited for, with a line that does not name it', async () => {
    await redis.stop('SIGTERM')
    await expect(redisQueue(redis.url, report)).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' })
    const lines: string[] = []
    const opening = redisQueue(redis.url, report, (line) => lines.push(line))
    await until(() => lines.length === 1)
    expect(lines[0]).not.toContain('127.0.0.1')
    await redis.start()
    open.push(await opening)
    expect(lines).toHaveLength(1)
  })

  test('that drops keys is refused', async () => {
    const lossy = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
    try {
      await expect(redisQueue(lossy.url, report)).rejects.toMatchObject({
        code: 'QUEUE_UNUSABLE',
        message: /allkeys-lru/,
      })
    } finally {
      await lossy.close()
    }
  })

  test('keeps its password out of every error', async () => {
    const password = ['correct', 'horse'].join('-')
    const locked = await startRedis(['--requirepass', password])
    try {
      const wrong = locked.url.replace('//', `//:${password}x@`)
      const error = await redisQueue(wrong, report).catch((fault: unknown) => fault)
      expect(error).toMatchObject({ code: 'QUEUE_UNUSABLE' })
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(password)
      open.push(await redisQueue(locked.url.replace('//', `//:${password}@`), report))
    } finally {
      for (const queue of open.splice(0)) await queue.close()
      await locked.close()
    }
  })
})

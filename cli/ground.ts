import type { Config } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import { type ModelFiles, openModel } from '../core/model/files.ts'
import { localQueue } from '../core/queue/local.ts'
import type { Queue } from '../core/queue/queue.ts'
import type { redisQueue } from '../core/queue/redis.ts'
import { type Leases, noLeases, openLeases } from '../core/store/leases.ts'
import { takeLock } from '../core/store/lock.ts'
import { openStore, type Store } from '../core/store/store.ts'

/** What runs in a process of its own, as many of each as wanted, where there are a database and a Redis to share. */
export const PARTS = ['serve', 'judge', 'train'] as const
export type Part = (typeof PARTS)[number]

/** What every part stands on. */
export interface Ground {
  readonly config: Config
  /** The model's path. */
  readonly path: string
  readonly model: ModelFiles
  readonly store: Store
  readonly queue: Queue
  readonly leases: Leases
  readonly report: (error: unknown) => void
  /** What is closed with the ground, the last first. */
  started<Closing extends { close(): Promise<void> }>(part: Closing): Closing
  close(): Promise<void>
}

/** Throws CONFIG_INVALID where a part alone would have nothing to share with the others. */
export function checkPart(config: Config, part: Part): void {
  const missing = [
    ...(config.databaseUrl === null ? ['DATABASE_URL'] : []),
    ...(config.redisUrl === null ? ['REDIS_URL'] : []),
  ]
  if (missing.length > 0) {
    throw new ClawError('CONFIG_INVALID', `claw start --only ${part} needs ${missing.join(' and ')}`, {
      remedy: 'Set both to what all parts share, or leave --only away: then one process does everything.',
    })
  }
  if (part === 'judge' && config.judge.by === 'off') {
    throw new ClawError('CONFIG_INVALID', 'claw start --only judge has no language model to judge by', {
      remedy: 'Name one with judge.by in config.json.',
    })
  }
}

/**
 * Opens model, store and queue. While the database or Redis does not answer it waits and calls `waiting` with a line for
 * a person; without `waiting` it gives up. Throws STORE_UNUSABLE, STORE_UNREACHABLE, QUEUE_UNUSABLE, QUEUE_UNREACHABLE.
 */
export async function openGround(
  config: Config,
  path: string,
  report: (error: unknown) => void,
  waiting?: (line: string) => void,
): Promise<Ground> {
  const parts: { close(): Promise<void> }[] = []
  const started = <Closing extends { close(): Promise<void> }>(part: Closing): Closing => {
    parts.unshift(part)
    return part
  }
  const close = async () => {
    for (const part of parts.splice(0)) await part.close()
  }
  const { dataDir, databaseUrl, redisUrl } = config
  try {
    // On one machine a lock that dies with its process; several share the work by leases.
    if (databaseUrl === null) {
      const lock = await takeLock(dataDir, 'serve', 0)
      started({ close: async () => lock.release() })
    }
    const model = started(await openModel(path))
    const store = started(await openStore(dataDir, databaseUrl, waiting))
    const leases = started(databaseUrl === null ? noLeases : openLeases(store.db, report))
    const shared = databaseUrl === null ? null : redisUrl
    const queue = started(shared === null ? localQueue(report) : await openRedis(shared, report, waiting))
    return { config, path, model, store, queue, leases, report, started, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Its client is loaded only where there is a Redis: it takes long. */
const openRedis: typeof redisQueue = async (...redis) => (await import('../core/queue/redis.ts')).redisQueue(...redis)

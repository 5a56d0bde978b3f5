import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '../errors.ts'
import type { Db } from './schema.ts'

/** How long one transaction is tried that others keep getting in the way of, in milliseconds. */
const PATIENCE = 30_000
/** Longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE = 250

/** Serialization failure, deadlock, lost connection: nothing of the transaction was kept, and it may succeed yet. */
const REPEATABLE: readonly unknown[] = ['40001', '40P01', 'STORE_UNREACHABLE' satisfies ErrorCode]
/** A unique key was violated: by a conflict that only the key saw, or because it is the same thing again. */
const DUPLICATE = '23505'
const DUPLICATES = 4

/**
 * Runs `work` as one transaction, as if it were alone: SQLite lets one write at a time, PostgreSQL serializes and
 * has the loser of a conflict begin again. So `work` may run several times and must touch nothing but `tx`.
 * Within a transaction it is simply a part of that one.
 */
export async function transact<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return work(db)
  const deadline = Date.now() + PATIENCE
  let duplicates = 0
  for (let pause = 4; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work)
    } catch (error) {
      const code = codeOf(error)
      if (code === DUPLICATE) duplicates++
      const again = REPEATABLE.includes(code) || (code === DUPLICATE && duplicates < DUPLICATES)
      if (!again || Date.now() > deadline) throw error
      // Longer each time and never together with the others that lost.
      await sleep(Math.random() * pause)
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

import { setTimeout as sleep } from 'node:timers/promises'
import { ClawError } from '../errors.ts'
import type { Db } from './schema.ts'

/** Tries of one transaction that others keep getting in the way of. */
const ATTEMPTS = 12

/** Serialization failure, deadlock, and the same conflict seen by a unique key (PostgreSQL). */
const CONFLICTS: readonly unknown[] = ['40001', '40P01', '23505']

/**
 * Runs `work` as one transaction, as if it were alone: SQLite lets one write at a time, PostgreSQL serializes and
 * has the loser of a conflict begin again. So `work` may run several times and must touch nothing but `tx`.
 * Within a transaction it is simply a part of that one.
 */
export async function transact<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return work(db)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !repeatable(error)) throw error
      // Longer each time and never together with the others that lost.
      await sleep(Math.random() * Math.min(500, 4 * 2 ** attempt))
    }
  }
}

/** Whether nothing of the transaction was kept and trying again may succeed. */
function repeatable(error: unknown): boolean {
  if (error instanceof ClawError) return error.code === 'STORE_UNREACHABLE'
  return error instanceof Error && 'code' in error && CONFLICTS.includes(error.code)
}

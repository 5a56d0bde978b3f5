import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { type RawBuilder, sql } from 'kysely'
import { isPostgres } from './columns.ts'
import type { Db } from './schema.ts'

/** The right to work on something alone, among all processes of one bot. */
export interface Lease {
  /** Whether it is still ours, by our own clock: false before anyone else may have it. */
  held(): boolean
  release(): Promise<void>
}

export interface Leases {
  /** Null while another process has it. */
  claim(name: string): Promise<Lease | null>
  close(): Promise<void>
}

/** How long a lease stands that nobody renews, in milliseconds: a process that died is replaced after that. */
const TERM = 5_000

/** A bot of one process shares nothing. */
export const noLeases: Leases = {
  claim: async () => ({ held: () => true, release: async () => {} }),
  close: async () => {},
}

/**
 * Leases kept in the store, where whatever they guard is kept too: they need no connection to stay open, so they outlast
 * a database that restarts, and a process that hangs loses them. The database's clock decides.
 * `report` hears of renewals that failed.
 */
export function openLeases(db: Db, report: (error: unknown) => void, term = TERM): Leases {
  const now = clock(db)
  /** By holder, until when: in milliseconds of this process's own steady clock. */
  const ours = new Map<string, number>()
  let renewing: Promise<void> | null = null

  async function renew(): Promise<void> {
    const until = performance.now() + term
    const renewed = await db
      .updateTable('leases')
      .set({ expires_at: sql<number>`${now} + ${sql.lit(term)}` })
      .where('holder', 'in', [...ours.keys()])
      .where('expires_at', '>', now)
      .returning('holder')
      .execute()
    // One that was released meanwhile is gone from both.
    for (const { holder } of renewed) if (ours.has(holder)) ours.set(holder, until)
  }

  const timer = setInterval(() => {
    if (ours.size === 0) return
    renewing ??= renew()
      .catch(report)
      .finally(() => {
        renewing = null
      })
  }, term / 3)
  timer.unref()

  return {
    async claim(name) {
      const holder = randomUUID()
      const until = performance.now() + term
      const row = { holder, expires_at: sql<number>`${now} + ${sql.lit(term)}` }
      const claimed = await db
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row).where('leases.expires_at', '<=', now))
        .returning('holder')
        .executeTakeFirst()
      if (claimed === undefined) return null
      ours.set(holder, until)
      return {
        held: () => performance.now() < (ours.get(holder) ?? 0),
        async release() {
          ours.delete(holder)
          await db.deleteFrom('leases').where('holder', '=', holder).execute()
        },
      }
    },
    async close() {
      clearInterval(timer)
      await renewing
      const holders = [...ours.keys()]
      ours.clear()
      if (holders.length > 0) await db.deleteFrom('leases').where('holder', 'in', holders).execute()
    },
  }
}

/** Milliseconds since the epoch, by the clock of the database. */
function clock(db: Db): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
}

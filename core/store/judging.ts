import type { Db, Row } from './schema.ts'

/** A turn that a language model is to judge. */
export interface Open {
  readonly turn: string
  /** The turn's `evidence` that was left open. */
  readonly evidence: number
  /** Times that the judge has failed on it. */
  readonly attempts: number
}

/** The rules leave the turn open as of `evidence`: it waits for a language model, whatever it waited for before. */
export async function leaveOpen(db: Db, turn: string, evidence: number, now: number): Promise<void> {
  const fresh = { evidence, attempts: 0, due_at: now, failure: null }
  await db
    .insertInto('judging')
    .values({ turn, ...fresh })
    .onConflict((conflict) => conflict.column('turn').doUpdateSet(fresh))
    .execute()
}

/**
 * Takes the turn that is due for longest, or undefined. Another judge may take it once `leaseMs` have passed without a
 * word: then this one has died.
 */
export async function takeOpen(db: Db, now: number, leaseMs: number): Promise<Open | undefined> {
  for (;;) {
    const row = await db
      .selectFrom('judging')
      .selectAll()
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('turn')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { numUpdatedRows } = await db
      .updateTable('judging')
      .set({ due_at: now + leaseMs })
      .where('turn', '=', row.turn)
      .where('evidence', '=', row.evidence)
      .where('due_at', '=', row.due_at)
      .executeTakeFirst()
    if (numUpdatedRows === 1n) return { turn: row.turn, evidence: row.evidence, attempts: row.attempts }
  }
}

/** When the next turn is due, in milliseconds since the epoch; null for never. */
export async function nextDue(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('judging')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at ?? null
}

/** The judge did not get to a verdict: the turn waits until `dueAt`, or is given up (null). */
export async function putOff(
  db: Db,
  { turn, evidence }: Open,
  later: { readonly attempts: number; readonly dueAt: number | null; readonly failure: string | null },
): Promise<void> {
  await db
    .updateTable('judging')
    .set({ attempts: later.attempts, due_at: later.dueAt, failure: later.failure })
    .where('turn', '=', turn)
    .where('evidence', '=', evidence)
    .execute()
}

/** The turn waits no longer. */
export async function closeOpen(db: Db, turn: string): Promise<void> {
  await db.deleteFrom('judging').where('turn', '=', turn).execute()
}

/** No language model will come: what was left open is for the rules alone. */
export async function closeAll(db: Db): Promise<void> {
  await db.deleteFrom('judging').execute()
}

/** How a turn waits, or undefined when it does not. */
export async function judgingOf(db: Db, turn: string): Promise<Row<'judging'> | undefined> {
  return db.selectFrom('judging').selectAll().where('turn', '=', turn).executeTakeFirst()
}

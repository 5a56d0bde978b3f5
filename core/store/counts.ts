import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tables } from './schema.ts'

type Tally = Readonly<Record<string, number>>

/** Rows by what distinguishes them. */
export interface Counts {
  readonly turns: Tally
  /** Those that stand. */
  readonly signals: Tally
  readonly verdicts: Tally
  readonly samples: Tally
  readonly versions: Tally
  /** What waits: events for their turn, turns for the judge, samples for the trainer. */
  readonly queue: Tally
}

export async function countRows(db: Db): Promise<Counts> {
  const number = <T extends keyof Tables>(eb: ExpressionBuilder<Tables, T>) => eb.fn.countAll<number>().as('count')
  const turns = await db.selectFrom('turns').select('state as kind').select(number).groupBy('state').execute()
  const signals = await db
    .selectFrom('signals')
    .select('type as kind')
    .select(number)
    // Written out, as in the index.
    .where('active', '=', sql.lit(1 as const))
    .groupBy('type')
    .execute()
  const verdicts = await db.selectFrom('verdicts').select('score as kind').select(number).groupBy('score').execute()
  const samples = await db.selectFrom('samples').select('state as kind').select(number).groupBy('state').execute()
  const versions = await db.selectFrom('versions').select('state as kind').select(number).groupBy('state').execute()
  const inbox = await db
    .selectFrom('inbox')
    .select(number)
    .where('state', '<>', sql.lit('handled' as const))
    .execute()
  const givenUp = db.selectFrom('judging').select('turn').where('due_at', 'is', null)
  const judge = await db
    .selectFrom('turns')
    .select(number)
    .whereRef('evidence', '>', 'judged')
    .where('id', 'not in', givenUp)
    .execute()
  const ready = samples.filter(({ kind }) => kind === 'ready')
  return {
    turns: tally(turns),
    signals: tally(signals),
    verdicts: tally(verdicts),
    samples: tally(samples),
    versions: tally(versions),
    queue: { inbox: total(inbox), judge: total(judge), trainer: total(ready) },
  }
}

function tally(rows: readonly { readonly kind: string | number; readonly count: number }[]): Tally {
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]))
}

function total(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + Number(count), 0)
}

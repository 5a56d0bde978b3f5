import type { Score, Verdict } from '../types.ts'
import { fromJson, toJson } from './codec.ts'
import type { Db, Row } from './schema.ts'

/** Writes a verdict; the newest revision of a turn counts. */
export async function insertVerdict(
  db: Db,
  turn: string,
  revision: number,
  { score, weight, hint, basis, judge, votes, latencyMs }: Verdict,
  now: number,
): Promise<void> {
  await db
    .insertInto('verdicts')
    .values({
      turn,
      revision,
      score,
      weight,
      hint: hint?.text ?? null,
      wish: hint?.wish ?? null,
      basis,
      judge,
      votes: votes === undefined ? null : toJson(votes),
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
      created_at: now,
    })
    .execute()
}

export async function newestVerdict(db: Db, turn: string): Promise<Verdict | undefined> {
  const row = await db
    .selectFrom('verdicts')
    .selectAll()
    .where('turn', '=', turn)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : verdictOf(row)
}

/** The verdict that the turn's sample, ready or trained, was made of: what the weights learn or have learned. */
export async function sampledVerdict(db: Db, turn: string): Promise<Verdict | undefined> {
  const row = await db
    .selectFrom('verdicts as v')
    .innerJoin('samples as s', (join) => join.onRef('s.turn', '=', 'v.turn').onRef('s.revision', '=', 'v.revision'))
    .selectAll('v')
    .where('v.turn', '=', turn)
    .where('s.state', '<>', 'withdrawn')
    .orderBy('v.revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : verdictOf(row)
}

function verdictOf(row: Row<'verdicts'>): Verdict {
  return {
    score: row.score as Score,
    weight: row.weight,
    hint: row.hint === null ? null : { text: row.hint, wish: row.wish },
    basis: row.basis,
    judge: row.judge,
    ...(row.votes === null ? {} : { votes: fromJson(row.votes) }),
    ...(row.latency_ms === null ? {} : { latencyMs: row.latency_ms }),
  }
}

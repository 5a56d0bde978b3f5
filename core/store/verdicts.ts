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

/** A sample that stands, ready or trained: what the weights learn or have learned of its turn. */
export interface Standing {
  readonly sample: string
  /** What it was made of. */
  readonly verdict: Verdict
  /** What it says, where a person's own weights learn from a part of that. */
  readonly reward: number
  readonly weight: number
  readonly people: readonly string[]
}

/** The turn's newest sample that stands. */
export async function standingSample(db: Db, turn: string): Promise<Standing | undefined> {
  const row = await db
    .selectFrom('verdicts as v')
    .innerJoin('samples as s', (join) => join.onRef('s.turn', '=', 'v.turn').onRef('s.revision', '=', 'v.revision'))
    .selectAll('v')
    .select(['s.id as sample', 's.reward', 's.weight as counts', 's.people'])
    .where('v.turn', '=', turn)
    .where('s.state', '<>', 'withdrawn')
    .orderBy('v.revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { sample, reward, counts: weight, people } = row
  return { sample, verdict: verdictOf(row), reward, weight, people: fromJson(people) }
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

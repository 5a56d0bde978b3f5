import type { Config } from '../../config/config.ts'
import { type CatalogueHint, HINTS } from '../../config/hints.ts'
import { type Reactions, reactionsOf } from '../../config/reactions.ts'
import type { Evidence } from '../judge/judge.ts'
import { buildSample, type Prompter } from '../samples/sample.ts'
import { audit, type Limit } from '../store/audit.ts'
import { type Learned, learnedOf } from '../store/learned.ts'
import { taughtNotes } from '../store/notes.ts'
import { insertSample, lessonsSince } from '../store/samples.ts'
import type { Db } from '../store/schema.ts'
import type { StoredTurn } from '../store/turns.ts'
import { lineage, servingVersion } from '../store/versions.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { PolicyRef, Turn, Verdict, WorkspaceRef } from '../types.ts'

export interface Sampler {
  readonly prompter: Prompter
  readonly judge: (evidence: Evidence, reactions?: Reactions) => Verdict
  /** The operator's settings; a workspace's admins may have chosen another scope. */
  readonly learning: Config['learning']
  /** The operator's own scores of reactions, by workspace. */
  readonly reactions: Config['reactions']
}

/** What a turn's feedback means for the weights that would learn from it today. */
export interface Ruling {
  readonly policy: PolicyRef
  readonly verdict: Verdict
  /** Whose feedback it is. */
  readonly people: readonly string[]
}

const HOUR = 3_600_000

/** Of all feedback, or, where each person has weights of their own, of the asker's: they learn from nobody else's. */
export async function rulingOf(
  { judge, learning, reactions }: Sampler,
  db: Db,
  turn: Turn,
  seen: Evidence,
  verdict: Verdict,
): Promise<Ruling> {
  const personal = ((await findWorkspace(db, turn))?.scope ?? learning.scope) === 'person'
  const heard = personal ? seen.signals.filter(({ person }) => person === turn.person) : seen.signals
  const whole = heard.length === seen.signals.length
  return {
    policy: policyOf(turn, personal),
    verdict: whole ? verdict : judge({ ...seen, signals: heard }, reactionsOf(reactions, turn)),
    people: [...new Set(heard.map(({ person }) => person))],
  }
}

/**
 * Makes the sample of a judged turn, if it may be learned from. `learned` is what the weights have learned of the turn
 * before. Run it in a transaction. Returns whether a sample waits for the trainer.
 */
export async function sampleTurn(
  { prompter, learning }: Pick<Sampler, 'prompter' | 'learning'>,
  db: Db,
  { turn, evidence }: Pick<StoredTurn, 'turn' | 'evidence'>,
  { policy, verdict, people }: Ruling,
  now: number,
  learned = 0,
): Promise<boolean> {
  if ((await findWorkspace(db, turn))?.learning !== 1) return false
  const notes = await taughtNotes(db, turn, turn.person)
  const texts = notes.map((note) => note.text)
  const sample = buildSample(`${turn.id}.${evidence}`, turn, verdict, texts, prompter, learned)
  if (sample === null) return false
  const limit = learned === 0 ? await limitOf(db, turn, people, learning, now - HOUR) : null
  if (limit !== null) {
    await audit(db, turn, null, 'not-learned', { turn: turn.id, limit }, now)
    return false
  }
  const hints: Readonly<Record<string, CatalogueHint>> = HINTS
  const wished = [...notes.map(({ group }) => group), hints[verdict.hint?.wish ?? '']?.group ?? null]
  const groups = wished.filter((group) => group !== null)
  await insertSample(db, policy, sample, evidence, now, { people, groups })
  return true
}

/**
 * What weights have learned of a turn. What others have learned, or versions that were rolled back, is not theirs to
 * undo.
 */
export async function learnedBy(db: Db, policy: PolicyRef, turn: string): Promise<Learned['effect']> {
  const line = await lineage(db, policy, await servingVersion(db, policy))
  return (await learnedOf(db, policy, [turn], line)).get(turn)?.effect ?? 0
}

function policyOf({ platform, workspace, person }: Turn, personal: boolean): PolicyRef {
  return personal ? { platform, workspace, scope: person } : { platform, workspace }
}

async function limitOf(
  db: Db,
  ref: WorkspaceRef,
  people: readonly string[],
  { personHour, workspaceHour }: Config['learning'],
  since: number,
): Promise<Limit | null> {
  const lessons = await lessonsSince(db, ref, since)
  if (lessons.length >= workspaceHour) return 'workspace'
  const had = (person: string) => lessons.filter((givers) => givers.includes(person)).length
  return people.some((person) => had(person) >= personHour) ? 'person' : null
}

import type { Config } from '../../config/config.ts'
import { type CatalogueHint, HINTS } from '../../config/hints.ts'
import type { Evidence } from '../judge/judge.ts'
import { buildSample, type Prompter } from '../samples/sample.ts'
import { audit, type Limit } from '../store/audit.ts'
import { taughtNotes } from '../store/notes.ts'
import { insertSample, lessonsSince, trainedSample } from '../store/samples.ts'
import type { Db } from '../store/schema.ts'
import type { StoredTurn } from '../store/turns.ts'
import { lineage, servingVersion } from '../store/versions.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { PolicyRef, Turn, Verdict, WorkspaceRef } from '../types.ts'

export interface Sampler {
  readonly prompter: Prompter
  readonly judge: (evidence: Evidence) => Verdict
  /** The operator's settings; a workspace's admins may have chosen another scope. */
  readonly learning: Config['learning']
}

const HOUR = 3_600_000

/**
 * Makes the sample of a judged turn, if it may be learned from. `learned` is what a version has learned of the turn
 * before. Run it in a transaction. Returns whether a sample waits for the trainer.
 */
export async function sampleTurn(
  { prompter, judge, learning }: Sampler,
  db: Db,
  { turn, evidence }: StoredTurn,
  seen: Evidence,
  verdict: Verdict,
  now: number,
  learned = 0,
): Promise<boolean> {
  const workspace = await findWorkspace(db, turn)
  if (workspace?.learning !== 1) return false
  const personal = (workspace.scope ?? learning.scope) === 'person'
  // A person's own weights learn from nobody else's feedback.
  const heard = personal ? seen.signals.filter(({ person }) => person === turn.person) : seen.signals
  if (personal && heard.length === 0 && learned === 0) return false
  const ruling = heard.length === seen.signals.length ? verdict : judge({ ...seen, signals: heard })
  const notes = await taughtNotes(db, turn, turn.person)
  const texts = notes.map((note) => note.text)
  const sample = buildSample(`${turn.id}.${evidence}`, turn, ruling, texts, prompter, learned)
  if (sample === null) return false
  const people = [...new Set(heard.map(({ person }) => person))]
  const limit = learned === 0 ? await limitOf(db, turn, people, learning, now - HOUR) : null
  if (limit !== null) {
    await audit(db, turn, null, 'not-learned', { turn: turn.id, limit }, now)
    return false
  }
  const hints: Readonly<Record<string, CatalogueHint>> = HINTS
  const wished = [...notes.map(({ group }) => group), hints[ruling.hint?.wish ?? '']?.group ?? null]
  const groups = wished.filter((group) => group !== null)
  await insertSample(db, policyOf(turn, personal), sample, evidence, now, { people, groups })
  return true
}

/**
 * What the weights that would learn from the turn today have learned of it, as reward × weight. What others have
 * learned, or versions that were rolled back, is not theirs to undo.
 */
export async function learnedOf({ learning }: Pick<Sampler, 'learning'>, db: Db, turn: Turn): Promise<number> {
  const scope = (await findWorkspace(db, turn))?.scope ?? learning.scope
  const policy = policyOf(turn, scope === 'person')
  const line = await lineage(db, turn, await servingVersion(db, policy))
  const trained = await trainedSample(db, policy, turn.id, line)
  return trained === undefined ? 0 : trained.reward * trained.weight
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

import { type CatalogueHint, HINTS } from '../../config/hints.ts'
import { reactionsOf } from '../../config/reactions.ts'
import { lasts } from '../judge/hint.ts'
import { type Evidence, leftOpen } from '../judge/judge.ts'
import { audit } from '../store/audit.ts'
import { learnable } from '../store/consent.ts'
import { closeOpen, leaveOpen } from '../store/judging.ts'
import { type NewNote, noteFromTurn } from '../store/notes.ts'
import { setPeople, waits, withdrawSamples } from '../store/samples.ts'
import type { Db } from '../store/schema.ts'
import { activeSignals } from '../store/signals.ts'
import { transact } from '../store/transact.ts'
import { advance, findTurn, type StoredTurn, setJudged } from '../store/turns.ts'
import { insertVerdict, type Standing, standingSample } from '../store/verdicts.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { Hint, Turn, Verdict, WorkspaceRef } from '../types.ts'
import { learnedBy, type Ruling, rulingOf, type Sampler, sampleTurn } from './sampling.ts'

export interface Learner extends Sampler {
  readonly db: Db
  /** Is told that a turn waits for a language model; null where none judges, and what the rules leave open is neutral. */
  readonly onOpen: (() => void) | null
  readonly now: () => number
}

/** What judging a turn has led to. */
export interface Lesson {
  readonly turn: Turn
  readonly verdict: Verdict
  /** The hint that is now a note and was none before. */
  readonly learned: Hint | null
  /** A sample waits for the trainer. */
  readonly sampled: boolean
}

const WITHDRAWN: Verdict = { score: 0, weight: 0, hint: null, basis: 'withdrawn', judge: 'none' }

/**
 * Judges a turn whose signals changed: its verdict, the note that its hint becomes and its sample are written together
 * or not at all. Null when there is nothing new to judge.
 */
export async function learn(learner: Learner, id: string): Promise<Lesson | null> {
  for (;;) {
    const stored = await findTurn(learner.db, id)
    if (stored === undefined || stored.judged === stored.evidence) return null
    const { turn } = stored
    const seen = await evidenceOf(learner.db, turn)
    const verdict = seen.signals.length === 0 ? WITHDRAWN : learner.judge(seen, reactionsOf(learner.reactions, turn))
    if (learner.onOpen !== null && leftOpen(seen, verdict).length > 0 && (await learns(learner.db, turn))) {
      if (!(await wait(learner, stored))) continue
      learner.onOpen()
      return null
    }
    const lesson = await record(learner, stored, seen, verdict)
    if (lesson !== null) return lesson
  }
}

/** A turn and its signals as they stand now; of people who opted out there are none. */
export async function evidenceOf(db: Db, turn: Turn): Promise<Evidence> {
  return {
    request: turn.request.findLast((message) => message.role === 'user')?.content ?? '',
    reply: turn.text,
    asker: turn.person,
    signals: await learnable(db, turn, await activeSignals(db, turn.id)),
  }
}

/** Leaves the turn to the language model. False when the signals have changed since. */
async function wait(learner: Learner, { turn, evidence }: StoredTurn): Promise<boolean> {
  return transact(learner.db, async (tx) => {
    if ((await findTurn(tx, turn.id))?.evidence !== evidence) return false
    await leaveOpen(tx, turn.id, evidence, learner.now())
    // What was to be learned from signals that stand no longer is not to be learned meanwhile.
    await withdrawSamples(tx, turn.id)
    return true
  })
}

async function learns(db: Db, ref: WorkspaceRef): Promise<boolean> {
  return (await findWorkspace(db, ref))?.learning === 1
}

/**
 * Writes what a verdict leads to, all or nothing. Null when the signals changed while they were judged, or someone
 * opted out.
 */
export async function record(
  learner: Omit<Learner, 'onOpen'>,
  { turn, evidence }: StoredTurn,
  seen: Evidence,
  verdict: Verdict,
): Promise<Lesson | null> {
  const now = learner.now()
  return transact(learner.db, async (tx) => {
    if ((await learnable(tx, turn, seen.signals)).length < seen.signals.length) return null
    if (!(await setJudged(tx, turn.id, evidence))) return null
    await closeOpen(tx, turn.id)
    await insertVerdict(tx, turn.id, evidence, verdict, now)
    const noted = await noteFromTurn(tx, turn, turn.id, noteOf(learner, seen, verdict.hint))
    const learned = noted ? verdict.hint : null
    const ruling = await rulingOf(learner, tx, turn, seen, verdict)
    if (!(await advance(tx, turn.id, 'closed', 'judged'))) {
      const sampled = await amend(learner, tx, { turn, evidence }, ruling, verdict, now)
      return { turn, verdict, learned, sampled }
    }
    // A sample that says the same stays: the trainer may be at it.
    const standing = await standingSample(tx, turn.id)
    if (standing !== undefined && same(standing, ruling, verdict)) {
      await setPeople(tx, standing.sample, ruling.people)
      await advance(tx, turn.id, 'judged', 'sampled')
      return { turn, verdict, learned, sampled: false }
    }
    await withdrawSamples(tx, turn.id)
    const sampled = await sampleTurn(learner, tx, { turn, evidence }, ruling, now)
    if (sampled) await advance(tx, turn.id, 'judged', 'sampled')
    return { turn, verdict, learned, sampled }
  })
}

function noteOf(learner: Pick<Learner, 'judge'>, evidence: Evidence, hint: Hint | null): NewNote | null {
  const person = hint === null || !lasts(hint) ? undefined : giver(learner, evidence, hint)
  if (hint === null || person === undefined) return null
  const at = Math.max(...evidence.signals.filter((signal) => signal.person === person).map((signal) => signal.at))
  const wishes: Readonly<Record<string, CatalogueHint>> = HINTS
  return { person, hint, group: wishes[hint.wish ?? '']?.group ?? null, at }
}

/** Whose words the hint came from: of several who said something, the one who would have given it alone. */
function giver(learner: Pick<Learner, 'judge'>, evidence: Evidence, hint: Hint): string | undefined {
  const words = evidence.signals.filter((signal) => signal.type !== 'reaction')
  const people = [...new Set(words.map((signal) => signal.person))]
  if (people.length <= 1) return people[0]
  return people.find((person) => {
    const signals = evidence.signals.filter((signal) => signal.person === person)
    return learner.judge({ ...evidence, signals }).hint?.text === hint.text
  })
}

/**
 * A trained turn was judged again. The same verdict changes nothing. Another one gets a sample that takes back what was
 * learned and teaches what stands now, in place of one that waits. Returns whether a new one waits for the trainer.
 */
async function amend(
  learner: Pick<Learner, 'prompter' | 'learning'>,
  db: Db,
  stored: Pick<StoredTurn, 'turn' | 'evidence'>,
  ruling: Ruling,
  verdict: Verdict,
  now: number,
): Promise<boolean> {
  const { turn } = stored
  const before = await standingSample(db, turn.id)
  if (!same(before, ruling, verdict)) await withdrawSamples(db, turn.id)
  const standing = await standingSample(db, turn.id)
  const settled = same(standing, ruling, verdict)
  if (standing !== undefined && settled) await setPeople(db, standing.sample, ruling.people)
  if (settled && !(await waits(db, turn.id))) await advance(db, turn.id, 'amended', 'trained')
  if (same(before, ruling, verdict)) return false
  const learned = await learnedBy(db, ruling.policy, turn.id)
  const sampled = !settled && (await sampleTurn(learner, db, stored, ruling, now, learned))
  const change = { turn: turn.id, from: before?.verdict.score ?? null, to: verdict.score, sample: sampled }
  await audit(db, turn, null, 'amended', change, now)
  return sampled
}

/** Whether the weights learn the same from a sample as from what is said now. */
function same(standing: Standing | undefined, ruling: Ruling, verdict: Verdict): boolean {
  return (
    standing?.reward === ruling.verdict.score &&
    standing.weight === ruling.verdict.weight &&
    standing.verdict.hint?.text === verdict.hint?.text
  )
}

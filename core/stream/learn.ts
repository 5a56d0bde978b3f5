import { type CatalogueHint, HINTS } from '../../config/hints.ts'
import { lasts } from '../judge/hint.ts'
import type { Evidence } from '../judge/judge.ts'
import { buildSample, type Prompter } from '../samples/sample.ts'
import { audit } from '../store/audit.ts'
import { activeNotes, type NewNote, noteFromTurn } from '../store/notes.ts'
import { insertSample, withdrawSamples } from '../store/samples.ts'
import type { Db } from '../store/schema.ts'
import { activeSignals } from '../store/signals.ts'
import { transact } from '../store/transact.ts'
import { advance, findTurn, type StoredTurn, setJudged } from '../store/turns.ts'
import { insertVerdict, sampledVerdict } from '../store/verdicts.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { Hint, Turn, Verdict } from '../types.ts'

export interface Learner {
  readonly db: Db
  readonly prompter: Prompter
  readonly judge: (evidence: Evidence) => Verdict
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
    const seen: Evidence = {
      request: turn.request.findLast((message) => message.role === 'user')?.content ?? '',
      reply: turn.text,
      asker: turn.person,
      signals: await activeSignals(learner.db, id),
    }
    const verdict = seen.signals.length === 0 ? WITHDRAWN : learner.judge(seen)
    const lesson = await record(learner, stored, seen, verdict)
    if (lesson !== null) return lesson
  }
}

/** Null when the signals changed while they were judged. */
async function record(
  learner: Learner,
  { turn, evidence }: StoredTurn,
  seen: Evidence,
  verdict: Verdict,
): Promise<Lesson | null> {
  const now = learner.now()
  return transact(learner.db, async (tx) => {
    if (!(await setJudged(tx, turn.id, evidence))) return null
    await insertVerdict(tx, turn.id, evidence, verdict, now)
    const noted = await noteFromTurn(tx, turn, turn.id, noteOf(learner, seen, verdict.hint))
    const learned = noted ? verdict.hint : null
    if (!(await advance(tx, turn.id, 'closed', 'judged'))) {
      await amend(tx, turn, verdict, now)
      return { turn, verdict, learned, sampled: false }
    }
    // A sample that says the same stays: the trainer may be at it.
    if (same(await sampledVerdict(tx, turn.id), verdict)) {
      await advance(tx, turn.id, 'judged', 'sampled')
      return { turn, verdict, learned, sampled: false }
    }
    await withdrawSamples(tx, turn.id)
    const learning = (await findWorkspace(tx, turn))?.learning === 1
    if (!learning) return { turn, verdict, learned, sampled: false }
    const notes = (await activeNotes(tx, turn, turn.person)).map((note) => note.text)
    const sample = buildSample(`${turn.id}.${evidence}`, turn, verdict, notes, learner.prompter)
    if (sample !== null) {
      await insertSample(tx, turn, sample, evidence, now)
      await advance(tx, turn.id, 'judged', 'sampled')
    }
    return { turn, verdict, learned, sampled: sample !== null }
  })
}

function noteOf(learner: Learner, evidence: Evidence, hint: Hint | null): NewNote | null {
  const person = hint === null || !lasts(hint) ? undefined : giver(learner, evidence, hint)
  if (hint === null || person === undefined) return null
  const at = Math.max(...evidence.signals.filter((signal) => signal.person === person).map((signal) => signal.at))
  const wishes: Readonly<Record<string, CatalogueHint>> = HINTS
  return { person, hint, group: wishes[hint.wish ?? '']?.group ?? null, at }
}

/** Whose words the hint came from: of several who said something, the one who would have given it alone. */
function giver(learner: Learner, evidence: Evidence, hint: Hint): string | undefined {
  const words = evidence.signals.filter((signal) => signal.type !== 'reaction')
  const people = [...new Set(words.map((signal) => signal.person))]
  if (people.length <= 1) return people[0]
  return people.find((person) => {
    const signals = evidence.signals.filter((signal) => signal.person === person)
    return learner.judge({ ...evidence, signals }).hint?.text === hint.text
  })
}

/** A trained turn was judged again. The same verdict changes nothing; another one stays on record as amended. */
async function amend(db: Db, turn: Turn, verdict: Verdict, now: number): Promise<void> {
  const trained = await sampledVerdict(db, turn.id)
  if (same(trained, verdict)) {
    await advance(db, turn.id, 'amended', 'trained')
  } else {
    await audit(db, turn, null, 'amended', { turn: turn.id, from: trained?.score ?? null, to: verdict.score }, now)
  }
}

/** Whether the weights learn the same from both. */
function same(before: Verdict | undefined, now: Verdict): boolean {
  return before?.score === now.score && before.weight === now.weight && before.hint?.text === now.hint?.text
}

import type { Reactions } from '../../config/reactions.ts'
import type { Hint, Score, Signal, Verdict } from '../types.ts'
import { emojiVote, readExplicit, type Vote } from './explicit.ts'
import { disarm, hides } from './guard.ts'
import { hintFrom } from './hint.ts'
import { WITHDRAWN } from './lexicon.ts'
import { insists } from './repeat.ts'
import { read } from './rules.ts'
import { amend, clean, containment, contentWords, fold, READ_LIMIT } from './text.ts'

/** Of the table and the rules; raised whenever one of them changes. */
export const JUDGE_VERSION = 'rules-3'

/** A turn and what followed it. Signals are attributed to this turn; withdrawn ones are not among them. */
export interface Evidence {
  readonly request: string
  readonly reply: string
  readonly asker: string
  readonly signals: readonly Signal[]
}

/** What one person's messages and edits say, as one text that may be read as feedback. */
export interface Said {
  readonly person: string
  readonly text: string
  /** Something in it spoke to the judge or forged a role, and was cut out: no hint may come from it. */
  readonly attacked: boolean
}

/**
 * The verdict on a turn, pure and deterministic. What people say outright (reactions, buttons, "good bot") decides the
 * score where there is any, one vote a person, else the words of next messages and edits do (a person's burst is one
 * text). A wish in the words gives the hint whatever decided the score: a thumb is about this reply, the wish about how
 * it should have been. `overrides` are the workspace's own scores of emoji.
 */
export function judge(evidence: Evidence, overrides: Reactions = {}): Verdict {
  const explicit: Vote[] = []
  const words: Vote[] = []
  let hint: Hint | null = null
  for (const person of peopleOf(evidence)) {
    const vote = readExplicit(signalsOf(evidence, person), overrides)
    if (vote !== null) explicit.push(vote)
    const { text, attacked } = saidBy(evidence, person)
    const reading = text === '' ? null : read(text, evidence)
    if (reading === null) continue
    // Who asks for another one has not said that this one is bad.
    const weight = reading.rule === 'alternative' ? 0.5 : 1
    words.push({ score: reading.score, basis: `rule:${reading.rule}`, weight })
    if (reading.wish !== null && !attacked) hint ??= hintFrom(reading.wish)
  }
  return { ...count(explicit.length > 0 ? explicit : words), hint, judge: JUDGE_VERSION }
}

/** Has the rules compiled, a tenth of a second or more that the first verdict would otherwise keep its thread for. */
export function warmUp(): void {
  for (const content of ['Thanks!', 'No, that is wrong. Shorter, please.']) {
    const said: Signal = { id: '', turn: '', type: 'message', person: '', content, at: 0 }
    judge({ request: 'Why?', reply: 'Because it is.', asker: '', signals: [said] })
  }
}

/** The words that the verdict of `judge` leaves open: words were said, and neither they nor anything else decided. */
export function leftOpen(evidence: Evidence, verdict: Verdict): Said[] {
  if (verdict.basis !== 'abstain') return []
  return peopleOf(evidence)
    .map((person) => saidBy(evidence, person))
    .filter(({ text }) => text !== '' && emojiVote(text) === null && !WITHDRAWN.test(fold(text)))
}

/** The asker first. */
function peopleOf({ asker, signals }: Evidence): string[] {
  return [...new Set([asker, ...signals.map((signal) => signal.person)])]
}

function signalsOf({ signals }: Evidence, person: string): Signal[] {
  return signals.filter((signal) => signal.person === person)
}

function saidBy(evidence: Evidence, person: string): Said {
  const texts = signalsOf(evidence, person)
    .filter((signal) => signal.type === 'message' || signal.type === 'edit')
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map((signal) => (signal.type === 'edit' ? added(signal.content, evidence.request) : signal.content))
  const raw = unquoted(texts.join('\n'))
  const { text, attacked } = disarm(amend(clean(raw).slice(0, READ_LIMIT)), `${evidence.request}\n${evidence.reply}`)
  return { person, text: /[^\s\p{P}]/u.test(text) ? text : '', attacked: attacked || hides(raw) }
}

/** Of an edited request only what was put in speaks of the reply; where words were exchanged, the request is another. */
function added(edited: string, request: string): string {
  const now = clean(edited)
  const before = clean(request)
  if (containment(contentWords(before), contentWords(now)) < 0.5 || insists(now, before)) return edited
  const a = fold(before)
  const b = fold(now)
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return start + end < a.length ? '' : now.slice(start, now.length - end)
}

/** What the person quotes is not what the person says. */
function unquoted(text: string): string {
  return text.replace(/^[^\S\r\n\u2028\u2029]*>.*$/gm, '')
}

/** Plurality; a tie is 0. The weight says how far those who judged agree. */
function count(votes: readonly Vote[]): Pick<Verdict, 'score' | 'weight' | 'basis'> {
  const margin = votes.reduce((sum, vote) => sum + vote.score * vote.weight, 0)
  const score = Math.sign(margin) as Score
  if (score === 0) return { score: 0, weight: 0, basis: votes.length === 0 ? 'abstain' : 'tie' }
  const basis = votes.find((vote) => vote.score === score)?.basis ?? 'abstain'
  return { score, weight: Math.abs(margin) / votes.length, basis }
}

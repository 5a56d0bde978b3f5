import { type ReactionScore, reactionScore } from '../../config/reactions.ts'
import type { Hint, Score, Signal, Verdict } from '../types.ts'
import { disarm } from './guard.ts'
import { hintFrom } from './hint.ts'
import { insists } from './repeat.ts'
import { read } from './rules.ts'
import { clean, containment, contentWords, fold, READ_LIMIT } from './text.ts'

/** Of the table and the rules; raised whenever one of them changes. */
export const JUDGE_VERSION = 'rules-1'

/** A turn and what followed it. Signals are attributed to this turn; withdrawn ones are not among them. */
export interface Evidence {
  readonly request: string
  readonly reply: string
  readonly asker: string
  readonly signals: readonly Signal[]
}

interface Vote {
  readonly person: string
  readonly score: Score
  readonly basis: string
}

/**
 * The verdict on a turn, pure and deterministic. Reactions decide the score where there are any (one vote a person),
 * else the words of next messages and edits do (a person's burst is one text). A wish in the words gives the hint
 * whatever decided the score: a thumb is about this reply, the wish about how it should have been.
 */
export function judge(evidence: Evidence, overrides: Readonly<Record<string, ReactionScore>> = {}): Verdict {
  const people = [...new Set([evidence.asker, ...evidence.signals.map((signal) => signal.person)])]
  const reactions: Vote[] = []
  const words: Vote[] = []
  let hint: Hint | null = null
  for (const person of people) {
    const own = evidence.signals.filter((signal) => signal.person === person)
    const reaction = readReactions(person, own, overrides)
    if (reaction !== null) reactions.push(reaction)
    const said = readWords(own, evidence)
    if (said === null) continue
    words.push({ person, score: said.score, basis: said.basis })
    hint ??= said.hint
  }
  const decided = reactions.length > 0 ? count(reactions) : count(words)
  return { ...decided, hint, judge: JUDGE_VERSION }
}

/** One person's reactions are one vote: what most of them say. Null when none says anything. */
function readReactions(
  person: string,
  signals: readonly Signal[],
  overrides: Readonly<Record<string, ReactionScore>>,
): Vote | null {
  const given = signals.filter((signal) => signal.type === 'reaction')
  const scores = given.map((signal) => reactionScore(signal.content, overrides) ?? 0)
  if (scores.every((score) => score === 0)) return null
  const score = Math.sign(scores.reduce<number>((sum, next) => sum + next, 0)) as Score
  const shown = given.find((_, index) => scores[index] === score) ?? given[0]
  return { person, score, basis: `reaction:${shown?.content ?? ''}` }
}

/** What one person's messages and edits say, as one text; null when nothing. */
function readWords(
  signals: readonly Signal[],
  evidence: Evidence,
): { readonly score: Score; readonly basis: string; readonly hint: Hint | null } | null {
  const texts = signals
    .filter((signal) => signal.type !== 'reaction')
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map((signal) => (signal.type === 'edit' ? added(signal.content, evidence.request) : signal.content))
  const { text, attacked } = disarm(
    clean(unquoted(texts.join('\n'))).slice(0, READ_LIMIT),
    `${evidence.request}\n${evidence.reply}`,
  )
  if (!/[^\s\p{P}]/u.test(text)) return null
  const reading = read(text, evidence)
  if (reading === null) return null
  const hint = reading.wish === null || attacked ? null : hintFrom(reading.wish)
  return { score: reading.score, basis: `rule:${reading.rule}`, hint }
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
  return text.replace(/^\s*>.*$/gm, '')
}

/** Plurality; a tie is 0. The weight says how far those who judged agree. */
function count(votes: readonly Vote[]): Pick<Verdict, 'score' | 'weight' | 'basis'> {
  const margin = votes.reduce((sum, vote) => sum + vote.score, 0)
  const score = Math.sign(margin) as Score
  if (score === 0) return { score: 0, weight: 0, basis: votes.length === 0 ? 'abstain' : 'tie' }
  const basis = votes.find((vote) => vote.score === score)?.basis ?? 'abstain'
  return { score, weight: Math.abs(margin) / votes.length, basis }
}

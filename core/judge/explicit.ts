import { type ReactionScore, type Reactions, reactionScore, votePhrase } from '../../config/reactions.ts'
import type { Score, Signal } from '../types.ts'
import { clean, fold } from './text.ts'

/** What one person has said outright. */
export interface Vote {
  readonly score: Score
  readonly basis: string
  /** 0..1: how sure that is a vote on the reply. */
  readonly weight: number
}

const graphemes = new Intl.Segmenter()

/**
 * One person's reactions, buttons and votes in words ("good bot") are one vote: what most of them say. Null when none
 * says anything.
 */
export function readExplicit(signals: readonly Signal[], overrides: Reactions): Vote | null {
  const given = signals.flatMap(({ type, content }) => {
    const score = type === 'reaction' ? (reactionScore(content, overrides) ?? 0) : votePhrase(fold(clean(content)))
    const basis = type === 'reaction' ? `reaction:${content}` : 'said'
    return score === null ? [] : [{ score, basis }]
  })
  if (given.every(({ score }) => score === 0)) return null
  const score = Math.sign(given.reduce<number>((sum, vote) => sum + vote.score, 0)) as Score
  return { score, weight: 1, basis: (given.find((vote) => vote.score === score) ?? given[0])?.basis ?? '' }
}

/** A message of emoji alone is a vote: the sign of their sum. Null for words. */
export function emojiVote(text: string): ReactionScore | null {
  if (/^(?:[+-]1?|:[\w+-]+:)$/.test(text)) return reactionScore(text) ?? 0
  if (/\p{L}{2}/u.test(text)) return null
  const marks = [...graphemes.segment(text)].map((part) => part.segment).filter((mark) => mark.trim() !== '')
  if (!marks.every((mark) => /\p{Extended_Pictographic}/u.test(mark))) return null
  return Math.sign(marks.reduce<number>((sum, mark) => sum + (reactionScore(mark) ?? 0), 0)) as Score
}

import { BUT } from './corrections.ts'
import {
  COMMAND,
  CONDITIONAL,
  DECLINE,
  DOUBLE_NEGATIVE,
  HARMLESS_NO,
  isQuestion,
  LOST,
  NEGATOR,
  NO_OPENING,
  POSSESSIVE,
  PRAISE,
  REJECTION,
} from './lexicon.ts'
import { elsewhere, experienced } from './subject.ts'
import { contentWords, fold } from './text.ts'

/** A sentence as the rules see it. */
export interface Clause {
  readonly sentence: string
  readonly reply: string
  /** Folded, without an opening `no`. */
  readonly said: string
  /** Parts between commas, folded; a `but` opens its own. */
  readonly parts: readonly string[]
  readonly question: boolean
  readonly command: boolean
  readonly declined: boolean
  readonly liked: boolean
  readonly disliked: boolean
  /** Praise after a `but`. */
  readonly redeemed: boolean
  /** A `but` with no praise after it. */
  readonly contrast: boolean
  /** The content words of request and reply. */
  readonly told: ReadonlySet<string>
  /** Content words that neither request nor reply holds: many of them speak of another matter. */
  readonly novel: number
  /** Content words that the request or the reply holds too. */
  readonly shared: number
}

/** "Love it, just make it shorter" is a `but` too. */
const ONLY = /^(?:just|now just|nur|solo|juste|alleen|so) /

/** `no` is the length of an opening `no`, which is not looked at again. */
export function take(sentence: string, no: number, told: ReadonlySet<string>, reply: string): Clause {
  const folded = fold(sentence)
  const said = folded.slice(no).replace(no > 0 ? /^[\s,.!:;-]+/ : /^/, '')
  const parts = split(said)
  const question = isQuestion(said)
  const command = COMMAND.test(said)
  const declined = DECLINE.test(folded) || HARMLESS_NO.test(folded)
  const words = [...contentWords(said)]
  const novel = words.filter((word) => !told.has(word)).length
  const away = (part: string, by: RegExp) => elsewhere(part.slice(0, part.search(by)), told)
  const likes = (part: string) => PRAISE.test(part) && !turned(part) && !COMMAND.test(part) && !away(part, PRAISE)
  const likedAt = question || command || experienced(said, novel) ? -1 : parts.findLastIndex(likes)
  const dislikes = (part: string) =>
    REJECTION.test(part) && !DOUBLE_NEGATIVE.test(part) && !POSSESSIVE.test(part) && !away(part, REJECTION)
  const dislikedAt = parts.findLastIndex(dislikes)
  const butAt = parts.findIndex((part, i) => BUT.test(part) || (i > 0 && ONLY.test(part) && COMMAND.test(part)))
  const better = likedAt > dislikedAt && butAt > dislikedAt
  return {
    sentence,
    reply,
    said,
    parts,
    question,
    command,
    declined,
    liked: likedAt >= 0,
    disliked: LOST.test(said) || (!question && !declined && !better && dislikes(said)),
    redeemed: butAt >= 0,
    contrast: butAt > likedAt,
    told,
    novel,
    shared: words.length - novel,
  }
}

/** The length of a `no` that turns the reply down; 0 for none. */
export function opensWithNo(said: string): number {
  return DECLINE.test(said) || HARMLESS_NO.test(said) ? 0 : (NO_OPENING.exec(said)?.[0].length ?? 0)
}

/** The parts of a sentence between commas; a `but` opens its own. */
export function split(sentence: string): string[] {
  const parts = sentence.split(/[,;:–—]+|\s-\s|\s(?=(?:but|aber|pero|mais|maar|ale|lekin)\s)/i)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function turned(part: string): boolean {
  return (NEGATOR.test(part) || CONDITIONAL.test(part)) && !DOUBLE_NEGATIVE.test(part)
}

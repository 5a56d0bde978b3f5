import type { WishId } from '../../config/hints.ts'
import type { Score } from '../types.ts'
import { type Clause, opensWithNo, split, take } from './clause.ts'
import { CONTRARY, CONTRAST, EDIT, FRAGMENT, MEANT, NEXT_TIME, OMITTED, ORDER, SHOULD, TOO } from './corrections.ts'
import { emojiVote } from './explicit.ts'
import {
  ANOTHER,
  COMMAND,
  DECLINE,
  DECLINE_THANKS,
  DOUBLE_NEGATIVE,
  FIRST_PERSON,
  isQuestion,
  NEW_TOPIC,
  OWN,
  PART,
  POSSESSIVE,
  REJECTION,
  REQUEST,
  SARCASM,
  SCARE,
  TELLING,
  THANKS,
  THANKS_AHEAD,
  WITHDRAWN,
  YES_OPENING,
} from './lexicon.ts'
import { asks, asksForAnother, confirms, namesAnother, refuses } from './move.ts'
import { type Exchange, readRepeat } from './repeat.ts'
import { elsewhere } from './subject.ts'
import { containment, contentWords, fold, sentences } from './text.ts'
import { besides, findWishes, type Wish } from './wishes.ts'

export type Rule = 'thanks' | 'praise' | 'emoji' | 'correction' | 'rejection' | 'repeat' | 'alternative'

/** What a person's words say about the reply before them. */
export interface Reading {
  readonly score: Score
  readonly rule: Rule
  /** The words that say what should be different, or null. */
  readonly wish: string | null
}

/** Reads a cleaned, disarmed text that followed a reply; null where the words leave doubt. */
export function read(text: string, exchange: Exchange): Reading | null {
  const vote = emojiVote(text)
  if (vote !== null) return vote === 0 ? null : { score: vote, rule: 'emoji', wish: null }
  const folded = fold(text)
  if (WITHDRAWN.test(folded)) return null
  const found = weigh(text, exchange)
  const { wishes, praised, thanked, rejected } = found
  const repeat = readRepeat(text, exchange)
  const refused = refuses(exchange.reply)
  const accepted = praised || thanked || YES_OPENING.test(folded)
  if (!accepted && corrects(text, exchange.reply)) return { score: -1, rule: 'correction', wish: text }
  const stays = accepted || refused || DECLINE.test(folded) || NEW_TOPIC.test(folded)
  const another = stays ? null : asksForAnother(text, exchange)
  if (another !== null) return { score: -1, rule: 'alternative', wish: another.specific ? text : null }
  if (wishes.length > 0 || (rejected && !praised)) {
    if (refused && !asksForForm(wishes.join(' '))) return null
    if (wishes.length === 0) return { score: -1, rule: 'rejection', wish: null }
    if (repeat?.whole) return { score: -1, rule: 'repeat', wish: null }
    // "Like I said" means what stands before it.
    const wish = wishes.join(' ')
    return { score: -1, rule: 'correction', wish: contentWords(wish).size < 2 ? text : wish }
  }
  if (rejected || found.hedged || found.mocked) return null
  if (praised) return { score: 1, rule: 'praise', wish: null }
  if (thanked) return { score: 1, rule: 'thanks', wish: null }
  const answers = confirms(exchange.reply) || (asks(exchange.reply) && (!repeat?.whole || YES_OPENING.test(folded)))
  if (repeat === null || refused || answers || DECLINE.test(folded)) return null
  return { score: -1, rule: 'repeat', wish: repeat.wish }
}

/** Asked to confirm, the person names another detail instead. */
function corrects(text: string, reply: string): boolean {
  return sentences(text).some((sentence) => {
    const said = fold(sentence)
    return namesAnother(sentence, reply) && (!isQuestion(said) || REQUEST.test(said))
  })
}

/** What the sentences read so far have said. */
interface Findings {
  praised: boolean
  thanked: boolean
  rejected: boolean
  /** A `but` came after the praise or the thanks. */
  hedged: boolean
  /** The praise is not meant. */
  readonly mocked: boolean
  /** Sentences that say what should be different. */
  readonly wishes: string[]
}

/** Goes through the sentences in order; what turns to another matter ends what is said about the reply. */
function weigh(text: string, exchange: Exchange): Findings {
  const told = new Set([...contentWords(exchange.request), ...contentWords(exchange.reply)])
  const mocked = SARCASM.test(fold(text)) || SCARE.test(text)
  const found: Findings = { praised: false, thanked: false, rejected: false, hedged: false, mocked, wishes: [] }
  const loose: string[] = []
  for (const [index, sentence] of sentences(text).entries()) {
    const no = index === 0 ? opensWithNo(fold(sentence)) : 0
    if (no > 0 && !asks(exchange.reply) && !TELLING.test(fold(sentence))) found.rejected = true
    const clause = take(sentence, no, told, exchange.reply)
    if (clause.said === '') continue
    if (turnsAway(clause, found)) break
    const { said, question, command, declined, disliked, liked } = clause
    if (!declined && wishesIn(clause, found)) found.wishes.push(sentence)
    else if (asksAnew(clause, found)) break
    else if (!question && !liked && !FIRST_PERSON.test(said)) loose.push(disliked ? beside(sentence) : sentence)
    const asking = command || (question && (said.split(' ').length > 8 || REQUEST.test(said)))
    if (!asking && THANKS.test(said) && !THANKS_AHEAD.test(said) && !DECLINE_THANKS.test(said)) found.thanked = true
    if (disliked) found.rejected = true
    if (disliked) found.praised = false
    if (liked && !disliked) {
      found.praised = true
      found.hedged = false
      if (clause.redeemed) found.rejected = false
    }
    if (clause.contrast) found.hedged = true
  }
  if (found.rejected && !found.praised && found.wishes.length === 0) {
    found.wishes.push(...loose.filter((part) => concrete(part, told)))
  }
  return found
}

/** Whether a sentence says what the reply should have been. */
function wishesIn(clause: Clause, found: Findings): boolean {
  const { said, parts, question, novel, shared } = clause
  const rest = said.replace(DENIED, ' ').replace(DOUBLE_NEGATIVE, ' ').replace(REJECTIONS, ' ')
  const later = NEXT_TIME.test(rest)
  const praiseLast = clause.liked && clause.redeemed && !clause.contrast
  const faulted = !praiseLast && parts.some((part) => faults(part, clause.told))
  const contrasted = CONTRAST.test(rest)
  const against = clause.contrast || clause.disliked || found.hedged || found.mocked || found.rejected
  const opposed = against || faulted || contrasted
  if ((found.praised || clause.liked) && !later && !opposed) return false

  const wishes = findWishes(said)
  const length = said.split(' ').length
  if (asksOtherwise(clause, wishes, opposed) && (novel <= 5 || faulted || later)) return true
  if (question) return false

  const own = parts.filter((part) => !FIRST_PERSON.test(part))
  const any = (...markers: RegExp[]) => own.some((part) => markers.some((marker) => marker.test(part)))
  if (any(NEXT_TIME) || faulted) return true
  if (asks(clause.reply) && !found.rejected) return false
  if (MEANT.test(rest)) return true
  if (TELLING.test(said)) return false
  if (PART.test(said) && clause.command) return true
  if (contrasted || SHOULD.test(rest) || contradicts(clause)) return true
  if (any(ORDER) && (novel <= 5 || opposed)) return true
  if (any(EDIT) && shared > 0 && novel <= 4) return true
  if (any(COMMAND) && opposed && (novel <= 3 || shared > 0 || !found.mocked)) return true
  return FRAGMENT.test(rest) && length <= 8 && novel <= 3
}

/** "Make it shorter" asks for another reply; "tell me more about it" and "explain rain in simple words" for the next. */
function asksOtherwise(clause: Clause, wishes: readonly Wish[], opposed: boolean): boolean {
  const { said, question, command, told } = clause
  if (wishes.length === 0) return false
  if (opposed || !(question || command)) return true
  // A colon brings the material of the next request.
  if (command && /: \S+ \S+ \S/.test(said)) return false
  if (ANOTHER.test(said) || wishes.every(({ id }) => FURTHER.has(id))) return false
  if (question) return REQUEST.test(said) || said.split(' ').length <= 4
  return wishes.some((wish) => [...besides(wish, said)].every((word) => told.has(word)))
}

/** Wishes for more, which as a question or an order are simply what is asked next. */
const FURTHER: ReadonlySet<WishId> = new Set(['detail', 'example', 'sources'])

const REJECTIONS = new RegExp(REJECTION, 'gu')

/** "Not what I asked for" says nothing of what was asked for. */
const DENIED =
  /(?<!\p{L})(?:not|\p{L}+n't|nicht|no|pas|niet|nao|nie)(?!\p{L})[^,.;]{0,20},? (?:what|was|lo que|ce que|wat|que|co) [^,.;:!?]{1,60}/gu

/** Right before `too`, these say that it is not too much. */
const NEGATED =
  /(?<!\p{L})(?:not|nothing|never|none|\p{L}+n't|nichts?|nie|no|nada|pas|rien|niets?|nao|nic)(?: so| that| all)? $/u

function turnsAway({ said, question, novel }: Clause, found: Findings): boolean {
  const turn = NEW_TOPIC.exec(said)
  if (found.rejected || turn === null) return false
  if (FIRST_PERSON.test(said.slice(turn[0].length).trim())) return true
  if (novel <= 1 && (ORDER.test(said) || CONTRAST.test(said))) return false
  return found.praised || found.thanked || question || novel > 2
}

/** Before anything was said of the reply, a question of things that nobody has spoken of is the next request. */
function asksAnew({ said, question, disliked, novel, shared }: Clause, found: Findings): boolean {
  if (!question || disliked || THANKS.test(said) || found.rejected || found.praised || found.thanked) return false
  return shared === 0 && novel >= (OWN.test(said) ? 1 : 2)
}

/** Whether a part of a clause says what is too much or missing, and not of something else. */
function faults(part: string, told: ReadonlySet<string>): boolean {
  if (FIRST_PERSON.test(part) || POSSESSIVE.test(part)) return false
  return [TOO, OMITTED].some((marker) => {
    const at = part.search(marker)
    const before = part.slice(0, at)
    return at >= 0 && !NEGATED.test(before) && !elsewhere(before, told)
  })
}

/** A bare number, or a name or number that `it is`, where the reply has another. */
function contradicts({ sentence, said, reply }: Clause): boolean {
  const unsaid = (name: string) => !reply.includes(name.replace(/[.,:!]+$/, ''))
  if (/^[\d.,:]+%?$/.test(said)) return /\d/.test(reply) && unsaid(said)
  return split(sentence).some((part) => {
    const named = REJECTION.test(fold(part)) ? null : CONTRARY.exec(fold(part))
    const names = (named && part.slice(named.index).match(/(?<=\s)(?:\p{Lu}\p{L}+|\d[\d.,:]*)/gu)) ?? []
    return part.split(' ').length <= 6 && names.some(unsaid)
  })
}

/** What stands beside the complaint in a sentence. */
function beside(sentence: string): string {
  const kept = split(sentence).filter((part) => !REJECTION.test(fold(part)) && !FIRST_PERSON.test(fold(part)))
  return kept.join(', ')
}

/** Beside a complaint, words that name something of the request or the reply say what is meant. */
function concrete(part: string, told: ReadonlySet<string>): boolean {
  const words = contentWords(part)
  return /\d/.test(part) || (words.size >= 2 && (containment(words, told) > 0 || COMMAND.test(fold(part))))
}

/** A wish about the form of replies, which even a refusal may heed; not one that would wear refusals down. */
function asksForForm(words: string): boolean {
  const wishes = findWishes(words)
  return wishes.length > 0 && !wishes.some(({ id }) => DEFIANT.has(id))
}

const DEFIANT: ReadonlySet<string> = new Set(['answer-only', 'code-only', 'no-hedging', 'no-apology'])

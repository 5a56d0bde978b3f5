import { AGAIN, COMMAND, FIRST_PERSON, isQuestion, NEGATOR } from './lexicon.ts'
import { containment, contentWords, fold } from './text.ts'

/** Speaks of a matter, not of what is wanted. */
const REMARK = /^(?:that|it|this|they|these|those)(?:'s|'re| is| was| are| were| sounds?| looks?)(?![\p{L}\p{N}])/u

/** Asks for something, in a question or an order, or says so. Of short requests nothing else is known. */
const ASKED =
  /[?？]|^(?!(?:i|my|we|that|it|yes|no|ok(?:ay)?|hi|hello|thanks?)(?![\p{L}]))|(?:need|want|looking|find|please|would like|i'd like|can you|could you)/u

/** What somebody says of themselves repeats a request only where it says what they want. */
const WANTS = /(?<!\p{L})(?:need|want|would like|i'd like|looking for|prefer|ask\w*|meant?|said|told)(?!\p{L})/u

/** What a request said, and what the reply to it was. */
export interface Exchange {
  readonly request: string
  readonly reply: string
}

export interface Repeat {
  /** All of the request and nothing else: asked again, so the words say nothing new. */
  readonly whole: boolean
  /** The words, where they say which part the reply passed over. */
  readonly wish: string | null
}

/** The request once more, whole or the part of it that the reply passed over; null when it is neither. */
export function readRepeat(text: string, { request, reply }: Exchange): Repeat | null {
  const folded = fold(text)
  const said = contentWords(text)
  const asked = contentWords(request)
  const again = containment(said, asked)
  const novel = [...said].filter((word) => !asked.has(word)).length
  const negated = NEGATOR.test(folded)
  const adds = negated || novel >= 2
  if (insists(text, request)) return { whole: false, wish: adds ? text : null }
  if (said.size >= 2 && again >= (asked.size < 2 ? 1 : 0.5) && containment(asked, said) >= 0.8 && !negated)
    return { whole: true, wish: null }
  if (AGAIN.test(folded) && again > 0) return { whole: false, wish: adds ? text : null }
  // A remark on what somebody told is no request, even in the same words.
  if (REMARK.test(folded) || (FIRST_PERSON.test(folded) && !WANTS.test(folded)) || !ASKED.test(fold(request)))
    return null
  const answered = contentWords(reply)
  const passed = [...said].some((word) => asked.has(word) && !answered.has(word))
  const question = isQuestion(folded)
  const fragment = said.size <= 3 && again === 1 && passed
  // An order with a word exchanged is the next order.
  const least = question ? 0.67 : COMMAND.test(folded) && !FIRST_PERSON.test(folded) ? 1 : 0.5
  const part =
    said.size >= (question ? 3 : 2) && ((again >= least && passed) || (!question && again >= Math.max(least, 0.75)))
  if (!fragment && !part) return null
  return { whole: false, wish: question && novel === 0 ? null : text }
}

/** A word of the request once more, now in capitals. */
export function insists(text: string, request: string): boolean {
  const shouted = text.match(/\p{Lu}{3,}/gu) ?? []
  const asked = new Set(request.match(/\p{L}+/gu) ?? [])
  return shouted.some((word) => !asked.has(word) && asked.has(word.toLowerCase()))
}

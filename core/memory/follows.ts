import { type CatalogueHint, HINTS, type WishId } from '../../config/hints.ts'
import type { KeptNote } from './notes.ts'

/** Whether a reply does what a wish asks for. `named` is what the wish names: a number of words, a person. */
type Check = (reply: string, named: string) => boolean

const words = (text: string) => text.match(/[\p{L}\p{N}'’]+/gu)?.length ?? 0
const parts = (text: string, between: RegExp) => text.split(between).filter((part) => part.trim() !== '').length
const lines = (text: string, marker: RegExp) => text.split('\n').filter((line) => marker.test(line)).length
const emoji = (text: string) => text.match(/\p{Extended_Pictographic}/gu)?.length ?? 0

const CHECKS: Partial<Readonly<Record<WishId, Check>>> = {
  'one-sentence': (reply) => parts(reply, /(?<=[.!?])\s+/) === 1,
  'answer-only': (reply) => words(reply) <= 10,
  detail: (reply) => parts(reply, /\n\s*\n/) >= 3,
  'word-limit': (reply, limit) => words(reply) <= Number(limit),
  short: (reply) => words(reply) <= 30,
  steps: (reply) => lines(reply, /^\s*\d+[.)] /) >= 2,
  table: (reply) => lines(reply, /^\s*\|.*\|\s*$/) >= 3,
  prose: (reply) => lines(reply, /^\s*(?:[-*•#|]|\d+[.)]) ?/) === 0,
  bullets: (reply) => lines(reply, /^\s*[-*•] /) >= 2,
  'code-only': (reply) => /^```[^`]*```$/.test(reply.trim()),
  warm: (reply) => /^hi there\b/i.test(reply.trim()),
  greeting: (reply) => /^hi\b/i.test(reply.trim()),
  'no-greeting': (reply) => !/^(?:hi|hello|hey|dear|sure|certainly|of course|great question)\b/i.test(reply.trim()),
  'no-emoji': (reply) => emoji(reply) === 0,
  emoji: (reply) => emoji(reply) === 1,
  'no-question': (reply) => !reply.trim().endsWith('?'),
  question: (reply) => reply.trim().endsWith('?') && parts(reply, /\?/) <= 2,
  'no-sources': (reply) => !/https?:|www\./i.test(reply),
  'no-apology': (reply) => !/\b(?:sorry|apologi[sz]e|apologies)\b/i.test(reply),
  name: (reply, name) => reply.includes(name),
}

/**
 * Whether a reply does what a note says, for notes that say one thing that can be counted; null for all others. An empty
 * reply does nothing of what it should.
 */
export function measure({ wish, text }: Pick<KeptNote, 'wish' | 'text'>): ((reply: string) => boolean) | null {
  const hints: Readonly<Record<string, CatalogueHint>> = HINTS
  const checks: Readonly<Record<string, Check>> = CHECKS
  const sentence = hints[wish ?? '']?.hint
  const check = checks[wish ?? '']
  if (sentence === undefined || check === undefined) return null
  const [before = '', after = ''] = sentence.split('$1')
  const whole = sentence.includes('$1') ? text.startsWith(before) && text.endsWith(after) : text === sentence
  if (!whole) return null
  const named = text.slice(before.length, text.length - after.length)
  return (reply) => reply.trim() !== '' && check(reply, named)
}

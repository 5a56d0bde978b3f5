import type { Hint, Score, Verdict } from '../types.ts'
import { disarm } from './guard.ts'
import { HINT_LIMIT, hintFrom, UNFIT } from './hint.ts'
import type { Evidence, Said } from './judge.ts'
import { refuses } from './move.ts'
import type { Ballot } from './prompt.ts'
import type { Exchange } from './repeat.ts'
import { clean, containment, contentWords, fold, sentences } from './text.ts'

/** What could stand for a role, a fence or a format. */
const MARKUP = /[<>{}[\]|`\\\n]/

/** What the votes of a language model come to: plurality, a tie is 0. The weight says how far they agree. */
export function elect(
  ballots: readonly Ballot[],
  evidence: Evidence,
  said: readonly Said[],
): Omit<Verdict, 'judge' | 'latencyMs'> {
  const votes = ballots.map((ballot) => ballot.score)
  const counts = ([-1, 0, 1] as const).map((score) => [score, votes.filter((vote) => vote === score).length] as const)
  const most = Math.max(...counts.map(([, count]) => count))
  const [first, ...tied] = counts.filter(([, count]) => count === most)
  const elected: Score = first === undefined || tied.length > 0 ? 0 : first[0]
  // Whether it declined rightly nobody can be asked; what is learned from such complaints wears refusals down.
  const score = elected === -1 && refuses(evidence.reply) ? 0 : elected
  const basis = score === elected ? `llm:${most}/${ballots.length}` : 'refusal'
  const hint = score === -1 ? agreedHint(said, ballots, evidence) : null
  return { score, weight: score === 0 ? 0 : most / ballots.length, basis, hint, votes }
}

/**
 * The hint of votes that found the reply wanting, where most of them name one: the catalogue's sentence for what the
 * people said or for what most votes make of it, else a vote's sentence as far as it holds to their words, else those
 * words. Null where someone spoke to the judge.
 */
function agreedHint(said: readonly Said[], ballots: readonly Ballot[], evidence: Exchange): Hint | null {
  const hints = ballots.flatMap(({ score, hint }) => (score === -1 && hint !== null ? [hint] : []))
  if (hints.length * 2 <= ballots.length || said.some(({ attacked }) => attacked)) return null
  const words = said.map(({ text }) => text).join('\n')
  const own = hintFrom(words)
  if (own !== null && own.wish !== null) return own
  const named = hints.map((hint) => hintFrom(clean(hint))).filter((hint) => hint !== null)
  const wish = named.find((hint) => named.filter((other) => other.wish === hint.wish).length * 2 > ballots.length)
  if (wish !== undefined && wish.wish !== null) return wish
  const text = hints.map((hint) => worded(hint, words, evidence)).find((sentence) => sentence !== null)
  return text === undefined ? own : { text, wish: null }
}

/** A model's sentence, where it is one, fit for a prompt, and made of what was said; else null. */
function worded(hint: string, words: string, { request, reply }: Exchange): string | null {
  const text = clean(hint)
  const [sentence, ...more] = sentences(text)
  if (sentence === undefined || more.length > 0 || sentence.length >= HINT_LIMIT) return null
  if (UNFIT.test(fold(sentence)) || MARKUP.test(sentence) || disarm(sentence, `${request}\n${reply}`).attacked)
    return null
  const own = contentWords(sentence)
  if (containment(own, contentWords(words)) === 0) return null
  if (containment(own, contentWords(`${words}\n${request}\n${reply}`)) < 0.5) return null
  return `${sentence.replace(/[\s.。!]+$/, '')}.`
}

import { random } from '../../core/policy/sampling.ts'
import { QUESTIONS } from './questions.ts'
import type { Wish } from './wishes.ts'

/** One message of the person, the reply it got, and what they made of it. */
export interface Exchange {
  /** `correction`: it asks for the same thing again, differently. */
  readonly kind: 'question' | 'correction'
  readonly question: number
  /** The question that began its conversation. */
  readonly conversation: number
  readonly reply: string
  /** Empty or repeating itself: nobody likes that, whatever the wish. */
  readonly degenerate: boolean
  /** The thumb they gave, if any. */
  readonly reaction: '+' | '-' | null
}

export type Act =
  | ({ readonly type: 'say'; readonly text: string } & Pick<Exchange, 'kind' | 'question' | 'conversation'>)
  | { readonly type: 'react'; readonly emoji: '+' | '-' }
  | { readonly type: 'leave' }

/** Who a simulated person is. */
export interface Persona {
  readonly wish: Wish
  readonly seed: number
  /** Where in the list of questions they begin. */
  readonly first: number
}

export function questionOf({ first }: Pick<Persona, 'first'>, question: number): string {
  return QUESTIONS[(first + question) % QUESTIONS.length]!
}

/** Whether the person got what they want. */
export function satisfied(persona: Persona, { question, reply, degenerate }: Exchange): boolean {
  return !degenerate && persona.wish.check(questionOf(persona, question), reply)
}

/**
 * What the simulated person does next. Nothing but the seed and what happened so far decides, so a person whose
 * program was killed goes on as if nothing had happened.
 */
export function nextAct(persona: Persona, exchanges: readonly Exchange[], replies: number): Act {
  const { wish, seed } = persona
  const ask = (question: number, conversation: number, praise?: string): Act => {
    const words = questionOf(persona, question)
    const text = praise === undefined ? words : `${praise} ${words}`
    return { type: 'say', kind: 'question', question, conversation, text }
  }
  const last = exchanges.at(-1)
  if (last === undefined) return ask(0, 0)
  // A draw for each exchange: whether words or a thumb, and which words.
  const uniform = random(seed * 7919 + exchanges.length)
  const [mood, choice] = [uniform(), uniform()]
  const one = (texts: readonly string[]) => texts[Math.floor(choice * texts.length)]!
  const ended = exchanges.length >= replies
  if (last.reaction === null) {
    if (satisfied(persona, last)) {
      // Praise in words opens the next message, as people do it.
      const next = last.question + 1
      if (mood < 0.1 && !ended && next < QUESTIONS.length) return ask(next, last.conversation, one(wish.praise))
      return { type: 'react', emoji: '+' }
    }
    const patience = exchanges.filter((exchange) => exchange.kind === 'correction').length
    const speaks = last.kind === 'question' && (patience < 3 || mood < 0.5)
    const { question, conversation } = last
    if (speaks && !ended) {
      return { type: 'say', kind: 'correction', question, conversation, text: one(wish.corrections) }
    }
    return { type: 'react', emoji: '-' }
  }
  const next = last.question + 1
  return ended || next >= QUESTIONS.length ? { type: 'leave' } : ask(next, next)
}

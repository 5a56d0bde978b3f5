import { lasts } from '../judge/hint.ts'
import type { Evidence } from '../judge/judge.ts'
import type { Turn, Verdict } from '../types.ts'

/**
 * Whether a message says nothing but how the last reply should have been: every sentence of it is a complaint or a
 * wish, and at least one is a wish. Pure, as the judge is.
 */
export function onlyCorrects(
  judge: (evidence: Evidence) => Verdict,
  turn: Turn,
  person: string,
  text: string,
): boolean {
  const read = (content: string) =>
    judge({
      request: turn.request.at(-1)?.content ?? '',
      reply: turn.text,
      asker: turn.person,
      signals: [{ id: turn.id, turn: turn.id, type: 'message', person, content, at: 0 }],
    })
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '')
  const { hint } = read(text)
  return hint !== null && lasts(hint) && sentences.every((sentence) => read(sentence).score === -1)
}

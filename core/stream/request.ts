import { withNotes } from '../memory/notes.ts'
import type { Prompter } from '../samples/sample.ts'
import type { ChatMessage } from '../types.ts'

export interface Request {
  /** The conversation as the reply knows it, without notes. */
  readonly messages: readonly ChatMessage[]
  /** The prompt as it is served, notes included. */
  readonly promptIds: readonly number[]
}

/**
 * The system prompt, where there is one, and the longest end of the conversation with which the prompt has at most
 * `budget` tokens, beginning with a user message and ending with the question. Null when the question alone is too long.
 */
export function buildRequest(
  system: string | null,
  conversation: readonly ChatMessage[],
  notes: readonly string[],
  budget: number,
  prompter: Prompter,
): Request | null {
  const starts = conversation.flatMap((message, at) => (message.role === 'user' ? [at] : []))
  const lead: readonly ChatMessage[] = system === null ? [] : [{ role: 'system', content: system }]
  let fitting: Request | null = null
  // The prompt only grows with an earlier start: the earliest that fits is found by halving.
  let low = 0
  let high = starts.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const messages = [...lead, ...conversation.slice(starts[middle])]
    const promptIds = prompter.prompt(withNotes(messages, notes))
    if (promptIds.length <= budget) {
      fitting = { messages, promptIds }
      high = middle - 1
    } else {
      low = middle + 1
    }
  }
  return fitting
}

import type { ChatMessage } from '../types.ts'

/** Why an asking has no answer: a word for logs and people, never what anyone said. */
export type Failure = 'timeout' | 'unreachable' | 'busy' | 'refused' | 'broken' | 'unreadable'

export type Answer =
  | { readonly text: string }
  /** `waitMs`: how long the other side wants to be left alone, if it said so. */
  | { readonly failure: Failure; readonly waitMs: number | null }

/** A language model that can be asked. It never throws. */
export interface Voter {
  /** For verdicts and logs. */
  readonly name: string
  /** Asks the same `count` times. Resolves to `count` answers, in no particular order. */
  ask(messages: readonly ChatMessage[], count: number, signal: AbortSignal): Promise<readonly Answer[]>
}

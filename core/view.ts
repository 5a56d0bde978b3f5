import type { FinishReason, Score, Signal, TurnState } from './types.ts'

/** What a page or a person at a distance may see of the store: plain data, no token ids. */

export interface ConversationView {
  readonly conversation: string
  /** The beginning of its first message; null while it has none. */
  readonly title: string | null
  /** Milliseconds since the epoch. */
  readonly activeAt: number
}

export interface ReactionView {
  readonly emoji: string
  readonly person: string
}

export interface MessageView {
  /** The platform's id; the turn's id for a reply. */
  readonly message: string
  readonly role: 'user' | 'assistant'
  /** Null for the bot. */
  readonly person: string | null
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly edited: boolean
  /** The policy version that wrote it; null for people. */
  readonly version: number | null
  readonly reactions: readonly ReactionView[]
}

export interface VerdictView {
  readonly score: Score
  readonly weight: number
  readonly basis: string
  readonly judge: string
  readonly hint: string | null
}

export interface TurnView {
  readonly turn: string
  readonly conversation: string
  /** The asker. */
  readonly person: string
  readonly asked: string
  readonly text: string
  readonly finish: FinishReason
  /** The policy version that wrote it. */
  readonly version: number
  readonly state: TurnState
  readonly at: number
  readonly signals: readonly Pick<Signal, 'type' | 'person' | 'content'>[]
  /** Null until the judge has spoken. */
  readonly verdict: VerdictView | null
  /** `waiting` for the trainer, the version that learned from it, or nothing to learn. */
  readonly lesson: 'waiting' | number | null
}

export interface VersionView {
  readonly version: number
  readonly parent: number
  readonly state: 'served' | 'rejected'
  readonly reason: string | null
  /** Samples it learned from; 0 for a rehearsal. */
  readonly lessons: number
  readonly at: number
}

export interface PersonView {
  readonly person: string
  readonly name: string
}

/** One workspace at a glance. */
export interface WorkspaceView {
  readonly workspace: string
  readonly learning: boolean
  readonly method: string | null
  /** The version that new replies use; 0 is the base. */
  readonly serving: number
  /** Samples that wait for the trainer. */
  readonly waiting: number
  readonly people: readonly PersonView[]
  /** Newest first. */
  readonly turns: readonly TurnView[]
  /** Newest first. */
  readonly versions: readonly VersionView[]
}

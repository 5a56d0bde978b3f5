/** The project's words (docs/architecture.md, "Words"). One word for one thing, in code, tables, logs and docs. */

/** Names the tenant. Nothing crosses it. */
export interface WorkspaceRef {
  readonly platform: string
  readonly workspace: string
}

/** Whose weights: the workspace's shared ones, or (`scope`) one person's own on top of the same base. */
export interface PolicyRef extends WorkspaceRef {
  readonly scope?: string
}

/** Who did something. Only humans' next states are signals. */
export interface Person {
  readonly id: string
  readonly name?: string
  readonly kind: 'human' | 'bot' | 'self'
}

interface EventBase extends WorkspaceRef {
  /** Unique within (platform, workspace): a redelivery carries the same id. */
  readonly id: string
  readonly conversation: string
  /** Where the conversation is held, when several may be: an admin says for each channel when the bot speaks there. */
  readonly channel?: string
  /** The bot was not addressed: neither a direct message nor a mention nor about a message of its own, as far as seen. */
  readonly overheard?: true
  readonly person: Person
  /** Milliseconds since the epoch, by the platform's clock. */
  readonly at: number
}

/** One thing that happened on a platform, normalised by its adapter. Message ids are unique within (platform, workspace). */
export type Event = EventBase &
  (
    | {
        readonly type: 'message'
        readonly message: string
        readonly text: string
        /** The message that it quotes or answers explicitly. */
        readonly replyTo?: string
        /** Names of attachments, which the bot does not read and says so. */
        readonly unread?: readonly string[]
        /** The rest of it may come as edits, for so many milliseconds: it is answered after that. */
        readonly restMs?: number
      }
    | { readonly type: 'edit'; readonly message: string; readonly text: string }
    | { readonly type: 'deletion'; readonly message: string }
    | { readonly type: 'reaction'; readonly message: string; readonly emoji: string }
    | { readonly type: 'reaction_removed'; readonly message: string; readonly emoji: string }
    /** A thumb under a reply; null takes back what the person pressed before. */
    | { readonly type: 'button'; readonly message: string; readonly value: 'up' | 'down' | null }
    /** All reactions on a message were taken off, or all of one emoji. */
    | { readonly type: 'reactions_cleared'; readonly message: string; readonly emoji: string | null }
    /** Words about a reply that want no reply: the answer to "What should it have been?" */
    | { readonly type: 'correction'; readonly message: string; readonly text: string }
    | { readonly type: 'command'; readonly text: string }
    /** The bot was let into the workspace, or into a channel of it. */
    | { readonly type: 'joined' }
    /** The bot was taken out of the workspace: everything of it goes. */
    | { readonly type: 'left' }
    /** The workspace goes on under another name; where `from` is there, only that channel of it does. */
    | { readonly type: 'moved'; readonly to: string; readonly from?: string }
  )

export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface SamplingParameters {
  /** 0 is greedy. */
  readonly temperature: number
  readonly topP: number
  readonly maxTokens: number
  readonly seed: number
}

export type FinishReason = 'stop' | 'length' | 'aborted'

/**
 * `open`: the reply is out. `closed`: evidence has arrived and waits for the judge. `judged`: a verdict stands.
 * `sampled`: its sample waits for the trainer. `trained`: a version has learned from it.
 * `amended`: a later signal changed a verdict that was already trained.
 */
export type TurnState = 'open' | 'closed' | 'judged' | 'sampled' | 'trained' | 'amended'

/** A memory note as it stood in a prompt. */
export interface Note {
  readonly id: string
  readonly text: string
}

/** One reply of the bot, with all that is needed to learn from it later. */
export interface Turn extends WorkspaceRef {
  readonly id: string
  readonly conversation: string
  /** The asker. */
  readonly person: string
  readonly kind: 'main' | 'side'
  readonly state: TurnState
  /** The request without notes: what the training prompt is rendered from. */
  readonly request: readonly ChatMessage[]
  /** The notes that stood at the end of the last user message when the reply was made. */
  readonly notes: readonly Note[]
  /** Token ids of the prompt as it was served, notes included. */
  readonly promptIds: readonly number[]
  readonly responseIds: readonly number[]
  /** Log-probability of each response token under the served prompt at temperature 1. [response] */
  readonly logprobs: Float32Array
  readonly text: string
  /** 0 is the base. */
  readonly policyVersion: number
  readonly sampling: SamplingParameters
  readonly finish: FinishReason
  readonly createdAt: number
}

/** One piece of next-state evidence for one turn. */
export interface Signal {
  readonly id: string
  readonly turn: string
  readonly type: 'reaction' | 'message' | 'edit'
  /** Who gave it. */
  readonly person: string
  /** The emoji of a reaction, the words of a message or edit. */
  readonly content: string
  readonly at: number
}

/** One imperative sentence: what the reply should have done instead. */
export interface Hint {
  readonly text: string
  /** The catalogue's wish that the words were recognised as (config/hints.ts), or null for the person's own words. */
  readonly wish: string | null
}

export type Score = -1 | 0 | 1

/** What the judge makes of all signals of a turn. */
export interface Verdict {
  readonly score: Score
  /** 0..1: how much the sample counts. */
  readonly weight: number
  readonly hint: Hint | null
  /** What decided, for `/claw why`: `reaction:👍`, `rule:thanks`, `rule:correction`, `llm:2/3`, `abstain`. */
  readonly basis: string
  /** Judge version, so that verdicts of different judges are never mixed up. */
  readonly judge: string
  /** What each asking of a language model came to; absent where none was asked. */
  readonly votes?: readonly Score[]
  /** How long it took to ask, in milliseconds. */
  readonly latencyMs?: number
}

/** A turn ready to train: plain token ids, no platform, no names. */
export interface Sample {
  readonly id: string
  readonly turn: string
  /** Training prompt: the request without any note. */
  readonly promptIds: readonly number[]
  readonly responseIds: readonly number[]
  /** Behaviour log-probabilities, under the prompt that was served. [response] */
  readonly logprobs: Float32Array
  /** The teacher's prompt: the request with every active note and the hint at its end; null when there is neither. */
  readonly teacherPromptIds: readonly number[] | null
  readonly reward: Score
  readonly weight: number
  /** Reward × weight that a version has learned of this turn before, from a verdict that no longer stands; else 0. */
  readonly learned: number
}

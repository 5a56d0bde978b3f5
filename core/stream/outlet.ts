import type { WorkspaceRef } from '../types.ts'

export interface ConversationRef extends WorkspaceRef {
  readonly conversation: string
}

/**
 * What of a reply has been handed to its platform, in the store. A part is one message. Its id is null from before it
 * is handed over until the platform has answered: where the program died or the answer was lost in between, nobody
 * knows whether it was shown, and it is not sent again unless the platform can tell the second from the first. It is
 * undefined where the platform has refused it.
 */
export interface Delivery {
  readonly parts: readonly (string | null | undefined)[]
  /** Resolves when it is durable that the part is about to be handed over. */
  sending(part: number): Promise<void>
  /** Resolves when it is durable that a message carries the part. */
  sent(part: number, message: string): Promise<void>
  /** Resolves when it is durable that the platform has refused the part, so that it may be handed over again. */
  refused(part: number): Promise<void>
}

/** The question that a reply answers. */
export interface ReplyTo extends ConversationRef {
  /** Stable over restarts. */
  readonly turn: string
  /** The message that asked. */
  readonly message: string
  /** The asker. */
  readonly person: string
  readonly delivery: Delivery
}

/** A reply while it is being written. */
export interface ReplyStream {
  /** Aborts when a person no longer wants it; what was written until then is the reply. */
  readonly stopped?: AbortSignal
  /** Shows more of the reply. May be dropped or merged by the platform; `finish` always has the whole text. */
  write(text: string): void
  /** Delivers the final text and returns the ids of the messages that carry it, in order. */
  finish(text: string): Promise<readonly string[]>
  /** The reply will not come (it failed or was aborted); `notice` is one line for the person. */
  fail(notice: string): Promise<void>
}

/** Something that is said and is not a reply: a command's answer, "learned …", "version 3 is live". */
export interface Notice {
  readonly text: string
  /** The person it is for, where the platform can keep it from the others. */
  readonly only?: string
  /** The id of the command's event that it answers. */
  readonly command?: string
}

/** A question to one person about a reply. What they say comes as a `correction`. */
export interface Question {
  readonly person: string
  /** The message that carries the reply. */
  readonly message: string
  readonly text: string
}

/** How the connection to a platform stands. */
export interface Health {
  /**
   * `refused`: the platform will not have it, and trying again does not help; `detail` says what does. `standby`: another
   * process of the same bot is connected, and serves its conversations.
   */
  readonly state: 'connected' | 'connecting' | 'refused' | 'standby'
  /** Milliseconds since the epoch. */
  readonly since: number
  /** One line for the operator; null where there is nothing to say. */
  readonly detail: string | null
}

/** What the core needs from a platform: the outgoing half of an adapter. */
export interface Outlet {
  readonly platform: string
  reply(to: ReplyTo): ReplyStream
  notify(to: ConversationRef, notice: Notice): Promise<void>
  /** Says something where others are so that only one of them sees it, or nobody; absent where the platform cannot. */
  whisper?(to: ConversationRef, person: string, text: string): Promise<void>
  /** Asks one person, so that nobody else sees it; absent where the platform cannot. */
  ask?(to: ConversationRef, question: Question): Promise<void>
  /** Hands a file to one person; absent where the platform cannot, and the file is written to the data folder. */
  sendFile?(to: ConversationRef, person: string, file: { readonly name: string; readonly text: string }): Promise<void>
  isAdmin(workspace: string, person: string): Promise<boolean>
  /** Absent where there is no connection that could break. */
  health?(): Health
}

import type { WorkspaceRef } from '../types.ts'

export interface ConversationRef extends WorkspaceRef {
  readonly conversation: string
}

/** A reply while it is being written. */
export interface ReplyStream {
  /** Shows more of the reply. May be dropped or merged by the platform; `finish` always has the whole text. */
  write(text: string): void
  /** Delivers the final text and returns the ids of the messages that carry it, in order. */
  finish(text: string): Promise<readonly string[]>
  /** The reply will not come (it failed or was aborted); `notice` is one line for the person. */
  fail(notice: string): Promise<void>
}

/** What the core needs from a platform: the outgoing half of an adapter. */
export interface Outlet {
  readonly platform: string
  /** Opens the reply to a turn. `turn` is stable over restarts. */
  reply(to: ConversationRef, turn: string): ReplyStream
  /**
   * Says something that is not a reply: a command's answer, "learned …", "version 3 is live". `only`: the person it is
   * for, where the platform can keep it from the others.
   */
  notify(to: ConversationRef, text: string, only?: string): Promise<void>
  /** Hands a file to one person; absent where the platform cannot, and the file is written to the data folder. */
  sendFile?(to: ConversationRef, person: string, file: { readonly name: string; readonly text: string }): Promise<void>
  isAdmin(workspace: string, person: string): Promise<boolean>
}

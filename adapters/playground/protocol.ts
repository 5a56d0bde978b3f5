import type { ConversationView, MessageView, TurnView, WorkspaceView } from '../../core/view.ts'

/** What page, terminal and demo exchange with the playground. Types only: the page is compiled without Node's. */

/** A person who does something here. Several may share one page. */
export interface Someone {
  readonly id: string
  readonly name: string
}

/**
 * What a client tells. Ids are the client's own, unique within the workspace: saying the same thing again under the
 * same id changes nothing, so a client that is unsure just repeats.
 */
export type Said = {
  readonly id: string
  readonly conversation: string
  readonly person: Someone
} & (
  | { readonly type: 'message'; readonly message: string; readonly text: string; readonly replyTo?: string }
  | { readonly type: 'edit'; readonly message: string; readonly text: string }
  | { readonly type: 'deletion'; readonly message: string }
  | { readonly type: 'reaction' | 'reaction_removed'; readonly message: string; readonly emoji: string }
  | { readonly type: 'command'; readonly text: string }
)

/** What a client hears. The id of a reply's message is its turn's. */
export type Update =
  | {
      readonly type: 'message'
      readonly conversation: string
      readonly message: string
      readonly person: Someone
      readonly text: string
      /** Milliseconds since the epoch. */
      readonly at: number
    }
  | { readonly type: 'edit'; readonly conversation: string; readonly message: string; readonly text: string }
  | { readonly type: 'deletion'; readonly conversation: string; readonly message: string }
  | {
      readonly type: 'reaction'
      readonly conversation: string
      readonly message: string
      readonly person: Someone
      readonly emoji: string
      readonly on: boolean
    }
  /** The reply grows: `text` belongs at character `from`. The first one is empty: the bot begins. */
  | {
      readonly type: 'writing'
      readonly conversation: string
      readonly turn: string
      readonly from: number
      readonly text: string
    }
  /** The reply is whole. */
  | { readonly type: 'reply'; readonly conversation: string; readonly turn: string; readonly text: string }
  /** It will not come. */
  | { readonly type: 'failed'; readonly conversation: string; readonly turn: string; readonly text: string }
  /** News that is no reply: a command's answer, "learned …", "version 3 is live". */
  | {
      readonly type: 'notice'
      readonly conversation: string
      readonly text: string
      /** The one person whom it is for; null is everyone. */
      readonly only: string | null
    }
  /** Signals, verdicts, samples, versions or the trainer's state changed. */
  | { readonly type: 'learning' }
  /** Updates may be missing: what is on the screen must be read again. */
  | { readonly type: 'reset' }

/** What the trainer is at. */
export interface Training {
  readonly state: 'idle' | 'lessons' | 'rehearsal'
  /** Since when, in milliseconds since the epoch. */
  readonly since: number
}

/** The live panel. */
export interface Panel extends WorkspaceView {
  readonly model: string
  readonly training: Training
  /** Lessons that make a batch. */
  readonly batch: number
}

/** A conversation as it stands; a thread's key is the message it hangs on. */
export interface History {
  readonly messages: readonly (MessageView & { readonly thread: number })[]
}

/** A conversation with the playground, in the same process or over HTTP. */
export interface Client {
  readonly workspace: string
  /** Resolves when it is durable. */
  tell(said: Said): Promise<void>
  /** Hears every update from now on, in order; returns how to stop. */
  listen(hear: (update: Update) => void): () => void
  /** A reply with what was said about it; null while it does not exist. */
  turn(id: string): Promise<TurnView | null>
  panel(): Promise<Panel>
  conversations(): Promise<readonly ConversationView[]>
  history(conversation: string): Promise<History>
  /** Resolves when every event is handled and no lesson or rehearsal is due; `flush`: not even a batch that is not full. */
  settle(flush: boolean): Promise<void>
  close(): void
}

import type { ConversationRef, Health, Outlet, ReplyTo } from '../core/stream/outlet.ts'
import type { Event } from '../core/types.ts'
import type { Markdown } from './markdown/tree.ts'

export type { Health } from '../core/stream/outlet.ts'

/** Code that speaks to one platform. It knows nothing about models. */
export interface Adapter extends Outlet {
  /** Delivers events until `stop`. `deliver` resolves when the event is durable: only then may it be acknowledged. */
  start(deliver: (event: Event) => Promise<void>): Promise<void>
  stop(): Promise<void>
  health(): Health
}

/** One message of a reply, or a notice. */
export interface Part {
  /** As the model writes it, or a part of that; the platform's own notation is made of it, and none where that is refused. */
  readonly markdown: Markdown
  /** The same for the same part of the same reply, at most 25 characters: what a platform may know a second one by. */
  readonly key: string
  /** Shown under it: thumbs, where the platform has buttons. */
  readonly thumbs?: true
  /** Shown while it is being written, where the platform has a way to stop it. */
  readonly stop?: true
}

/**
 * What a platform can be asked to do, each one call of its API. They throw PLATFORM_REFUSED when it was not done,
 * `RateLimited` when it was not done and may be tried later, and PLATFORM_LOST when nobody knows.
 */
export interface Verbs {
  /** Sends once, and returns the message's id. */
  send(to: ConversationRef, part: Part, answers: string | null): Promise<string>
  edit(to: ConversationRef, message: string, part: Part): Promise<void>
  delete(to: ConversationRef, message: string): Promise<void>
  react(to: ConversationRef, message: string, emoji: string): Promise<void>
  /** Shows that the bot is writing, for some seconds. */
  typing(to: ReplyTo): Promise<void>
  /** Takes the sign of that away again; absent where it goes by itself. */
  typed?(to: ReplyTo): Promise<void>
  /**
   * The id of the message that was sent with this key, or with one that goes on after it and a point; null where there is
   * surely none, undefined where the platform does not tell. Throws PLATFORM_LOST where it failed to answer; absent where
   * it never tells.
   */
  find?(to: ReplyTo, key: string): Promise<string | null | undefined>
  /**
   * The platform takes a part that is sent again with the same key within a minute for the first, where that is still
   * there: then there is one.
   */
  readonly once?: true
  /** Shows what is written so far without sending it; absent where the platform cannot. */
  preview?(to: ReplyTo, markdown: Markdown): Promise<void>
  /** The platform's own streaming of one message; null where this conversation has none. */
  stream?(to: ReplyTo): NativeStream | null
}

/** A message that the platform shows while it is being written: part 0, whose `sending` it records before it shows it. */
export interface NativeStream {
  /** Its id, once something of it is shown. */
  readonly message: string | null
  /** Shows what is written by now, as far as nothing that may come next can change it. */
  append(markdown: string): Promise<void>
  /** Ends it so that the whole is there, also where that is not what was shown with more at its end. */
  stop(whole: Part): Promise<string>
}

/** How replies are written on a platform. */
export interface Manner {
  /** Whether Markdown fits into one message, as the platform counts what becomes of it. */
  fits(markdown: Markdown): boolean
  /** How replies are shown while they are written: as a message that is edited, as a preview, or not at all. */
  progress(to: ConversationRef): 'edits' | 'preview' | 'none'
  /** The least time between two edits or previews in one conversation, in milliseconds. */
  readonly editMs: number
  /** How often `typing` has to be said again, in milliseconds. */
  readonly typingMs: number
  /** Whether replies carry buttons for thumbs here. */
  thumbs(to: ConversationRef): boolean
}

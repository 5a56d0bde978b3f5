import type { Generated } from 'kysely'
import type { Method, Scope, Speak } from '../../config/config.ts'
import type { Event } from '../types.ts'

/** The tables of who says what where. Their types are those of schema.ts. */

/** Text holding JSON of a known shape. The parameter documents it. */
export type Json<T> = string & { readonly shape?: T }
export type Flag = 0 | 1

export interface InWorkspace {
  platform: string
  workspace: string
}

export interface WorkspaceTable extends InWorkspace {
  learning: Flag
  /** Null follows the operator's setting. */
  method: Method | null
  /** Whose weights a lesson changes; null follows the operator's setting. */
  scope: Scope | null
  /** 1: nothing is trained; feedback is kept and waits. */
  paused: Generated<Flag>
  /** What new replies use in the scope `workspace`; 0 is the base. Rolling back moves this and nothing else. */
  serving_version: number
  /** Days that what was said is kept; 0 keeps it, null follows the operator's setting. */
  retention_days: number | null
  /** When its people were told what the bot keeps; null while they were not. */
  welcomed_at: number | null
  created_at: number
}

export interface PersonTable extends InWorkspace {
  person: string
  name: string | null
  /** 1: is answered, and nothing they say is learned from. */
  opted_out: Generated<Flag>
  /** What answers them in the scope `person`; 0 is the base. */
  serving_version: Generated<number>
  /** When they were last asked what a reply should have been. */
  asked_at: number | null
  /** Since when versions may have learned from them by lessons whose words are too old to be kept; null for never. */
  taught_at: number | null
}

/** What a channel's admins have chosen. */
export interface ChannelTable extends InWorkspace {
  channel: string
  speak: Speak
}

/** A workspace that goes on under another name: what still comes for the old one is the new one's. */
export interface MoveTable extends InWorkspace {
  target: string
}

export interface ConversationTable extends InWorkspace {
  conversation: string
  active_at: number
  /** The message that a thread hangs on. */
  root: string | null
  /** Where it is held, when others may read it too; null where a person talks with the bot alone. */
  channel: string | null
}

/** `answering`: what the event does is done and its answer recorded, but the person may not have seen it yet. */
export type InboxState = 'received' | 'answering' | 'handled'

export interface InboxTable extends InWorkspace {
  /** Order of arrival. */
  seq: Generated<number>
  event: string
  conversation: string
  type: Event['type']
  message: string | null
  /** Empty once handled. */
  body: Json<Event>
  state: InboxState
  answer: string | null
  /** Why a reply failed. Text for a person, never user text. */
  error: string | null
  received_at: number
}

/** What a conversation's next prompt remembers. */
export interface MessageTable extends InWorkspace {
  conversation: string
  /** The platform's id; the turn's id for the bot's own messages. */
  message: string
  role: 'user' | 'assistant'
  person: string | null
  /** Null once deleted. */
  text: string | null
  /** The inbox sequence number of the message it is or answers; null while only an edit or deletion of it has arrived. */
  position: number | null
  edited_at: number | null
  /** The id of the event that changed it last. */
  edit: string | null
}

export interface OutboundTable extends InWorkspace {
  turn: string
  chunk: number
  conversation: string
  /** Null while pending. */
  message: string | null
  state: 'pending' | 'sent'
}

/** What of a reply that is under way has been handed to its platform. */
export interface DeliveryTable extends InWorkspace {
  /** The inbox sequence number of the message that it answers. */
  position: number
  part: number
  /** Null from before it is handed over until the platform has answered. */
  message: string | null
  at: number
}

/** What Telegram keeps, in the shapes of its Bot API. Mutable, because people change it. */

export interface User {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly username?: string
}

export interface Entity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
  readonly user?: User
}

export interface Message {
  readonly message_id: number
  readonly date: number
  readonly chat: ChatView
  readonly from?: User
  readonly sender_chat?: ChatView
  text?: string
  entities?: readonly Entity[]
  caption?: string
  edit_date?: number
  reply_to_message?: Message
  message_thread_id?: number
  is_topic_message?: true
  reply_markup?: Markup
  [field: string]: unknown
}

export interface Button {
  readonly text: string
  readonly callback_data?: string | undefined
}

export interface Markup {
  readonly inline_keyboard?: readonly (readonly Button[])[] | undefined
  readonly force_reply?: boolean | undefined
  readonly remove_keyboard?: boolean | undefined
}

export interface ChatView {
  readonly id: number
  readonly type: 'private' | 'group' | 'supergroup'
  readonly title?: string
  readonly first_name?: string
  readonly is_forum?: true
}

/** Standing in a chat. */
export type Status = 'creator' | 'administrator' | 'member' | 'left' | 'kicked'

export type Reaction =
  | { readonly type: 'emoji'; readonly emoji: string }
  | { readonly type: 'custom_emoji'; readonly custom_emoji_id: string }
  | { readonly type: 'paid' }

export interface Chat {
  readonly view: ChatView
  readonly members: Map<number, Status>
  readonly messages: Map<number, Message>
  readonly topics: Set<number>
  /** By message, then by who reacted: a person's id, or a chat's. */
  readonly reactions: Map<number, Map<number, readonly Reaction[]>>
  readonly drafts: Map<number, string>
  nextMessage: number
  migratedTo: number | null
}

export interface Bot {
  readonly user: User
  readonly token: string
  /** Privacy mode is off. */
  readsAll: boolean
  /** Private chats whose person has started it. */
  readonly started: Set<number>
  readonly commands: Map<string, unknown>
}

/** Standings in which somebody takes part. */
export const present = (status: Status | undefined): boolean =>
  status === 'creator' || status === 'administrator' || status === 'member'

/** @mentions and /commands, as Telegram finds them in what people type. */
export function entitiesOf(text: string): Entity[] {
  const found = [...text.matchAll(/(?<!\w)(@\w{3,32}|\/\w{1,32}(?:@\w{3,32})?)/g)]
  return found.map((match) => ({
    type: match[0].startsWith('@') ? 'mention' : 'bot_command',
    offset: match.index,
    length: match[0].length,
  }))
}

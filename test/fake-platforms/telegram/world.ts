import type { UpdateQueue } from './queue.ts'
import { badRequest, Refusal, violation } from './refusal.ts'
import { type Bot, type Chat, type ChatView, entitiesOf, type Message, present, type User } from './state.ts'

/** A bot with its updates. */
export interface Account extends Bot {
  readonly queue: UpdateQueue
}

/** Everything behind the API: people, chats, bots. */
export interface World {
  readonly users: Map<number, User>
  readonly chats: Map<number, Chat>
  readonly accounts: Account[]
  /** Buttons that were pressed, by the query's id; the text of the answer once there is one. */
  readonly queries: Map<string, string | null>
  /** Unix time, in seconds. */
  readonly now: () => number
}

/** What a message has beside the words. */
export type Extras = Readonly<Record<string, unknown>> & { readonly topic?: number; readonly replyTo?: number }

export const ANONYMOUS: User = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' }

export function newChat(view: ChatView): Chat {
  return {
    view,
    members: new Map(),
    messages: new Map(),
    topics: new Set(),
    reactions: new Map(),
    drafts: new Map(),
    nextMessage: 1,
    migratedTo: null,
  }
}

/** The chat that people and tests name. */
export function chatOf(world: World, id: number): Chat {
  const chat = world.chats.get(id)
  if (chat === undefined) throw new Error(`there is no chat ${id}`)
  return chat
}

export function userOf(world: World, id: number): User {
  const user = world.users.get(id)
  if (user === undefined) throw new Error(`there is no user ${id}`)
  return user
}

/** The chat that a bot names, if it may act there. */
export function chatFor(world: World, account: Account, id: number | string): Chat {
  const chat = world.chats.get(Number(id))
  if (chat === undefined) throw violation('chat not found')
  if (chat.migratedTo !== null) {
    const parameters = { migrate_to_chat_id: chat.migratedTo }
    throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', parameters)
  }
  if (chat.view.type === 'private') {
    if (account.started.has(chat.view.id)) return chat
    throw new Refusal(403, "Forbidden: bot can't initiate conversation with a user")
  }
  const status = chat.members.get(account.user.id)
  if (status === 'kicked') throw new Refusal(403, `Forbidden: bot was kicked from the ${chat.view.type} chat`)
  if (!present(status)) throw new Refusal(403, `Forbidden: bot is not a member of the ${chat.view.type} chat`)
  return chat
}

export function messageFor(chat: Chat, id: number, doing: string): Message {
  const message = chat.messages.get(id)
  if (message === undefined) throw badRequest(`message to ${doing} not found`)
  return message
}

/** Puts a message into a chat, without telling anybody. */
export function place(world: World, chat: Chat, content: Extras, sender: Partial<Message>): Message {
  const { topic, replyTo, ...fields } = content
  const answered = replyTo === undefined ? undefined : chat.messages.get(replyTo)
  const message: Message = {
    message_id: chat.nextMessage++,
    date: world.now(),
    chat: chat.view,
    ...sender,
    ...(topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true }),
    ...(answered === undefined ? {} : { reply_to_message: withoutReply(answered) }),
    ...fields,
  }
  // In a topic, what answers nothing answers the topic.
  if (topic !== undefined && answered === undefined) {
    const root = chat.messages.get(topic)
    if (root !== undefined) message.reply_to_message = root
  }
  chat.messages.set(message.message_id, message)
  return message
}

/** A message that is shown within another shows nothing that it answers itself. */
function withoutReply({ reply_to_message: _, ...message }: Message): Message {
  return message
}

export function textOf(text: string): Pick<Message, 'text' | 'entities'> {
  const entities = entitiesOf(text)
  return { text, ...(entities.length === 0 ? {} : { entities }) }
}

/** Tells the bots of a chat. With privacy mode on, a bot hears only what is meant for it. */
export function tell(world: World, chat: Chat, type: string, content: unknown, message: Message | null = null): void {
  for (const account of world.accounts) {
    if (chat.view.type === 'private') {
      if (account.started.has(chat.view.id)) account.queue.push(type, content)
    } else {
      const status = chat.members.get(account.user.id)
      if (!present(status)) continue
      const hears = account.readsAll || status !== 'member'
      if (hears || message === null || isMeant(message, account)) account.queue.push(type, content)
    }
  }
}

function isMeant(message: Message, { user }: Account): boolean {
  const words = message.text ?? message.caption
  if (words === undefined && message.from !== undefined && message.reply_to_message === undefined) {
    return isService(message)
  }
  const name = `@${user.username}`
  const command = /^\/\w+(@\w+)?/.exec(words ?? '')
  if (command !== null && (command[1] === undefined || command[1].toLowerCase() === name.toLowerCase())) return true
  const mentioned = message.entities?.some((entity) => entity.user?.id === user.id)
  const named = (words ?? '').toLowerCase().includes(name.toLowerCase())
  return named || mentioned === true || message.reply_to_message?.from?.id === user.id
}

const isService = (message: Message): boolean =>
  ['migrate_to_chat_id', 'migrate_from_chat_id', 'new_chat_members', 'left_chat_member', 'pinned_message'].some(
    (field) => field in message,
  )

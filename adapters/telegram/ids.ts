import type { Chat, Message } from 'grammy/types'

/** Where something is said: the chat, and the topic in it; the conversation's name is made of both. */
export interface Address {
  readonly chat: number
  readonly topic: number | null
}

/** Topics are conversations of their own. What only answers a message has a thread id as well, and is none. */
export function addressOf(message: Pick<Message, 'chat' | 'message_thread_id' | 'is_topic_message'>): Address {
  const { chat, message_thread_id: thread, is_topic_message: inTopic } = message
  return { chat: chat.id, topic: inTopic === true && thread !== undefined ? thread : null }
}

export const conversationOf = ({ chat, topic }: Address): string => (topic === null ? `${chat}` : `${chat}:${topic}`)

export function readConversation(conversation: string): Address {
  const [chat, topic] = conversation.split(':')
  return { chat: Number(chat), topic: topic === undefined ? null : Number(topic) }
}

/** How a call names a topic. */
export const inTopic = (topic: number | null) => (topic === null ? {} : { message_thread_id: topic })

/**
 * `<chat>:<message>`. Supergroups count their messages themselves; in other chats each bot has numbers of its own, so
 * its id follows: another bot's message 5 is not this one's.
 */
export function messageId(chat: number, message: number, bot: number): string {
  return isSupergroup(chat) ? `${chat}:${message}` : `${chat}:${message}:${bot}`
}

export const readMessageId = (id: string): number => Number(id.split(':')[1])

/** One that may still become a supergroup. */
export const isBasicGroup = (chat: number): boolean => chat < 0 && !isSupergroup(chat)

const isSupergroup = (chat: number): boolean => chat <= -1_000_000_000_000

export const isPrivate = (chat: Chat | number): boolean =>
  typeof chat === 'number' ? chat > 0 : chat.type === 'private'

/** The bot's own id is the part of its token before the colon. */
export const botIdOf = (token: string): number => Number(token.split(':', 1)[0])

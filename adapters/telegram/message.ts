import type { Message, MessageEntity, User } from 'grammy/types'
import type { Person } from '../../core/types.ts'

/** The bot, as Telegram names it. */
export interface Me {
  readonly id: number
  readonly username: string
}

/** Whoever wrote a message: a person, a bot, or a chat that one hides behind. */
export function authorOf({ from, sender_chat: behind }: Pick<Message, 'from' | 'sender_chat'>, me: Me): Person | null {
  if (behind !== undefined) return { id: String(behind.id), name: behind.title ?? 'anonymous', kind: 'human' }
  return from === undefined ? null : personOf(from, me)
}

export function personOf(user: User, me: Me): Person {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return { id: String(user.id), name, kind: user.id === me.id ? 'self' : user.is_bot ? 'bot' : 'human' }
}

const wordsOf = ({ text, caption, entities, caption_entities: captioned }: Message) => ({
  text: text ?? caption ?? '',
  entities: entities ?? captioned ?? [],
})

/** What was said, without the mentions of the bot at its ends, and whether the bot was mentioned anywhere. */
export function saidIn(message: Message, me: Me): { readonly text: string; readonly mentioned: boolean } {
  const { text, entities } = wordsOf(message)
  const mentions = entities.filter((entity) => isMention(entity, text, me))
  let [from, to] = [0, text.length]
  for (const { offset, length } of mentions) {
    if (text.slice(from, offset).trim() === '') from = offset + length
  }
  for (const { offset, length } of mentions.toReversed()) {
    if (offset >= from && text.slice(offset + length, to).trim() === '') to = offset
  }
  // What separated the name from the words goes with it.
  const said = text.slice(from, to)
  return { text: (from === 0 ? said : said.replace(/^[\s,:;]+/, '')).trim(), mentioned: mentions.length > 0 }
}

function isMention(entity: MessageEntity, text: string, me: Me): boolean {
  if (entity.type === 'text_mention') return entity.user.id === me.id
  if (entity.type !== 'mention') return false
  return text.slice(entity.offset, entity.offset + entity.length).toLowerCase() === `@${me.username}`.toLowerCase()
}

/** A command at the very beginning: its name, what follows, and whether it names this bot, another or none. */
export interface SaidCommand {
  readonly name: string
  readonly rest: string
  readonly to: 'me' | 'other' | 'anyone'
}

export function commandIn(message: Message, me: Me): SaidCommand | null {
  // Whoever passes on what another has written commands nothing.
  if (message.forward_origin !== undefined) return null
  const { text, entities } = wordsOf(message)
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (entity === undefined) return null
  const [name = '', whom] = text.slice(1, entity.length).split('@')
  const mine = whom?.toLowerCase() === me.username.toLowerCase()
  const to = whom === undefined ? 'anyone' : mine ? 'me' : 'other'
  return { name: name.toLowerCase(), rest: text.slice(entity.length).trim(), to }
}

/** Kinds of what comes without words, as people call them. */
const KINDS = [
  ['photo', 'photo'],
  ['voice', 'voice message'],
  ['video_note', 'video message'],
  ['live_photo', 'live photo'],
  ['location', 'location'],
  ['contact', 'contact'],
  ['poll', 'poll'],
  ['story', 'story'],
  ['game', 'game'],
  ['checklist', 'checklist'],
  ['paid_media', 'paid media'],
] as const satisfies readonly (readonly [keyof Message, string])[]

/** Names of attachments, or what they are where they have none. */
export function attachmentsOf(message: Message): string[] {
  const { animation, audio, document, sticker, video, venue, dice } = message
  // An animation is a document as well, a venue a location.
  if (animation !== undefined) return [animation.file_name ?? 'animation']
  if (venue !== undefined) return [`location: ${venue.title}`]
  const named = [
    audio && (audio.file_name ?? audio.title ?? 'audio'),
    document && (document.file_name ?? 'file'),
    video && (video.file_name ?? 'video'),
    sticker && (sticker.emoji === undefined ? 'sticker' : `sticker ${sticker.emoji}`),
    dice?.emoji,
  ]
  const kinds = KINDS.filter(([field]) => message[field] !== undefined).map(([, name]) => name)
  return [...named.filter((name) => name !== undefined), ...kinds]
}

/** The message that it answers explicitly. In a topic, what answers nothing answers the message that opened it. */
export function answeredBy(message: Message): Message | null {
  const { reply_to_message: answered, message_thread_id: topic } = message
  if (answered === undefined || answered.forum_topic_created !== undefined) return null
  return message.is_topic_message === true && answered.message_id === topic ? null : (answered as Message)
}

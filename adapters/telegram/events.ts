import type {
  CallbackQuery,
  ChatMember,
  ChatMemberUpdated,
  Message,
  MessageReactionUpdated,
  Update,
} from 'grammy/types'
import { isCommand } from '../../core/commands/parse.ts'
import type { Event, Person } from '../../core/types.ts'
import { type Address, addressOf, conversationOf, isPrivate, messageId } from './ids.ts'
import { menuCommand } from './menu.ts'
import { answeredBy, attachmentsOf, authorOf, commandIn, type Me, personOf, saidIn } from './message.ts'
import { readQuestion } from './question.ts'
import { changes } from './reactions.ts'
import { readThumb } from './thumbs.ts'

export const PLATFORM = 'telegram'

/**
 * What is asked for by name: without it Telegram leaves reactions out. Counts of anonymous reactions name nobody, so they
 * are nobody's votes.
 */
export const UPDATE_TYPES = [
  'message',
  'edited_message',
  'message_reaction',
  'message_reaction_count',
  'my_chat_member',
  'callback_query',
  'stopped_message_generation',
] as const satisfies readonly Exclude<keyof Update, 'update_id'>[]

/** An update, with what was sent together with it: the rest of an album or of a long text. */
export interface Together {
  readonly update: Update
  readonly rest: readonly Message[]
  /** What it belongs to that was delivered already, alone. */
  readonly before?: readonly Message[]
  /** How long more of it may come, in milliseconds. */
  readonly restMs?: number
}

/** Who reads an update. */
export interface Reader {
  readonly me: Me
  /** Checks that a question is the bot's own. */
  readonly sign: (said: string) => string
  /** Milliseconds since the epoch: Telegram does not say when a button was pressed. */
  readonly now: number
}

/** What happened, as events; none where it is nothing to the bot. */
export function eventsOf(unit: Together, reader: Reader): readonly Event[] {
  const { update, rest, before = [], restMs = 0 } = unit
  const { me } = reader
  const id = `${me.id}:${update.update_id}`
  const { message, edited_message: edited, message_reaction: reaction, my_chat_member: member } = update
  if (message !== undefined && before.length > 0) return ofRest(message, before, id, reader)
  if (message !== undefined)
    return ofMessage(message, rest, id, reader).map((event) => unfinished(event, message, restMs))
  if (edited !== undefined) return ofEdit(edited, id, me)
  if (reaction !== undefined) return ofReaction(reaction, id, me)
  if (member !== undefined) return ofMember(member, id, me)
  return update.callback_query === undefined ? [] : ofPress(update.callback_query, id, reader)
}

/** A topic is a channel: people talk there for years about many things, so to be asked there once is no invitation. */
function base(address: Address, person: Person, id: string, seconds: number, addressed: boolean) {
  const conversation = conversationOf(address)
  const shared = isPrivate(address.chat) ? {} : { channel: conversation }
  return {
    platform: PLATFORM,
    workspace: `${address.chat}`,
    conversation,
    ...shared,
    ...(addressed || isPrivate(address.chat) ? {} : { overheard: true as const }),
    id,
    person,
    at: seconds * 1_000,
  }
}

function ofMessage(message: Message, rest: readonly Message[], id: string, { me, sign }: Reader): readonly Event[] {
  const { chat, date } = message
  const person = authorOf(message, me)
  if (person === null) return []
  const moved = migrationOf(message)
  if (moved !== null) {
    const { from, to } = moved
    return [
      { ...base({ chat: from, topic: null }, person, `moved:${to}`, date, true), type: 'moved', to: `${to}` } as const,
    ]
  }
  const command = commandIn(message, me)
  if (command?.to === 'other') return []
  const answered = answeredBy(message)
  const said = saidIn(message, me)
  const sayings = [said, ...rest.map((part) => saidIn(part, me))]
  const text = sayings.flatMap((part) => part.text || []).join('\n')
  const toBot = answered?.from?.id === me.id
  const common = (addressed: boolean) => base(addressOf(message), person, id, date, addressed)
  const asked = toBot && isPrivate(chat) ? readQuestion(answered, person.id, sign) : null
  if (asked !== null && text !== '') {
    const { address, message: about } = asked
    const correction = { ...base(address, person, id, date, true), type: 'correction' as const, text }
    return [{ ...correction, message: messageId(address.chat, about, me.id) }]
  }
  const meant = command === null ? null : menuCommand(command, isPrivate(chat))
  const own = message.forward_origin === undefined
  const called = own && said.mentioned && attachmentsOf(message).length === 0 && (said.text === '' || answered === null)
  const words = meant ?? (called && isCommand(said.text) ? said.text : null)
  if (words !== null) {
    const asks = { ...common(true), type: 'command' as const, text: words }
    // Telegram says nothing of a person who opens the chat: their first press of Start is how the bot is let in.
    const opens = command?.name === 'start' && isPrivate(chat)
    return opens ? [{ ...common(true), id: `started:${me.id}`, type: 'joined' as const }, asks] : [asks]
  }
  const unread = [message, ...rest].flatMap(attachmentsOf)
  if (text === '' && unread.length === 0) return []
  const album = message.media_group_id
  return [
    {
      ...common(sayings.some(({ mentioned }) => mentioned) || toBot || command?.to === 'me'),
      // The rest of an album that comes later is no message of its own.
      ...(album === undefined ? {} : { id: `album:${me.id}:${album}` }),
      type: 'message' as const,
      message: messageId(chat.id, message.message_id, me.id),
      text,
      ...(answered === null ? {} : { replyTo: messageId(chat.id, answered.message_id, me.id) }),
      ...(unread.length === 0 ? {} : { unread }),
    },
  ]
}

/** A message that is still to be answered waits for the rest of it, and says that there may be some. */
function unfinished(event: Event, { media_group_id: album }: Message, restMs: number): Event {
  if (event.type !== 'message' || restMs === 0) return event
  const unread = album === undefined ? {} : { unread: [...(event.unread ?? []), 'the rest of the album'] }
  return { ...event, ...unread, restMs }
}

/**
 * The message with what belongs to it, as an edit of what is known of it; more of a correction is one more. Where only
 * what comes now mentions the bot, nothing of it was heard before.
 */
function ofRest(message: Message, before: readonly Message[], id: string, reader: Reader): readonly Event[] {
  const [first = message, ...others] = before
  const [known] = ofMessage(first, others, id, reader)
  const [whole] = ofMessage(first, [...others, message], id, reader)
  if (known?.type === 'correction') return [{ ...known, id, text: saidIn(message, reader.me).text }]
  if (known?.type !== 'message' || whole?.type !== 'message') return ofMessage(message, [], id, reader)
  if (known.text === whole.text) return []
  if (known.overheard && !whole.overheard) return [{ ...whole, id }]
  const { unread: _, replyTo: __, ...edit } = whole
  return [{ ...edit, type: 'edit', id, at: message.date * 1_000 + before.length }]
}

/** Both chats say it, and both say the same. */
function migrationOf({ chat, migrate_to_chat_id: to, migrate_from_chat_id: from }: Message) {
  if (to !== undefined) return { from: chat.id, to }
  return from === undefined ? null : { from, to: chat.id }
}

/** Also comes for what is no word of the message, such as a preview or a live location. */
function ofEdit(message: Message, id: string, me: Me): readonly Event[] {
  const person = authorOf(message, me)
  const words = message.text ?? message.caption
  if (person === null || words === undefined || commandIn(message, me) !== null) return []
  const { text, mentioned } = saidIn(message, me)
  const addressed = mentioned || answeredBy(message)?.from?.id === me.id
  const seconds = message.edit_date ?? message.date
  const edited = messageId(message.chat.id, message.message_id, me.id)
  return [{ ...base(addressOf(message), person, id, seconds, addressed), type: 'edit', message: edited, text }]
}

/** Telegram says neither who wrote the message nor in which topic it stands. */
function ofReaction(update: MessageReactionUpdated, id: string, me: Me): readonly Event[] {
  const { chat, message_id: about, date, old_reaction: old, new_reaction: now } = update
  const person =
    update.user === undefined ? authorOf({ sender_chat: update.actor_chat! }, me) : personOf(update.user, me)
  if (person === null) return []
  return changes(old, now).map(({ type, emoji }, index) => ({
    ...base({ chat: chat.id, topic: null }, person, `${id}:${index}`, date, false),
    type,
    message: messageId(chat.id, about, me.id),
    emoji,
  }))
}

const takesPart = (member: ChatMember): boolean =>
  member.status === 'restricted' ? member.is_member : member.status !== 'left' && member.status !== 'kicked'

function ofMember(update: ChatMemberUpdated, id: string, me: Me): readonly Event[] {
  const [before, after] = [takesPart(update.old_chat_member), takesPart(update.new_chat_member)]
  if (before === after || update.chat.type === 'channel') return []
  const person = personOf(update.from, me)
  const address = { chat: update.chat.id, topic: null }
  return [{ ...base(address, person, id, update.date, true), type: after ? 'joined' : 'left' }]
}

function ofPress({ from, message, data }: CallbackQuery, id: string, { me, now }: Reader): readonly Event[] {
  const thumb = readThumb(data)
  if (message === undefined || thumb === null) return []
  const pressed = messageId(message.chat.id, message.message_id, me.id)
  const event = base(addressOf(message), personOf(from, me), id, 0, true)
  return [{ ...event, at: now, type: 'button', message: pressed, value: thumb.value }]
}

import {
  type APIUser,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatchData,
  type GatewayMessageUpdateDispatchData,
  GatewayDispatchEvents as On,
} from 'discord.js'
import { isCommand } from '../../core/commands/parse.ts'
import type { Event, Person } from '../../core/types.ts'
import { addresses, readableWords, type Self } from './words.ts'

export const PLATFORM = 'discord'

/** What a payload does not say of itself. */
export interface Around {
  readonly self: Self
  /** The channel that a thread belongs to; null where the channel is no thread. */
  readonly parent: string | null
  /** Whom a direct conversation is with; null in guilds. */
  readonly direct: string | null
  /** The thread was opened just now: its first message is said about the message that it hangs on. */
  readonly opened: boolean
  /** Unique for this payload, and the same when it is replayed. */
  readonly sequence: string
  readonly now: number
}

/** Messages that people write. All others are told by Discord: joins, pins, boosts, threads. */
const SAID: readonly number[] = [0, 19]

/** Of deletions nobody says who did them. */
const SOMEBODY: Person = { id: 'unknown', kind: 'human' }

const OVERHEARD = { overheard: true } as const

/** Guilds are workspaces; so is each person's direct conversation. */
export const directWorkspace = (person: string): string => `dm:${person}`

/** What a gateway payload means. The same payload always makes the same events. */
export function eventsOf({ t, d }: GatewayDispatchPayload, around: Around): readonly Event[] {
  const { self, sequence, now } = around
  switch (t) {
    case On.MessageCreate: {
      const event = saidEvent(d, around)
      return event === null ? [] : [event]
    }
    case On.MessageUpdate:
      return editEvents(d, around)
    case On.MessageDelete:
    case On.MessageDeleteBulk: {
      const messages = 'ids' in d ? d.ids : [d.id]
      return messages.map((message) => ({
        ...place(d, around),
        ...{ overheard: true, id: `deletion:${message}`, type: 'deletion', message, person: SOMEBODY, at: now },
      }))
    }
    case On.MessageReactionAdd:
    case On.MessageReactionRemove: {
      const type = t === On.MessageReactionAdd ? 'reaction' : 'reaction_removed'
      const user = 'member' in d ? d.member?.user : undefined
      // Who wrote the message is said when a reaction comes, and not when it goes.
      const known = 'message_author_id' in d && d.message_author_id === self.id
      const person = user === undefined ? personById(d.user_id, self) : personOf(user, self, nickOf(d))
      const common = { ...place(d, around), ...(known ? {} : OVERHEARD), id: `${type}:${sequence}`, person, at: now }
      return [{ ...common, type, message: d.message_id, emoji: emojiName(d.emoji) }]
    }
    case On.MessageReactionRemoveAll:
    case On.MessageReactionRemoveEmoji: {
      const emoji = 'emoji' in d ? emojiName(d.emoji) : null
      const common = { ...OVERHEARD, id: `reactions_cleared:${sequence}`, person: SOMEBODY, at: now }
      return [{ ...place(d, around), ...common, type: 'reactions_cleared', message: d.message_id, emoji }]
    }
    default:
      return []
  }
}

type Said = Omit<GatewayMessageCreateDispatchData, 'mentions' | 'member'> &
  Partial<Pick<GatewayMessageCreateDispatchData, 'mentions' | 'member'>>

/** A message, from the gateway or from a channel's history; null where nobody has said anything. */
export function saidEvent(data: Said, around: Around): Event | null {
  const { self } = around
  if (!SAID.includes(data.type)) return null
  const { mentions = [], content, attachments, sticker_items = [], message_snapshots = [] } = data
  const text = readableWords(content, mentions, self)
  const unread = [
    ...attachments.map(({ filename }) => filename),
    ...sticker_items.map(({ name }) => `sticker ${name}`),
    ...message_snapshots.map(() => 'a forwarded message'),
  ]
  const addressed =
    addresses(content, mentions, self) || data.referenced_message?.author.id === self.id || around.direct !== null
  // Without the privilege to read it, the content of what does not address the bot is empty.
  if (text === '' && unread.length === 0 && !addressed) return null
  const common = { ...place(data, around), person: authorOf(data, self), at: Date.parse(data.timestamp), text }
  if (unread.length === 0 && commands(content, text, around))
    return { ...common, id: `message:${data.id}`, type: 'command' }
  const answered = data.type === 19 ? data.message_reference?.message_id : around.opened ? hangsOn(data) : undefined
  return {
    ...common,
    ...(addressed ? {} : OVERHEARD),
    id: `message:${data.id}`,
    type: 'message',
    message: data.id,
    ...(answered === undefined ? {} : { replyTo: answered }),
    ...(unread.length === 0 ? {} : { unread }),
  }
}

/** The message that a new thread hangs on: it has its id. A post in a forum is the first message of its own thread. */
const hangsOn = ({ id, channel_id }: Said): string | undefined => (channel_id === id ? undefined : channel_id)

/** `@claw status`, or `/claw status` as text: where the words after it are a command. */
function commands(content: string, text: string, { self, direct }: Around): boolean {
  const typed = /^\/claw\b/i.test(text) && (direct !== null || text !== content.trim())
  const called = new RegExp(`^\\s*<@!?${self.id}>`).test(content) && text !== ''
  return (typed || called) && isCommand(text)
}

/** Previews, pins and threads update a message too: only a person who edits it leaves a new time on it. */
function editEvents(data: GatewayMessageUpdateDispatchData, around: Around): readonly Event[] {
  const { self } = around
  const { id, content, mentions = [], edited_timestamp, author } = data
  if (edited_timestamp == null || author === undefined) return []
  const text = readableWords(content, mentions, self)
  if (text === '') return []
  const addressed = addresses(content, mentions, self) || data.referenced_message?.author.id === self.id
  return [
    {
      ...place(data, around),
      ...(addressed ? {} : OVERHEARD),
      id: `edit:${id}:${Date.parse(edited_timestamp)}`,
      type: 'edit',
      message: id,
      person: authorOf(data, self),
      at: Date.parse(edited_timestamp),
      text,
    },
  ]
}

type Place = Pick<Event, 'platform' | 'workspace' | 'conversation' | 'channel'>

/** A thread is a channel of its own; when the bot speaks there is decided for the channel that it belongs to. */
function place(data: { readonly channel_id: string; readonly guild_id?: string }, { parent, direct }: Around): Place {
  const conversation = data.channel_id
  if (direct !== null) return { platform: PLATFORM, workspace: directWorkspace(direct), conversation }
  return { platform: PLATFORM, workspace: data.guild_id ?? '', conversation, channel: parent ?? conversation }
}

function authorOf(data: Said | GatewayMessageUpdateDispatchData, self: Self): Person {
  const person = personOf(data.author, self, data.member?.nick ?? null)
  return person.kind === 'human' && data.webhook_id !== undefined ? { ...person, kind: 'bot' } : person
}

export function personOf(user: APIUser, self: Self, nick: string | null): Person {
  const name = nick ?? user.global_name ?? user.username
  return { id: user.id, name, kind: user.id === self.id ? 'self' : user.bot ? 'bot' : 'human' }
}

const personById = (id: string, self: Self): Person => ({ id, kind: id === self.id ? 'self' : 'human' })

const nickOf = (data: object): string | null =>
  'member' in data ? ((data.member as { readonly nick?: string | null } | undefined)?.nick ?? null) : null

/** A character, or the name of a guild's own emoji. */
const emojiName = ({ name, id }: { readonly name: string | null; readonly id: string | null }): string =>
  name ?? id ?? ''

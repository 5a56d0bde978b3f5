import { isCommand } from '../../core/commands/parse.ts'
import type { Event, Person } from '../../core/types.ts'
import { conversationOf, isDirect, messageId, PLATFORM, timeOf } from './place.ts'
import { mentions, readText, startsWithMention } from './text.ts'

/** The bot as its workspace knows it. */
export interface Self {
  readonly user: string
  readonly bot: string
}

/** A message as events and conversations.history show it. */
export interface SlackMessage {
  readonly type?: string
  readonly subtype?: string
  readonly channel?: string
  readonly user?: string
  readonly bot_id?: string
  readonly text?: string
  readonly ts?: string
  readonly event_ts?: string
  readonly thread_ts?: string
  readonly parent_user_id?: string
  readonly files?: readonly { readonly name?: string; readonly title?: string; readonly mode?: string }[]
  readonly edited?: { readonly user?: string; readonly ts?: string }
}

interface SlackEvent extends SlackMessage {
  readonly message?: SlackMessage
  readonly previous_message?: SlackMessage
  readonly deleted_ts?: string
  readonly reaction?: string
  readonly item?: { readonly type?: string; readonly channel?: string; readonly ts?: string }
  readonly item_user?: string
  readonly inviter?: string
  readonly old_channel_id?: string
  readonly new_channel_id?: string
  readonly team_ids?: readonly string[]
  readonly tokens?: { readonly bot?: readonly string[] }
}

/** What Slack's Events API delivers. */
export interface SlackEnvelope {
  readonly event_id?: string
  readonly team_id?: string
  readonly context_team_id?: string
  readonly event_time?: number
  readonly authorizations?: readonly { readonly team_id?: string | null }[]
  readonly event: SlackEvent
}

/** Who does what no person does. */
const SLACK: Person = { id: 'USLACKBOT', kind: 'human' }

/** Messages that nobody has said. */
const HOUSEKEEPING =
  /^(?:(?:channel|group)_\w+|(?:un)?pinned_item|huddle_thread|bot_(?:add|remove|enable|disable)|ekm_access_denied|reminder_\w+|reply_broadcast|message_replied|assistant_app_thread|document_mention|tombstone|sh_room_\w+|file_(?:comment|mention)|joiner_\w+|app_conversation_join)$/

/** The workspace that the app was installed in, also where the message comes from another one. */
export function workspaceOf({ authorizations, context_team_id, team_id }: SlackEnvelope): string {
  return authorizations?.[0]?.team_id ?? context_team_id ?? team_id ?? ''
}

/** What an event of Slack's means; null where it means nothing to the bot. */
export function eventOf(envelope: SlackEnvelope, self: Self): Event | null {
  const { event } = envelope
  const workspace = workspaceOf(envelope)
  const id = envelope.event_id ?? `${event.type}:${event.event_ts}`
  switch (event.type) {
    case 'app_mention':
      return isDirect(event.channel ?? '') ? null : messageEvent(workspace, event, self, true)
    case 'message':
      if (event.subtype === 'message_changed') return changed(workspace, id, event, self)
      if (event.subtype === 'message_deleted') return deleted(workspace, id, event, self)
      return messageEvent(workspace, event, self)
    case 'reaction_added':
    case 'reaction_removed':
      return reacted(workspace, id, event, self)
    case 'member_joined_channel':
      return event.user === self.user ? joined(workspace, id, event) : null
    case 'channel_id_changed':
      return moved(workspace, id, event)
    case 'app_uninstalled':
      return left(workspace, id, envelope)
    case 'tokens_revoked':
      return (event.tokens?.bot ?? []).length > 0 ? left(workspace, id, envelope) : null
    default:
      return null
  }
}

/** A message; the same one, as `message`, as `app_mention` and in the history, has the same id. */
export function messageEvent(workspace: string, said: SlackMessage, self: Self, named = false): Event | null {
  const { subtype, channel, text = '', thread_ts: thread, files = [] } = said
  const ts = said.ts ?? said.event_ts
  if (channel === undefined || ts === undefined || (subtype !== undefined && HOUSEKEEPING.test(subtype))) return null
  const words = readText(text, self.user)
  const unread = files.flatMap(({ name, title, mode }) => (mode === 'tombstone' ? [] : [name ?? title ?? 'a file']))
  const mentioned = named || mentions(text, self.user)
  if (words === '' && unread.length === 0 && !mentioned) return null
  const direct = isDirect(channel)
  const message = messageId(channel, ts)
  const base = {
    platform: PLATFORM,
    workspace,
    id: `message:${message}`,
    conversation: conversationOf(channel, ts, thread),
    ...(direct ? {} : { channel }),
    person: personOf(said, self),
    at: timeOf(ts),
  }
  const told = mentioned && unread.length === 0 && startsWithMention(text, self.user)
  if (told && isCommand(words)) return { ...base, type: 'command', text: words }
  const inThread = thread !== undefined && thread !== ts
  return {
    ...base,
    ...(direct || mentioned || said.parent_user_id === self.user ? {} : { overheard: true }),
    type: 'message',
    message,
    text: words,
    ...(direct && inThread ? { replyTo: messageId(channel, thread) } : {}),
    ...(unread.length === 0 ? {} : { unread }),
  }
}

/**
 * A person's new wording. Slack says of much else that a message has changed: a link was unfolded, a thread has grown,
 * the bot wrote on.
 */
function changed(workspace: string, id: string, event: SlackEvent, self: Self): Event | null {
  const { channel, message, previous_message: before } = event
  if (channel === undefined || message?.ts === undefined) return null
  if (message.subtype === 'tombstone') return deleted(workspace, id, { ...event, deleted_ts: message.ts }, self)
  const person = personOf(message, self)
  if (person.kind !== 'human') return null
  const same = before?.text === undefined ? message.edited === undefined : before.text === message.text
  if (same) return null
  return {
    ...about(workspace, id, channel, message.ts, message.thread_ts),
    person,
    at: timeOf(message.edited?.ts ?? event.event_ts ?? message.ts),
    type: 'edit',
    message: messageId(channel, message.ts),
    text: readText(message.text ?? '', self.user),
  }
}

function deleted(workspace: string, id: string, event: SlackEvent, self: Self): Event | null {
  const { channel, deleted_ts: ts, previous_message: before } = event
  if (channel === undefined || ts === undefined) return null
  const person = personOf(before ?? {}, self)
  if (person.kind === 'self') return null
  return {
    ...about(workspace, id, channel, ts, before?.thread_ts),
    person,
    at: timeOf(event.event_ts ?? ts),
    type: 'deletion',
    message: messageId(channel, ts),
  }
}

function reacted(workspace: string, id: string, event: SlackEvent, self: Self): Event | null {
  const { item, user, reaction, item_user: author } = event
  if (item?.type !== 'message' || item.channel === undefined || item.ts === undefined) return null
  if (user === undefined || reaction === undefined || user === self.user) return null
  const { overheard, ...base } = about(workspace, id, item.channel, item.ts, undefined)
  return {
    ...base,
    ...(author === self.user || overheard === undefined ? {} : { overheard }),
    person: { id: user, kind: 'human' },
    at: timeOf(event.event_ts ?? item.ts),
    type: event.type === 'reaction_added' ? 'reaction' : 'reaction_removed',
    message: messageId(item.channel, item.ts),
    emoji: reaction,
  }
}

function joined(workspace: string, id: string, { channel, inviter, event_ts: ts }: SlackEvent): Event | null {
  if (channel === undefined || ts === undefined) return null
  const person = inviter === undefined ? SLACK : { id: inviter, kind: 'human' as const }
  return { platform: PLATFORM, workspace, id, conversation: channel, channel, person, at: timeOf(ts), type: 'joined' }
}

/** Someone speaks to the bot alone, for the first time in their workspace as far as it knows. */
export function openedEvent({ platform, workspace, conversation, person, at }: Event): Event {
  return { platform, workspace, conversation, person, at, id: `opened:${workspace}`, type: 'joined' }
}

/** The workspaces that an organisation's installation does not let the bot into any more. */
export function leftAlone(envelope: SlackEnvelope): Event[] {
  const { event, event_id: id = `${event.type}:${event.event_ts}` } = envelope
  return (event.team_ids ?? []).map((workspace) => left(workspace, `${id}:${workspace}`, envelope))
}

function left(workspace: string, id: string, { event_time: seconds = 0 }: SlackEnvelope): Event {
  const about = { platform: PLATFORM, workspace, id, conversation: workspace, person: SLACK }
  return { ...about, at: seconds * 1_000, type: 'left' }
}

/** A channel that was private is shared with another organisation, and has another id from now on. */
function moved(workspace: string, id: string, event: SlackEvent): Event | null {
  const { old_channel_id: from, new_channel_id: to, event_ts: ts } = event
  if (from === undefined || to === undefined || ts === undefined) return null
  const about = { platform: PLATFORM, workspace, id, conversation: from, channel: from, person: SLACK }
  return { ...about, at: timeOf(ts), type: 'moved', from, to }
}

function about(workspace: string, id: string, channel: string, ts: string, thread: string | undefined) {
  return {
    platform: PLATFORM,
    workspace,
    id,
    conversation: conversationOf(channel, ts, thread),
    ...(isDirect(channel) ? {} : { channel, overheard: true as const }),
  }
}

function personOf({ user, bot_id, subtype }: SlackMessage, self: Self): Person {
  const id = user ?? bot_id ?? ''
  if (user === self.user || (bot_id !== undefined && bot_id === self.bot)) return { id, kind: 'self' }
  const bot = bot_id !== undefined || subtype === 'bot_message' || user === undefined || user === 'USLACKBOT'
  return { id, kind: bot ? 'bot' : 'human' }
}

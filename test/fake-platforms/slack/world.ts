import { randomUUID } from 'node:crypto'
import { dropOldest } from '../oldest.ts'

export interface FakeUser {
  readonly id: string
  readonly name: string
  readonly admin?: boolean
  readonly guest?: boolean
  /** Comes from another organisation through Slack Connect. */
  readonly home?: string
  /** Another app's bot. */
  readonly bot?: string
}

export type ChannelType = 'channel' | 'group' | 'im' | 'mpim'

export interface FakeReaction {
  readonly name: string
  readonly users: string[]
}

export interface FakeMessage {
  readonly ts: string
  readonly thread: string | null
  readonly user: string
  readonly bot: string | null
  readonly at: number
  text: string
  blocks: readonly Fields[]
  edited: { readonly user: string; readonly ts: string } | null
  files: readonly string[]
  metadata: unknown
  /** Being written with chat.appendStream. */
  streaming: boolean
  readonly subtype: string | null
  readonly reactions: FakeReaction[]
}

/** What one person alone is shown. */
export interface FakeEphemeral {
  readonly id: string
  readonly channel: string
  readonly thread: string | null
  readonly user: string
  readonly text: string
  readonly blocks: readonly Fields[]
}

export interface FakeChannel {
  readonly id: string
  readonly name: string
  readonly type: ChannelType
  readonly members: Set<string>
  readonly messages: Map<string, FakeMessage>
}

/** What was uploaded; nobody sees it before it is shared. */
export interface FakeFile {
  readonly id: string
  readonly name: string
  readonly length: number
  text: string | null
}

export interface FakeInstallation {
  readonly token: string
  readonly scopes: readonly string[]
}

export interface FakeTeam {
  readonly id: string
  readonly name: string
  readonly enterprise: string | null
  readonly bot: { readonly user: string; readonly id: string }
  readonly users: Map<string, FakeUser>
  readonly channels: Map<string, FakeChannel>
  readonly ephemerals: FakeEphemeral[]
  readonly views: FakeView[]
  readonly files: Map<string, FakeFile>
  installation: FakeInstallation | null
}

export interface FakeView {
  readonly id: string
  readonly user: string
  readonly view: Fields
}

export type Fields = Readonly<Record<string, unknown>>

export const BOT = { user: 'U0BOT', id: 'B0BOT' } as const
export const ANN = 'U0ANN'
export const BEN = 'U0BEN'
export const EVA = 'U0EVA'
export const OTHER_BOT = { user: 'U0ROBO', id: 'B0ROBO' } as const
export const GENERAL = 'C0GENERAL'
export const DIRECT = 'D0ANN'
export const GROUP = 'G0GROUP'

/** A workspace whose ids are those of every other one: nothing but its own id tells it apart. */
export function newTeam(id: string, enterprise: string | null = null): FakeTeam {
  const users: FakeUser[] = [
    { id: ANN, name: 'ann', admin: true },
    { id: BEN, name: 'ben' },
    { id: 'U0GUEST', name: 'gus', guest: true, admin: false },
    { id: EVA, name: 'eva', home: 'T0PARTNER', admin: true },
    { id: OTHER_BOT.user, name: 'robo', bot: OTHER_BOT.id },
    { id: BOT.user, name: 'claw', bot: BOT.id },
  ]
  const everyone = users.map((user) => user.id)
  const channel = (id: string, name: string, type: ChannelType, members: readonly string[]): [string, FakeChannel] => [
    id,
    { id, name, type, members: new Set(members), messages: new Map() },
  ]
  return {
    id,
    name: id.toLowerCase(),
    enterprise,
    bot: BOT,
    users: new Map(users.map((user) => [user.id, user])),
    channels: new Map([
      channel(GENERAL, 'general', 'channel', everyone),
      channel('C0RANDOM', 'random', 'channel', everyone),
      channel('C0ALONE', 'alone', 'channel', [ANN, BEN]),
      channel(DIRECT, 'ann', 'im', [ANN, BOT.user]),
      channel('D0BEN', 'ben', 'im', [BEN, BOT.user]),
      channel(GROUP, 'ann-ben', 'mpim', [ANN, BEN, BOT.user]),
    ]),
    ephemerals: [],
    views: [],
    files: new Map(),
    installation: null,
  }
}

let latest = 0

/** Seconds and microseconds, never the same twice. */
export function nextTs(): string {
  latest = Math.max(Date.now() * 1_000, latest + 1)
  return stamp(latest)
}

function stamp(micros: number): string {
  return `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`
}

export const millis = (ts: string): number => Math.round(Number(ts) * 1_000)

export const newId = (prefix: string): string =>
  `${prefix}${randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()}`

export function channelOf(team: FakeTeam, id: string): FakeChannel {
  const channel = team.channels.get(id)
  if (channel === undefined) throw new Error(`the fake workspace ${team.id} has no channel ${id}`)
  return channel
}

export function messageOf(team: FakeTeam, channel: string, ts: string): FakeMessage {
  const message = channelOf(team, channel).messages.get(ts)
  if (message === undefined) throw new Error(`the fake channel ${channel} has no message ${ts}`)
  return message
}

export function post(
  channel: FakeChannel,
  message: Partial<FakeMessage> & Pick<FakeMessage, 'user' | 'text'>,
): FakeMessage {
  const ts = message.ts ?? nextTs()
  const whole: FakeMessage = {
    bot: null,
    thread: null,
    blocks: [],
    edited: null,
    files: [],
    metadata: null,
    streaming: false,
    subtype: null,
    reactions: [],
    ...message,
    ts,
    at: millis(ts),
  }
  channel.messages.set(ts, whole)
  return whole
}

/** Drops messages, but for the latest `keep` of each channel and what those hang on; and the same of all else. */
export function forget({ channels, ephemerals, views, files }: FakeTeam, keep: number): void {
  for (const { messages } of channels.values()) {
    const latest = [...messages.values()].slice(Math.max(0, messages.size - keep))
    const roots = new Set(latest.map(({ thread }) => thread))
    dropOldest(messages, keep, ({ ts, streaming }) => !streaming && !roots.has(ts))
  }
  ephemerals.splice(0, ephemerals.length - keep)
  views.splice(0, views.length - keep)
  dropOldest(files, keep)
}

/** The message as the Web API and events show it. */
export function shape(message: FakeMessage, team: FakeTeam, metadata = false): Fields {
  const { ts, thread, user, bot, text, blocks, edited, files, reactions, subtype } = message
  return {
    type: 'message',
    ...(subtype === null ? {} : { subtype }),
    ...(user === '' ? {} : { user }),
    ts,
    text,
    team: team.users.get(user)?.home ?? team.id,
    ...(bot === null ? { client_msg_id: `client-${ts}` } : { bot_id: bot, app_id: bot === BOT.id ? APP : 'A0OTHER' }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(edited === null ? {} : { edited }),
    ...(thread === null ? {} : { thread_ts: thread, parent_user_id: parentOf(team, message) }),
    ...(files.length === 0 ? {} : { files: files.map((name, i) => ({ id: `F${ts}${i}`, name, mode: 'hosted' })) }),
    ...(reactions.length === 0 ? {} : { reactions: reactions.map((one) => ({ ...one, count: one.users.length })) }),
    ...(metadata && message.metadata !== null ? { metadata: message.metadata } : {}),
  }
}

export const APP = 'A0CLAW'

function parentOf(team: FakeTeam, message: FakeMessage): string | undefined {
  const channel = [...team.channels.values()].find((one) => one.messages.get(message.ts) === message)
  return channel?.messages.get(message.thread ?? '')?.user
}

export interface ShownMessage {
  readonly ts: string
  readonly text: string
  readonly thread: string | null
  readonly user: string
  /** Who alone sees it. */
  readonly only: string | null
  readonly buttons: readonly string[]
  readonly streaming: boolean
}

/** What people see of a channel, oldest first; what one person alone is shown comes last. */
export function shown(team: FakeTeam, channel: string): ShownMessage[] {
  const messages = [...channelOf(team, channel).messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1))
  return [
    ...messages.map((message) => ({
      ts: message.ts,
      text: textOf(message.text, message.blocks),
      thread: message.thread,
      user: message.user,
      only: null,
      buttons: buttonsOf(message.blocks),
      streaming: message.streaming,
    })),
    ...team.ephemerals
      .filter((one) => one.channel === channel)
      .map((one) => ({
        ts: one.id,
        text: textOf(one.text, one.blocks),
        thread: one.thread,
        user: BOT.user,
        only: one.user,
        buttons: buttonsOf(one.blocks),
        streaming: false,
      })),
  ]
}

/** Blocks are shown instead of the text, which is what notifications say. */
export function textOf(text: string, blocks: readonly Fields[]): string {
  const said = blocks.flatMap((block) => {
    if (block.type === 'markdown') return [String(block.text)]
    return block.type === 'section' ? [String((block.text as Fields | undefined)?.text ?? '')] : []
  })
  return said.length === 0 ? text : said.join('\n')
}

/** `action_id` of a button, and `action_id=value` of each half of a pair of feedback buttons. */
export function buttonsOf(blocks: readonly Fields[]): string[] {
  return blocks
    .flatMap((block) => (Array.isArray(block.elements) ? (block.elements as Fields[]) : []))
    .flatMap((element) => {
      const id = String(element.action_id)
      if (element.type !== 'feedback_buttons') return [id]
      return [element.positive_button, element.negative_button].map((half) => `${id}=${String((half as Fields).value)}`)
    })
}

import { channelPermissions, PERMISSION } from './permissions.ts'
import { CHANNEL, type Channel, type Guild, type Json, type Message, type Role, type User } from './shapes.ts'

/** Everything that Discord has on record. */
export interface World {
  readonly users: Map<string, User>
  readonly guilds: Map<string, Guild>
  readonly channels: Map<string, Channel>
  /** Of each channel, oldest first. */
  readonly messages: Map<string, Message[]>
  /** What the bot has sent, by channel and nonce. */
  readonly nonces: Map<string, { readonly message: Message; readonly at: number }>
  readonly bot: User
  readonly applicationId: string
  readonly now: () => number
  snowflake(): string
}

const EPOCH = 1_420_070_400_000n

/** Messages with a nonce are known by it for so long. */
const NONCE_MS = 180_000

export const snowflakeTime = (id: string): number => Number((BigInt(id) >> 22n) + EPOCH)

export function createWorld(now: () => number): World {
  let last = 0n
  const snowflake = () => {
    const next = (BigInt(now()) - EPOCH) << 22n
    last = next > last ? next : last + 1n
    return String(last)
  }
  const bot = user(snowflake(), 'claw', null, true)
  return {
    users: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    messages: new Map(),
    nonces: new Map(),
    bot,
    applicationId: bot.id,
    now,
    snowflake,
  }
}

function user(id: string, username: string, global_name: string | null, bot: boolean): User {
  return { id, username, global_name, discriminator: bot ? '0001' : '0', avatar: null, bot }
}

export function addUser(world: World, name: string, bot = false): User {
  const added = user(world.snowflake(), name.toLowerCase(), bot ? null : name, bot)
  world.users.set(added.id, added)
  return added
}

export function role(id: string, name: string, permissions: bigint, managedBy?: string): Role {
  return {
    id,
    name,
    permissions: String(permissions),
    color: 0,
    hoist: false,
    position: 0,
    managed: managedBy !== undefined,
    mentionable: true,
    ...(managedBy === undefined ? {} : { tags: { bot_id: managedBy } }),
  }
}

const EVERYONE =
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.addReactions |
  PERMISSION.readHistory |
  PERMISSION.sendInThreads |
  PERMISSION.embedLinks |
  PERMISSION.attachFiles |
  PERMISSION.createThreads

/** A guild with one text channel, in which the bot is not yet. */
export function addGuild(world: World, name: string, owner: User, members: readonly User[]): Guild {
  const id = world.snowflake()
  const guild: Guild = {
    id,
    name,
    owner_id: owner.id,
    joined_at: new Date(world.now()).toISOString(),
    system_channel_id: null,
    roles: [role(id, '@everyone', EVERYONE)],
    members: new Map([owner, ...members].map((member) => [member.id, []])),
    unavailable: false,
    joined: false,
  }
  world.guilds.set(id, guild)
  guild.system_channel_id = addChannel(world, { type: CHANNEL.text, guild_id: id, name: 'general' }).id
  return guild
}

export function addChannel(world: World, fields: Omit<Channel, 'id'>): Channel {
  const channel: Channel = { permission_overwrites: [], last_message_id: null, ...fields, id: world.snowflake() }
  return keepChannel(world, channel)
}

export function keepChannel(world: World, channel: Channel): Channel {
  world.channels.set(channel.id, channel)
  world.messages.set(channel.id, [])
  return channel
}

export function openThread(world: World, parent: Channel, name: string, owner: string, from?: string): Channel {
  const thread: Channel = {
    // A thread that hangs on a message has that message's id.
    id: from ?? world.snowflake(),
    type: CHANNEL.thread,
    ...(parent.guild_id === undefined ? {} : { guild_id: parent.guild_id }),
    parent_id: parent.id,
    owner_id: owner,
    name,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 1_440,
      archive_timestamp: new Date(from === undefined ? world.now() : snowflakeTime(from)).toISOString(),
      locked: false,
    },
  }
  return keepChannel(world, thread)
}

/** The direct conversation of the bot with a person, made where there is none. */
export function directWith(world: World, person: User): Channel {
  const known = [...world.channels.values()].find(({ recipients }) => recipients?.[0]?.id === person.id)
  return known ?? addChannel(world, { type: CHANNEL.dm, recipients: [person] })
}

export const guildOf = (world: World, channel: Channel): Guild | undefined => world.guilds.get(channel.guild_id ?? '')

/** What a thread's permissions are those of. */
export const rootChannel = (world: World, channel: Channel): Channel =>
  channel.type === CHANNEL.thread ? (world.channels.get(channel.parent_id ?? '') ?? channel) : channel

/** What the bot may do there. */
export function botPermissions(world: World, channel: Channel): bigint {
  if (channel.type === CHANNEL.dm) return -1n
  const guild = guildOf(world, channel)
  if (guild === undefined || !guild.joined) return 0n
  return channelPermissions(guild, rootChannel(world, channel), world.bot.id)
}

export const sees = (world: World, channel: Channel): boolean =>
  (botPermissions(world, channel) & PERMISSION.viewChannel) !== 0n

export function findMessage(world: World, channel: string, message: string): Message | undefined {
  return world.messages.get(channel)?.find(({ id, only }) => id === message && only === undefined)
}

export function knownBy({ nonces, now }: World, nonce: string): Message | undefined {
  const known = nonces.get(nonce)
  return known !== undefined && now() - known.at < NONCE_MS ? known.message : undefined
}

/**
 * Drops messages, but for the latest `keep` of each channel; threads, but for those in which something was said last;
 * and nonces that have run out. A message that is gone is still known by its nonce.
 */
export function forget(world: World, keep: number): void {
  for (const messages of world.messages.values()) messages.splice(0, messages.length - keep)
  const threads = [...world.channels.values()].filter(({ type }) => type === CHANNEL.thread)
  const last = ({ id, last_message_id }: Channel) => BigInt(last_message_id ?? id)
  threads.sort((one, other) => (last(one) < last(other) ? -1 : 1))
  for (const { id } of threads.slice(0, Math.max(0, threads.length - keep))) {
    world.channels.delete(id)
    world.messages.delete(id)
  }
  for (const nonce of world.nonces.keys()) if (knownBy(world, nonce) === undefined) world.nonces.delete(nonce)
}

export function addMessage(
  world: World,
  channel: Channel,
  fields: Partial<Message> & Pick<Message, 'author' | 'content'>,
): Message {
  const mentioned = [...fields.content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => world.users.get(id ?? ''))
  const replied = fields.replies === undefined ? undefined : findMessage(world, channel.id, fields.replies)?.author
  const mentions = new Map([...mentioned, ...(fields.author.bot ? [] : [replied])].map((each) => [each?.id, each]))
  const message: Message = {
    channel_id: channel.id,
    timestamp: new Date(world.now()).toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [...mentions.values()].filter((each) => each !== undefined),
    mention_roles: [...fields.content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? ''),
    attachments: [],
    embeds: [],
    pinned: false,
    type: fields.replies === undefined ? 0 : 19,
    components: [],
    flags: 0,
    reactions: [],
    ...fields,
    id: world.snowflake(),
  }
  world.messages.get(channel.id)?.push(message)
  if (message.only === undefined) channel.last_message_id = message.id
  return message
}

type Unanswered = Omit<Message, 'replies'> & { readonly replies?: string | undefined }

/** As the API gives it; what a message answers comes with it, and what that answered does not. */
export function messageJson(world: World, message: Unanswered): Record<string, unknown> {
  const { replies, only: _, reactions, ...rest } = message
  const answered = replies === undefined ? undefined : findMessage(world, message.channel_id, replies)
  return {
    ...rest,
    ...(replies === undefined
      ? {}
      : {
          message_reference: { type: 0, message_id: replies, channel_id: message.channel_id },
          referenced_message: answered === undefined ? null : messageJson(world, { ...answered, replies: undefined }),
        }),
    ...(reactions.length === 0 ? {} : { reactions: counted(reactions) }),
  }
}

function counted(reactions: Message['reactions']): unknown[] {
  const keys = new Set(reactions.map(({ emoji }) => emoji.id ?? emoji.name))
  return [...keys].map((key) => {
    const same = reactions.filter(({ emoji }) => (emoji.id ?? emoji.name) === key)
    return { count: same.length, me: false, emoji: same[0]?.emoji }
  })
}

export const attachmentsOf = (
  world: World,
  files: readonly { readonly name: string; readonly text: string }[],
): readonly Json[] =>
  files.map(({ name, text }) => ({
    id: world.snowflake(),
    filename: name,
    size: text.length,
    url: `https://cdn.discordapp.com/attachments/${name}`,
    proxy_url: `https://media.discordapp.net/attachments/${name}`,
  }))

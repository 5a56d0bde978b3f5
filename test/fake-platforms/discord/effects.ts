import { type Gateway, INTENT } from './gateway.ts'
import { CHANNEL, type Channel, type Emoji, type Guild, type Json, type Message } from './shapes.ts'
import { guildOf, messageJson, sees, type World } from './world.ts'

/** What becomes of what people and the bot do: it is on record, and whoever may know of it is told. */
export interface Effects {
  posted(channel: Channel, message: Message, nonce?: string | number): void
  updated(channel: Channel, message: Message): void
  removed(channel: Channel, messages: readonly string[]): void
  reacted(channel: Channel, message: Message, user: string, emoji: Emoji, burst: boolean): void
  unreacted(channel: Channel, message: Message, user: string, emoji: Emoji, burst: boolean): void
  /** Of one emoji, or of all. */
  cleared(channel: Channel, message: Message, emoji: Emoji | null): void
  threadOpened(thread: Channel): void
  guildJoined(guild: Guild): void
  guildLeft(guild: Guild, unavailable: boolean): void
  interacted(interaction: Json): void
}

export function createEffects(world: World, gateway: Gateway): Effects {
  function tell(channel: Channel, type: string, intent: keyof typeof BOTH, data: (intents: number) => Json): void {
    if (!sees(world, channel)) return
    const guild = channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }
    const [inGuild, direct] = BOTH[intent]
    gateway.dispatch({
      type,
      intent: channel.type === CHANNEL.dm ? direct : inGuild,
      guild: channel.guild_id ?? null,
      data: (intents) => ({ ...data(intents), channel_id: channel.id, ...guild }),
    })
  }

  /** Without the privileged intent, the content of others' messages is empty where they do not address the bot. */
  function readable(channel: Channel, message: Message, intents: number): Json {
    const json = messageJson(world, message)
    const own = message.author.id === world.bot.id || message.mentions.some(({ id }) => id === world.bot.id)
    if (own || channel.type === CHANNEL.dm || (intents & INTENT.content) !== 0) return json
    return { ...json, content: '', embeds: [], attachments: [], components: [] }
  }

  function member(channel: Channel, message: Message): Json {
    const roles = guildOf(world, channel)?.members.get(message.author.id)
    return roles === undefined ? {} : { member: memberJson(roles) }
  }

  const written = (type: string, channel: Channel, message: Message, more: Json = {}): void => {
    if (message.only !== undefined) return
    tell(channel, type, 'messages', (intents) => ({
      ...readable(channel, message, intents),
      ...member(channel, message),
      ...more,
    }))
  }

  const reaction = (type: string, channel: Channel, message: Message, emoji: Emoji, more: Json): void =>
    tell(channel, type, 'reactions', () => ({ message_id: message.id, emoji, ...more }))

  return {
    posted: (channel, message, nonce) =>
      written('MESSAGE_CREATE', channel, message, nonce === undefined ? {} : { nonce }),
    updated: (channel, message) => written('MESSAGE_UPDATE', channel, message),
    removed(channel, messages) {
      const [id] = messages
      if (messages.length === 1) tell(channel, 'MESSAGE_DELETE', 'messages', () => ({ id }))
      else tell(channel, 'MESSAGE_DELETE_BULK', 'messages', () => ({ ids: messages }))
    },
    reacted(channel, message, user, emoji, burst) {
      message.reactions.push({ emoji, user, burst })
      const roles = guildOf(world, channel)?.members.get(user)
      reaction('MESSAGE_REACTION_ADD', channel, message, emoji, {
        user_id: user,
        message_author_id: message.author.id,
        ...type(burst),
        ...(roles === undefined ? {} : { member: { ...memberJson(roles), user: world.users.get(user) } }),
      })
    },
    unreacted(channel, message, user, emoji, burst) {
      const at = message.reactions.findIndex((each) => each.user === user && same(each.emoji, emoji))
      if (at < 0) return
      message.reactions.splice(at, 1)
      reaction('MESSAGE_REACTION_REMOVE', channel, message, emoji, { user_id: user, ...type(burst) })
    },
    cleared(channel, message, emoji) {
      const kept = message.reactions.filter((each) => emoji !== null && !same(each.emoji, emoji))
      message.reactions.splice(0, message.reactions.length, ...kept)
      if (emoji !== null) reaction('MESSAGE_REACTION_REMOVE_EMOJI', channel, message, emoji, {})
      else tell(channel, 'MESSAGE_REACTION_REMOVE_ALL', 'reactions', () => ({ message_id: message.id }))
    },
    threadOpened: (thread) =>
      tell(thread, 'THREAD_CREATE', 'guilds', () => ({ ...thread, newly_created: true, member_count: 1 })),
    guildJoined: (guild) =>
      gateway.dispatch({
        type: 'GUILD_CREATE',
        intent: INTENT.guilds,
        guild: guild.id,
        data: () => guildJson(world, guild),
      }),
    guildLeft: (guild, unavailable) =>
      gateway.dispatch({
        type: 'GUILD_DELETE',
        intent: INTENT.guilds,
        guild: guild.id,
        data: () => ({ id: guild.id, ...(unavailable ? { unavailable } : {}) }),
      }),
    interacted: (interaction) =>
      gateway.dispatch({
        type: 'INTERACTION_CREATE',
        intent: 0,
        guild: typeof interaction.guild_id === 'string' ? interaction.guild_id : null,
        data: () => interaction,
      }),
  }
}

/** Intents of what happens in guilds, and in direct conversations. */
const BOTH = {
  messages: [INTENT.guildMessages, INTENT.directMessages],
  reactions: [INTENT.guildReactions, INTENT.directReactions],
  guilds: [INTENT.guilds, INTENT.guilds],
} as const

const type = (burst: boolean) => ({ burst, type: burst ? 1 : 0 })

export const same = (one: Emoji, other: Emoji): boolean =>
  one.id === null ? other.id === null && one.name === other.name : one.id === other.id

export const memberJson = (roles: readonly string[]): Json => ({
  roles,
  nick: null,
  avatar: null,
  joined_at: '2026-01-01T00:00:00.000000+00:00',
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
})

/** All of a guild that the bot may see, as it learns it when it joins or connects. */
export function guildJson(world: World, guild: Guild): Json {
  const channels = [...world.channels.values()].filter(({ guild_id }) => guild_id === guild.id)
  const own = guild.members.get(world.bot.id) ?? []
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.owner_id,
    joined_at: guild.joined_at,
    system_channel_id: guild.system_channel_id,
    roles: guild.roles,
    members: [{ ...memberJson(own), user: world.bot }],
    member_count: guild.members.size,
    channels: channels.filter((channel) => channel.type !== CHANNEL.thread),
    threads: channels.filter((channel) => channel.type === CHANNEL.thread && sees(world, channel)),
    emojis: [],
    stickers: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    features: [],
    large: false,
    unavailable: false,
    preferred_locale: 'en-US',
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    system_channel_flags: 0,
    afk_timeout: 300,
  }
}

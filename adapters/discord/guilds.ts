import {
  ChannelType,
  DiscordAPIError,
  type GatewayGuildCreateDispatchData,
  type Guild,
  PermissionFlagsBits,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js'
import type { Event } from '../../core/types.ts'
import { platformError } from './errors.ts'
import { PLATFORM } from './events.ts'

const NEEDED = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages

/**
 * The bot is in a guild. Discord says so when it joins and whenever it connects; by the time it joined, these are one
 * event. `held` is what the client knows of the guild, for a channel in which the bot may speak.
 */
export function joinedEvent(
  data: GatewayGuildCreateDispatchData,
  held: Guild | undefined,
  bot: string,
  now: number,
): Event {
  const [open, any] = firstChannels(data, held)
  const channel = open ?? any
  return {
    platform: PLATFORM,
    workspace: data.id,
    conversation: channel,
    channel,
    // Where it may speak nowhere yet, its notice comes when it may.
    id: `${joinedAs(bot)}${data.joined_at}${open === undefined ? ':unheard' : ''}`,
    type: 'joined',
    person: { id: data.owner_id, kind: 'human' },
    at: Date.parse(data.joined_at) || now,
  }
}

/** How the ids of its joining begin: another bot on the same store has not joined where this one has. */
export const joinedAs = (bot: string): string => `joined:${bot}:`

/** A person opens a direct conversation by saying something in it: before that, nobody can. */
export function openedEvent({ platform, workspace, conversation, person, at }: Event): Event {
  return { platform, workspace, conversation, person, at, id: `joined:${workspace}`, type: 'joined' }
}

export function leftEvent(guild: string, sequence: string, now: number): Event {
  return {
    platform: PLATFORM,
    workspace: guild,
    conversation: guild,
    id: `left:${sequence}`,
    type: 'left',
    person: { id: 'unknown', kind: 'human' },
    at: now,
  }
}

/** Where Discord greets newcomers, or the first text channel: of those where the bot may speak, and of all. */
function firstChannels(
  { id, system_channel_id, channels }: GatewayGuildCreateDispatchData,
  held?: Guild,
): readonly [open: string | undefined, any: string] {
  const texts = channels.filter(({ type }) => type === ChannelType.GuildText).map((channel) => channel.id)
  const all = system_channel_id === null ? texts : [system_channel_id, ...texts]
  const self = held?.members.me
  const open = all.find((channel) => {
    const known = held?.channels.cache.get(channel)
    return self != null && (known?.permissionsFor(self).has(NEEDED) ?? false)
  })
  return [open, all[0] ?? id]
}

/** The shard of several that hears of a guild. */
export const shardOf = (guild: string, count: number): number => Number((BigInt(guild) >> 22n) % BigInt(count))

const GONE: readonly (string | number)[] = [RESTJSONErrorCodes.UnknownGuild, RESTJSONErrorCodes.MissingAccess]

/** Whether Discord says that the bot is no member of a guild. Throws where it says nothing of that, as in an outage. */
export async function isGone(rest: REST, guild: string): Promise<boolean> {
  try {
    await rest.get(Routes.guild(guild))
    return false
  } catch (error) {
    if (error instanceof DiscordAPIError && GONE.includes(error.code)) return true
    throw platformError(error)
  }
}

import { ChannelType, type GatewayGuildCreateDispatchData, type Guild, PermissionFlagsBits } from 'discord.js'
import type { Event } from '../../core/types.ts'
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
  const channel = firstChannel(data, held)
  return {
    platform: PLATFORM,
    workspace: data.id,
    conversation: channel,
    channel,
    id: `${joinedAs(bot)}${data.joined_at}`,
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

/** Where Discord greets newcomers, or the first text channel. */
function firstChannel({ id, system_channel_id, channels }: GatewayGuildCreateDispatchData, held?: Guild): string {
  const texts = channels.filter(({ type }) => type === ChannelType.GuildText).map((channel) => channel.id)
  const all = system_channel_id === null ? texts : [system_channel_id, ...texts]
  const self = held?.members.me
  const open = all.find((channel) => {
    const known = held?.channels.cache.get(channel)
    return self != null && (known?.permissionsFor(self).has(NEEDED) ?? false)
  })
  return open ?? all[0] ?? id
}

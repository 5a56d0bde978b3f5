import type { Channel, Guild } from './shapes.ts'
import { CHANNEL } from './shapes.ts'

export const PERMISSION = {
  administrator: 1n << 3n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readHistory: 1n << 16n,
  createThreads: 1n << 35n,
  sendInThreads: 1n << 38n,
} as const

const ALL = (1n << 53n) - 1n

/** What a member's roles let them do in the whole guild. */
export function guildPermissions(guild: Guild, user: string): bigint {
  const roles = guild.members.get(user)
  if (roles === undefined) return 0n
  if (guild.owner_id === user) return ALL
  const base = guild.roles
    .filter(({ id }) => id === guild.id || roles.includes(id))
    .reduce((bits, role) => bits | BigInt(role.permissions), 0n)
  return (base & PERMISSION.administrator) === 0n ? base : ALL
}

/** The same in one channel, whose overwrites come on top: everyone's, then the roles', then the member's. */
export function channelPermissions(guild: Guild, channel: Channel, user: string): bigint {
  const base = guildPermissions(guild, user)
  if (base === 0n || base === ALL) return base
  const roles = guild.members.get(user) ?? []
  const overwrites = channel.permission_overwrites ?? []
  const layers = [
    overwrites.filter(({ id }) => id === guild.id),
    overwrites.filter(({ id, type }) => type === 0 && roles.includes(id)),
    overwrites.filter(({ id, type }) => type === 1 && id === user),
  ]
  return layers.reduce((bits, layer) => {
    const deny = layer.reduce((sum, overwrite) => sum | BigInt(overwrite.deny), 0n)
    const allow = layer.reduce((sum, overwrite) => sum | BigInt(overwrite.allow), 0n)
    return (bits & ~deny) | allow
  }, base)
}

/** What it takes to write there. */
export const writing = (channel: Channel): bigint =>
  channel.type === CHANNEL.thread ? PERMISSION.sendInThreads : PERMISSION.sendMessages

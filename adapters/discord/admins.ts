import { type APIGuild, type APIGuildMember, PermissionFlagsBits, type REST, Routes } from 'discord.js'
import { hasCode } from '../../core/errors.ts'
import { asked } from './errors.ts'
import { directWorkspace } from './events.ts'

interface Guild {
  readonly id: string
  readonly owner_id: string
  readonly roles: readonly { readonly id: string; readonly permissions: string }[]
}

/** Whether a member may manage the guild: its owner, or through one of the roles. Everyone has the guild's own role. */
export function manages(guild: Guild, roles: readonly string[], person: string): boolean {
  if (guild.owner_id === person) return true
  const bits = guild.roles
    .filter(({ id }) => id === guild.id || roles.includes(id))
    .reduce((sum, { permissions }) => sum | BigInt(permissions), 0n)
  return (bits & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n
}

/** How long an answer is believed, in milliseconds. */
const BELIEVED_MS = 60_000

/** Who may decide for a workspace. In a direct conversation that is the person. */
export function createAdmins(rest: REST, now: () => number): (workspace: string, person: string) => Promise<boolean> {
  const known = new Map<string, { readonly admin: boolean; readonly at: number }>()

  async function ask(workspace: string, person: string): Promise<boolean> {
    try {
      const [guild, member] = await Promise.all([
        asked<APIGuild>(rest.get(Routes.guild(workspace))),
        asked<APIGuildMember>(rest.get(Routes.guildMember(workspace, person))),
      ])
      return manages(guild, member.roles, person)
    } catch (error) {
      // Who has left the guild decides nothing in it.
      if (hasCode(error, 'PLATFORM_REFUSED')) return false
      throw error
    }
  }

  return async (workspace, person) => {
    if (workspace.startsWith('dm:')) return workspace === directWorkspace(person)
    const key = `${workspace} ${person}`
    const before = known.get(key)
    if (before !== undefined && now() - before.at < BELIEVED_MS) return before.admin
    const admin = await ask(workspace, person)
    for (const [old, { at }] of known) if (now() - at >= BELIEVED_MS) known.delete(old)
    known.set(key, { admin, at: now() })
    return admin
  }
}

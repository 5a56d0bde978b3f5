import { type APIChannel, type Client, type REST, Routes } from 'discord.js'
import { hasCode } from '../../core/errors.ts'
import { asked } from './errors.ts'

/** What a channel is. */
export interface Where {
  /** The channel that a thread belongs to; null for others. */
  readonly parent: string | null
  /** Whom a direct conversation is with; null in guilds. */
  readonly direct: string | null
}

const PLAIN: Where = { parent: null, direct: null }

const KEPT = 10_000

/** Says what a channel is; `guild` is where it was heard of, undefined for a direct conversation. */
export type Places = (channel: string, guild: string | undefined) => Promise<Where>

/** Asks the client, or else Discord, once. */
export function createPlaces(rest: REST, client: () => Client | null): Places {
  const known = new Map<string, Where>()

  function held(id: string): Where | null {
    const channel = client()?.channels.cache.get(id)
    if (channel?.isThread()) return { parent: channel.parentId, direct: null }
    return channel === undefined || channel.isDMBased() ? null : PLAIN
  }

  return async (id, guild) => {
    const before = known.get(id) ?? held(id)
    if (before !== null) return before
    try {
      const where = whereOf(await asked<APIChannel>(rest.get(Routes.channel(id))))
      known.set(id, where)
      const [oldest] = known.keys()
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest)
      return where
    } catch (error) {
      // What the bot may not see by now is as good as any channel; a direct conversation has to be somebody's.
      if (guild !== undefined && hasCode(error, 'PLATFORM_REFUSED')) return PLAIN
      throw error
    }
  }
}

export function whereOf(channel: APIChannel): Where {
  if ('recipients' in channel && channel.recipients?.[0] !== undefined) {
    return { parent: null, direct: channel.recipients[0].id }
  }
  return 'thread_metadata' in channel ? { parent: channel.parent_id ?? null, direct: null } : PLAIN
}

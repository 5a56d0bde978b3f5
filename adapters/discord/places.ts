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

/** Says what channels are: what the client holds, or else what Discord says once. */
export function createPlaces(rest: REST, client: () => Client | null): (channel: string) => Promise<Where> {
  const known = new Map<string, Where>()

  async function look(id: string): Promise<Where> {
    const held = client()?.channels.cache.get(id)
    if (held?.isThread()) return { parent: held.parentId, direct: null }
    if (held !== undefined && !held.isDMBased()) return PLAIN
    try {
      return whereOf(await asked<APIChannel>(rest.get(Routes.channel(id))))
    } catch (error) {
      // What the bot may no longer see is as good as any channel.
      if (hasCode(error, 'PLATFORM_REFUSED')) return PLAIN
      throw error
    }
  }

  return async (id) => {
    const before = known.get(id)
    if (before !== undefined) return before
    const where = await look(id)
    known.set(id, where)
    const [oldest] = known.keys()
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest)
    return where
  }
}

export function whereOf(channel: APIChannel): Where {
  if ('recipients' in channel && channel.recipients?.[0] !== undefined) {
    return { parent: null, direct: channel.recipients[0].id }
  }
  return 'thread_metadata' in channel ? { parent: channel.parent_id ?? null, direct: null } : PLAIN
}

import {
  type APIMessage,
  type GatewayGuildCreateDispatchData,
  type GatewayReadyDispatchData,
  type Guild,
  PermissionFlagsBits,
  type REST,
  Routes,
} from 'discord.js'
import { conversationsSince, lastHeard } from '../../core/store/heard.ts'
import type { Db } from '../../core/store/schema.ts'
import { limited } from '../limited.ts'
import { asked } from './errors.ts'
import { PLATFORM } from './events.ts'
import { idAt, idTime } from './interactions.ts'

/** How much of what was said while the bot was away is caught up with, in each conversation. */
const REACH = { ms: 24 * 3_600_000, pages: 5, page: 100 } as const

/** Clocks may differ by so much. What comes twice ends at the inbox. */
const SLACK_MS = 5 * 60_000

/** In each session no more conversations are asked for than so many. */
const ASKED = 200

/** Direct conversations are found among so many that were going on, within so many milliseconds. */
const DIRECT = { among: 2_000, ms: 30 * 24 * 3_600_000 } as const

/** A conversation in which something may have been said that the bot has not heard. */
export interface Missed {
  readonly workspace: string
  readonly conversation: string
  /** What was said before then was heard, in milliseconds since the epoch. */
  readonly heard: number
  /** Oldest first. */
  readonly messages: () => Promise<readonly APIMessage[]>
}

/** What was said while nobody listened. Discord says of each guild when it is there again, and what was said last in it. */
export interface History {
  /**
   * A session has begun, in which nothing of before is replayed; `before` is when its shard last heard anything, where
   * it has in this process. Returns the direct conversations, of which Discord says nothing.
   */
  began(ready: GatewayReadyDispatchData, before: number | null): Promise<readonly Missed[]>
  /** From now on nothing is heard of a guild. */
  away(guild: string, before: number): void
  /** A guild is there, again. `held` is what the client knows of it. */
  back(guild: GatewayGuildCreateDispatchData, held: Guild | undefined): readonly Missed[]
}

export function createHistory(db: Db, rest: REST, now: () => number, closing: AbortSignal): History {
  /** When each guild that is not there was last heard of. */
  const awaySince = new Map<string, number>()
  /** When an earlier process last heard anything; undefined until it was looked up. */
  let earlier: number | null | undefined
  let left = ASKED

  function missedIn(workspace: string, conversation: string, heard: number, from: number): Missed {
    return { workspace, conversation, heard, messages: () => since(rest, conversation, idAt(from), closing) }
  }

  /** A guild that is away already stays so since then. */
  function away(guild: string, before: number): void {
    if (!awaySince.has(guild)) awaySince.set(guild, before)
  }

  const reach = (heard: number) => Math.max(heard - SLACK_MS, now() - REACH.ms)

  return {
    async began({ guilds, shard: [shard] = [0, 1] }, before) {
      if (earlier === undefined) earlier = await lastHeard(db, PLATFORM)
      const heard = before ?? earlier
      if (heard === null) return []
      left = ASKED
      for (const { id } of guilds) away(id, heard)
      // Direct messages come to the first shard.
      if (shard !== 0) return []
      const all = await conversationsSince(db, PLATFORM, now() - DIRECT.ms, DIRECT.among)
      const direct = all.filter(({ workspace }) => workspace.startsWith('dm:')).slice(0, ASKED)
      return direct.map(({ workspace, conversation }) => missedIn(workspace, conversation, heard, reach(heard)))
    },
    away,
    back(guild, held) {
      const heard = awaySince.get(guild.id)
      awaySince.delete(guild.id)
      if (heard === undefined) return []
      // What was said before it joined was not said to it.
      const from = Math.max(reach(heard), Date.parse(guild.joined_at) || 0)
      const spoken = [...guild.channels, ...guild.threads]
        .flatMap((channel) => {
          const last = 'last_message_id' in channel ? channel.last_message_id : null
          return last != null && idTime(last) >= from && reads(held, channel.id) ? [{ id: channel.id, last }] : []
        })
        .sort((a, b) => idTime(b.last) - idTime(a.last))
        .slice(0, left)
      left -= spoken.length
      return spoken.map(({ id }) => missedIn(guild.id, id, heard, from))
    },
  }
}

const READING = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory

/** Whether the bot may read what was said in a channel, as far as the client knows. */
function reads(held: Guild | undefined, channel: string): boolean {
  const self = held?.members.me
  return self == null || (held?.channels.cache.get(channel)?.permissionsFor(self).has(READING) ?? true)
}

/** What was said in a channel after an id, oldest first; of more than is caught up with, the newest. */
async function since(rest: REST, channel: string, after: string, closing: AbortSignal): Promise<readonly APIMessage[]> {
  const found: APIMessage[] = []
  for (let page = 0; page < REACH.pages; page += 1) {
    const oldest = found.at(-1)
    const before = oldest === undefined ? {} : { before: oldest.id }
    const query = new URLSearchParams({ limit: String(REACH.page), ...before })
    const get = () => asked<APIMessage[]>(rest.get(Routes.channelMessages(channel), { query }))
    const messages = await limited(get, undefined, closing)
    const fresh = messages.filter(({ id }) => BigInt(id) > BigInt(after))
    found.push(...fresh)
    if (fresh.length < REACH.page) break
  }
  return found.reverse()
}

import { type APIMessage, type REST, Routes } from 'discord.js'
import { conversationsSince, lastHeard } from '../../core/store/heard.ts'
import type { Db } from '../../core/store/schema.ts'
import { asked } from './errors.ts'
import { PLATFORM } from './events.ts'
import { idAt } from './interactions.ts'

/** How much of what was said while the bot was away is caught up with, in each conversation. */
const REACH = { ms: 24 * 3_600_000, pages: 5, page: 100 } as const

/** Clocks may differ by so much. What comes twice ends at the inbox. */
const SLACK_MS = 5 * 60_000

/** Conversations that have been quiet for longer are not asked for, nor more than so many. */
const ASKED = { ms: 30 * 24 * 3_600_000, most: 200 } as const

/** A conversation in which something may have been said that the bot has not heard. */
export interface Missed {
  readonly workspace: string
  readonly conversation: string
  /** Oldest first. */
  readonly messages: () => AsyncIterable<APIMessage>
}

/** The conversations that were going on when the bot last heard anything; none before it has heard anything at all. */
export async function missed(db: Db, rest: REST, now: number): Promise<readonly Missed[]> {
  const heard = await lastHeard(db, PLATFORM)
  if (heard === null) return []
  const after = idAt(Math.max(heard - SLACK_MS, now - REACH.ms))
  const refs = await conversationsSince(db, PLATFORM, now - ASKED.ms, ASKED.most)
  return refs
    .filter(({ conversation }) => /^\d+$/.test(conversation))
    .map(({ workspace, conversation }) => ({
      workspace,
      conversation,
      messages: () => since(rest, conversation, after),
    }))
}

async function* since(rest: REST, channel: string, after: string): AsyncGenerator<APIMessage> {
  let last = after
  for (let page = 0; page < REACH.pages; page += 1) {
    const query = new URLSearchParams({ after: last, limit: String(REACH.page) })
    const messages = await asked<APIMessage[]>(rest.get(Routes.channelMessages(channel), { query }))
    const [newest] = messages
    yield* messages.toReversed()
    if (newest === undefined || messages.length < REACH.page) return
    last = newest.id
  }
}

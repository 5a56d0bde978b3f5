import { setTimeout as sleep } from 'node:timers/promises'
import type { webApi } from '@slack/bolt'
import { ClawError, RateLimited } from '../../core/errors.ts'
import { conversationsSince } from '../../core/store/heard.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Event } from '../../core/types.ts'
import { call, refusedFor } from './api.ts'
import { messageEvent, type SlackMessage } from './events.ts'
import { messageId, PLATFORM, placeOf } from './place.ts'
import type { Tenants } from './tenants.ts'

const HOUR = 3_600_000

/** How far back is looked, in how many channels and threads, and for how many messages in each. */
const BOUNDS = { back: 24 * HOUR, active: 14 * 24 * HOUR, conversations: 200, page: 100 }

/** What was on its way when the connection was lost, in milliseconds. */
const OVERLAP = 60_000
/** The longest that Slack is waited for between two calls, in milliseconds. */
const PATIENCE = 60_000

export interface CatchUp {
  readonly client: webApi.WebClient
  readonly tenants: Tenants
  readonly db: Db
  readonly now: () => number
  readonly deliver: (event: Event) => Promise<void>
  readonly signal: AbortSignal
}

/** Where to look in one workspace: a channel, or a thread of it. */
interface Source {
  readonly workspace: string
  readonly channel: string
  readonly thread: string | null
}

/** The channels that were talked in, and their threads, each once. */
export function sourcesOf(refs: readonly { readonly workspace: string; readonly conversation: string }[]): Source[] {
  const sources = new Map<string, Source>()
  for (const { workspace, conversation } of refs) {
    const { channel, thread } = placeOf(conversation)
    // A workspace as a whole is one too, where it was left.
    if (!/^[CDG]/.test(channel)) continue
    for (const one of thread === null ? [null] : [null, thread]) {
      sources.set(`${workspace} ${messageId(channel, one ?? '')}`, { workspace, channel, thread: one })
    }
  }
  return [...sources.values()]
}

/**
 * Delivers what was said while nobody listened, oldest first; what was said before `since` was heard. What had arrived
 * is known by its id. Resolves to what was not looked at, in a line, or null.
 */
export async function catchUp(since: number, options: CatchUp): Promise<string | null> {
  const { db, now, deliver, signal } = options
  const from = Math.max(since - OVERLAP, now() - BOUNDS.back)
  const refs = await conversationsSince(db, PLATFORM, now() - BOUNDS.active, BOUNDS.conversations)
  const missed = new Map<string, Event>()
  const left = new Set<string>()
  if (from > since - OVERLAP) left.add('what is older than a day')
  if (refs.length === BOUNDS.conversations) left.add(`all but the latest ${BOUNDS.conversations} conversations`)
  for (const source of sourcesOf(refs)) {
    if (signal.aborted) return null
    try {
      const { events, more } = await messagesOf(source, from, options)
      if (more) left.add(`what is beyond ${BOUNDS.page} messages of a channel or thread`)
      for (const event of events) {
        // It was not for the bot when it was heard, whatever the bot is part of by now.
        if (event.overheard && event.at < since) continue
        missed.set(`${event.workspace} ${event.id}`, event)
      }
    } catch (error) {
      if (signal.aborted) return null
      if (!(error instanceof ClawError)) throw error
      // One channel, or one workspace, keeps nothing back of the others.
      if (refusedFor(error, ['missing_scope'])) left.add('channels whose history may not be read')
      else if (error.code !== 'PLATFORM_REFUSED') left.add('what Slack gave no answer about')
    }
  }
  for (const event of [...missed.values()].sort((a, b) => a.at - b.at)) await deliver(event)
  return left.size === 0 ? null : `Of what was said while nobody listened, ${[...left].join(' and ')} was not looked at`
}

async function messagesOf({ workspace, channel, thread }: Source, from: number, options: CatchUp) {
  const { client, tenants, signal } = options
  const { token, self } = await tenants.find(workspace)
  const query = { token, channel, oldest: (from / 1_000).toFixed(6), limit: BOUNDS.page }
  const ask = () =>
    thread === null
      ? call('conversations.history', () => client.conversations.history(query))
      : call('conversations.replies', () => client.conversations.replies({ ...query, ts: thread }))
  const { messages = [], has_more: more = false } = await ask().catch(async (error: unknown) => {
    if (!(error instanceof RateLimited) || error.retryAfterMs > PATIENCE) throw error
    await sleep(error.retryAfterMs, undefined, { signal, ref: false })
    return ask()
  })
  const events = messages.flatMap((said) => {
    const event = messageEvent(workspace, { ...(said as SlackMessage), channel }, self)
    // The root comes with its replies, whenever it was said.
    return event === null || event.at < from ? [] : [event]
  })
  return { events, more }
}

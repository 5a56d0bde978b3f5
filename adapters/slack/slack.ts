import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { webApi } from '@slack/bolt'
import type { Config } from '../../config/config.ts'
import type { Tokens } from '../../config/tokens.ts'
import { conversationOfReply, isKnown, lastHeard } from '../../core/store/heard.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter } from '../adapter.ts'
import { fitsSlack } from '../markdown/slack.ts'
import { split } from '../markdown/split.ts'
import { createReplies } from '../reply.ts'
import { clientOptions } from './api.ts'
import { catchUp } from './catchup.ts'
import { connect } from './connection.ts'
import { openedEvent } from './events.ts'
import { slackFiles } from './files.ts'
import { listenTo } from './listener.ts'
import { slackNotices } from './notices.ts'
import { slackPeople } from './people.ts'
import { messageId, PLATFORM } from './place.ts'
import { type Left, singleTenant } from './tenants.ts'
import { slackManner, slackVerbs } from './verbs.ts'

/** What Slack is asked before an event is acknowledged may take so long, in milliseconds. */
const ACK_MS = 1_000

/** How long it takes until what was missed is looked for again, where that failed, in milliseconds. */
const AGAIN_MS = 60_000

export interface SlackOptions {
  readonly tokens: Tokens['slack']
  readonly config: Config['slack']
  /** Holds the installations of workspaces, and what was heard last. */
  readonly db: Db
  /** Is told of faults that no person can be told of. */
  readonly report: (error: unknown) => void
  readonly now?: () => number
}

export interface SlackAdapter extends Adapter {
  /** What is served over HTTP; null where nothing is, and before `start`. */
  address(): string | null
}

/**
 * The bot on Slack: one workspace by its bot token, or many that install the app themselves, over Socket Mode or HTTP.
 * Throws CONFIG_INVALID where tokens are missing.
 */
export function createSlack(options: SlackOptions): SlackAdapter {
  const { tokens, config, db, report, now = Date.now } = options
  // Without a token of its own, so that every call has to name its workspace's.
  const client = new webApi.WebClient(undefined, clientOptions(config.apiUrl))
  const stopping = new AbortController()
  // Whatever waits for Slack listens.
  setMaxListeners(0, stopping.signal)
  let catching: Promise<void> = Promise.resolve()
  let bounded: string | null = null
  /** Since when something may have been missed that was not looked for yet. */
  let missed: number | null = null
  let deliver: ((event: Event) => Promise<void>) | null = null
  /** Workspaces in which the bot has been spoken to alone. */
  const opened = new Set<string>()

  const single = singleTenant(client, tokens.botToken ?? '')
  const connection = connect({ tokens, config, db, report, now, single, connected })
  const { app, tenants } = connection
  const verbs = slackVerbs(client, tenants)
  const replies = createReplies(verbs, slackManner)
  const notices = slackNotices(client, tenants, now, stopping.signal)
  const { isAdmin, isBot } = slackPeople(client, tenants, now)

  listenTo(app, {
    now,
    notices,
    report,
    deliver: async (event) => tell(await placed(event)),
    left,
    stop: (workspace, channel, thread) => {
      const conversation = messageId(channel, thread)
      replies.stop((to) => to.workspace === workspace && to.conversation === conversation)
    },
  })

  /** Slack does not say when someone opens a conversation with the bot: their first words there do. */
  async function tell(event: Event): Promise<void> {
    const { workspace } = event
    if (event.type === 'message' && event.channel === undefined && !opened.has(workspace)) {
      await deliver?.(openedEvent(event))
      opened.add(workspace)
    }
    await deliver?.(event)
  }

  /** Finds out what an event itself does not say of the conversation that it belongs to. */
  async function placed(event: Event): Promise<Event> {
    if (event.type === 'reaction' || event.type === 'reaction_removed') {
      const conversation = await conversationOfReply(db, event, event.message)
      // Most reactions in a channel are none of the bot's business, and not worth a question.
      if (event.overheard === true && conversation === null) return event
      const unknown = sleep(ACK_MS, false, { ref: false })
      const bot = await Promise.race([isBot(event.workspace, event.person.id).catch(() => false), unknown])
      const person = { ...event.person, kind: bot ? ('bot' as const) : event.person.kind }
      return { ...event, person, conversation: conversation ?? event.channel ?? event.conversation }
    }
    if (event.type !== 'message' || event.replyTo === undefined || !(await isKnown(db, event))) return event
    // Only who opens a thread answers what it hangs on.
    const { replyTo: _, ...message } = event
    return message
  }

  async function left(event: Event, of: Left): Promise<void> {
    const gone = await tenants.gone(of)
    for (const workspace of gone) {
      opened.delete(workspace)
      await tell({ ...event, workspace, conversation: workspace })
    }
    if (gone.length === 0) return
    await tenants.purge(of)
    connection.recheck()
  }

  function connected(missedSince: number | null): void {
    missed ??= missedSince
    catching = catching.then(catchUpAll)
  }

  async function catchUpAll(): Promise<void> {
    const { signal } = stopping
    while (missed !== null && !signal.aborted) {
      const since = missed
      missed = null
      const deliver = async (event: Event) => tell(await placed(event))
      try {
        bounded = await catchUp(since, { client, tenants, db, now, deliver, signal })
      } catch (error) {
        missed = since
        report(error)
        await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  return {
    platform: PLATFORM,
    async start(to) {
      deliver = to
      // Before anything new is heard.
      missed = await lastHeard(db, PLATFORM)
      await connection.start()
    },
    async stop() {
      stopping.abort()
      await connection.stop()
      await catching
      replies.close()
    },
    health() {
      const health = connection.health()
      return { ...health, detail: health.detail ?? bounded }
    },
    address: connection.address,
    reply: replies.reply,
    notify: (to, notice) =>
      notices.notify(
        to,
        notice,
        split(notice.text, fitsSlack).map((markdown) => ({ markdown, key: 'notice' })),
      ),
    whisper: notices.whisper,
    ask: notices.ask,
    sendFile: slackFiles(client, tenants, stopping.signal),
    isAdmin,
  }
}

import { setMaxListeners } from 'node:events'
import { Bot } from 'grammy'
import type { CallbackQuery, Message, Update } from 'grammy/types'
import type { Config } from '../../config/config.ts'
import { ClawError, hasCode, reason } from '../../core/errors.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter, Health } from '../adapter.ts'
import { createReplies } from '../reply.ts'
import { createChats } from './chats.ts'
import { connect } from './connection.ts'
import { eventsOf, PLATFORM, type Together } from './events.ts'
import { botIdOf, isBasicGroup, messageId } from './ids.ts'
import { createMembers } from './members.ts'
import { createNotices } from './notices.ts'
import { createPace } from './pace.ts'
import { createPresses, type Pressed } from './presses.ts'
import { signer } from './question.ts'
import { readStop } from './thumbs.ts'
import { createManner, createVerbs, draftOf } from './verbs.ts'

export interface TelegramOptions {
  readonly token: string
  /** What Telegram shows when it calls the webhook; null makes one of the token. */
  readonly webhookSecret: string | null
  readonly config: Config['telegram']
  readonly db: Db
  readonly report: (error: unknown) => void
  readonly now?: () => number
}

/** A call that has no answer by then has none; long polls have a limit of their own. */
const CALL_SECONDS = 60

/** Stands at an answer to "What should it have been?" */
const THANKS = '🙏'

/** Speaks to Telegram as one bot. Nothing that it throws or reports holds the token. */
export function createTelegram(options: TelegramOptions): Adapter {
  const { token, webhookSecret, config, db, report, now = Date.now } = options
  const bot = new Bot(token, { client: { apiRoot: config.apiUrl.replace(/\/+$/, ''), timeoutSeconds: CALL_SECONDS } })
  const { api } = bot
  const me = botIdOf(token)
  const sign = signer(token)
  const stopping = new AbortController()
  // Whatever waits for Telegram listens.
  setMaxListeners(0, stopping.signal)
  let health: Health = { state: 'connecting', since: now(), detail: null }
  let deliver: ((event: Event) => Promise<void>) | undefined
  let running: Promise<void> | undefined

  const chats = createChats((from, to) => {
    // Before the bot hears anything, the chats will say so themselves.
    if (deliver !== undefined) accept(movedEvent(from, to, me, now())).catch(report)
  })
  const presses = createPresses(api, db, now, report)
  const verbs = createVerbs(api, chats, me, createPace(now))
  const replies = createReplies(verbs, createManner(config.thumbs))
  const notices = createNotices(api, chats, () => (bot.isInited() ? bot.botInfo.username : null), sign, stopping.signal)

  function stands(state: Health['state'], detail: string | null): void {
    if (state !== health.state || detail !== health.detail) health = { state, since: now(), detail }
  }

  /** A group that becomes a supergroup is left on the way, and everything of it stays. */
  async function remains(chat: number): Promise<boolean> {
    if (!isBasicGroup(chat)) return false
    return chats
      .at(chat, (id) => api.getChat(id))
      .then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'PLATFORM_REFUSED')) return false
          throw error
        },
      )
  }

  async function accept(event: Event): Promise<void> {
    if (event.type === 'left' && (await remains(Number(event.workspace)))) return
    if (event.type === 'moved') chats.move(Number(event.workspace), Number(event.to))
    if (deliver === undefined) throw new ClawError('PLATFORM_LOST', 'Telegram has been stopped')
    await deliver(event)
  }

  /** An update that cannot be read would come again and again, and keep everything else away. */
  function read(unit: Together): readonly Event[] {
    try {
      return eventsOf(unit, { me: bot.botInfo, sign, now: now() })
    } catch {
      report(new ClawError('PLATFORM_LOST', `Telegram's update ${unit.update.update_id} cannot be read`))
      return []
    }
  }

  /** Stops the reply that a button stands under, if it is one of those, and whoever asked for it presses. */
  function stop({ data, from }: CallbackQuery): Pressed {
    const part = readStop(data)
    if (part === null) return null
    let running = false
    const stopped = replies.stop(({ turn, person }) => {
      if (!part.startsWith(`${turn}.`)) return false
      running = true
      return person === `${from.id}`
    })
    return stopped ? 'stopped' : running ? 'theirs' : 'over'
  }

  /** Whoever is told that something was noticed is told so when it is durable. */
  async function hear(event: Event, { message, callback_query: query }: Update): Promise<void> {
    if (event.type === 'button' && query !== undefined) {
      const press = await presses.read(event)
      await accept(press)
      void presses.answer(query, { thumb: press })
    } else {
      await accept(event)
      if (event.type === 'correction' && message !== undefined) thank(message)
    }
  }

  /** What was asked for is not left without a sign; the same sign twice is one. */
  function thank({ chat, message_id }: Message): void {
    const there = { platform: PLATFORM, workspace: `${chat.id}`, conversation: `${chat.id}` }
    verbs.react(there, messageId(chat.id, message_id, me), THANKS).catch(report)
  }

  /** A chat's in order, chats side by side. */
  async function take(units: readonly Together[]): Promise<void> {
    const chains = new Map<string, Promise<void>>()
    for (const unit of units) {
      const { callback_query: query, stopped_message_generation: draft } = unit.update
      if (draft !== undefined) replies.stop(({ turn }) => draftOf(turn) === draft.draft_id)
      const events = read(unit)
      if (query !== undefined && events.length === 0) void presses.answer(query, stop(query))
      for (const event of events) {
        const before = chains.get(event.workspace) ?? Promise.resolve()
        chains.set(
          event.workspace,
          before.then(() => hear(event, unit.update)),
        )
      }
    }
    await Promise.all(chains.values())
  }

  return {
    platform: PLATFORM,
    ...notices,
    reply: replies.reply,
    health: () => health,
    isAdmin: createMembers(api, chats, now),
    /** Resolves when it is known whether Telegram is there; what is not goes on being tried. */
    start(to) {
      deliver = to
      return new Promise((resolve) => {
        const up = (detail?: string) => {
          stands('connected', detail ?? null)
          resolve()
        }
        const down = (state: Health['state'], detail: string) => {
          stands(state, detail)
          resolve()
        }
        const options = { bot, token, webhookSecret, config, take, up, down, report }
        running = connect(options, stopping.signal)
          .catch((error: unknown) => {
            stands('refused', reason(error))
            report(error)
          })
          .finally(resolve)
      })
    },
    async stop() {
      stopping.abort()
      await running
      replies.close()
      deliver = undefined
    },
  }
}

/** The same, whoever says it first: Telegram when a message is sent to the old chat, or either chat itself. */
function movedEvent(from: number, to: number, bot: number, at: number): Event {
  return {
    platform: PLATFORM,
    workspace: `${from}`,
    conversation: `${from}`,
    id: `moved:${to}`,
    person: { id: `${bot}`, kind: 'self' },
    at,
    type: 'moved',
    to: `${to}`,
  }
}

import { setMaxListeners } from 'node:events'
import { type APIApplicationCommand, GatewayDispatchEvents as On, REST, Routes } from 'discord.js'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter, Manner } from '../adapter.ts'
import { fitsDiscord } from '../markdown/discord.ts'
import { createReplies } from '../reply.ts'
import { createAdmins } from './admins.ts'
import { createAnswers } from './answers.ts'
import { isRegistered, REGISTRATION } from './commands.ts'
import { createConnection, type Heard } from './connection.ts'
import { asked } from './errors.ts'
import { PLATFORM } from './events.ts'
import { isGone } from './guilds.ts'
import { createHistory } from './history.ts'
import { createListener, type Stopping } from './listener.ts'
import { createPlaces } from './places.ts'
import { createVerbs } from './verbs.ts'

export interface DiscordOptions {
  readonly token: string
  readonly config: Config['discord']
  readonly db: Db
  readonly report: (error: unknown) => void
  readonly now?: () => number
  /** How long the gateway may be silent, in milliseconds. It wants a heartbeat about every 41 s. */
  readonly silenceMs?: number
}

/** Discord wants at most five messages or edits in five seconds, of everybody in a channel. */
const EDIT_MS = 1_200

/** "… is typing" is shown for ten seconds. */
const TYPING_MS = 8_000

/**
 * Speaks to Discord as one bot. Calls go through one REST client: a message may be sent again only under its nonce, so
 * nothing but a rate limit is retried here, and who calls decides how long to wait. Only interactions wait inside.
 */
export function createDiscord(options: DiscordOptions): Adapter {
  const { token, config, db, report, now = Date.now, silenceMs = 150_000 } = options
  const rest = new REST({ api: config.apiUrl, retries: 0, rejectOnRateLimit: ['/channels'] }).setToken(token)
  const stopping = new AbortController()
  const closing = stopping.signal
  // Whatever waits for Discord listens.
  setMaxListeners(0, closing)
  let application = ''
  let deliver: (event: Event) => Promise<void> = async () => {}

  const verbs = createVerbs(rest)
  const answers = createAnswers({ rest, verbs, application: () => application, now, closing })
  const manner: Manner = {
    fits: fitsDiscord,
    progress: () => 'edits',
    editMs: EDIT_MS,
    typingMs: TYPING_MS,
    thumbs: () => config.thumbs,
  }
  const replies = createReplies(verbs, manner)

  async function register(): Promise<void> {
    const route = Routes.applicationCommands(application)
    if (isRegistered(await asked<APIApplicationCommand[]>(rest.get(route)))) return
    await asked(rest.put(route, { body: REGISTRATION }))
  }

  function stopReply(key: string, person: string): Stopping {
    let found: Stopping = 'over'
    const stopped = replies.stop((to) => {
      if (!key.startsWith(`${to.turn}.`)) return false
      found = 'theirs'
      return person === to.person
    })
    return stopped ? 'stopped' : found
  }

  function hear(heard: Heard): void {
    const { t, d } = heard.payload
    if (t === On.Ready) {
      application = d.application.id
      if ((d.shard?.[0] ?? 0) === 0) register().catch(report)
    }
    listener.hear(heard)
  }

  const connection = createConnection({ token, apiUrl: config.apiUrl, now, silenceMs, hear, report })
  const client = connection.client
  const listener = createListener({
    db,
    client,
    places: createPlaces(rest, client),
    verbs,
    answers,
    deliver: (event) => deliver(event),
    history: createHistory(db, rest, now, closing),
    gone: (guild) => isGone(rest, guild),
    stopReply,
    report,
    now,
  })

  return {
    platform: PLATFORM,
    async start(to) {
      deliver = to
      await connection.start()
    },
    async stop() {
      stopping.abort()
      await connection.stop()
      replies.close()
      await listener.stop()
    },
    health: connection.health,
    reply: replies.reply,
    notify: answers.notify,
    ask: answers.ask,
    sendFile: answers.sendFile,
    isAdmin: createAdmins(rest, now),
  }
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { App } from '@slack/bolt'
import type { Config } from '../../config/config.ts'
import type { Tokens } from '../../config/tokens.ts'
import { ClawError, reason } from '../../core/errors.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Health } from '../adapter.ts'
import { clientOptions, REVOKED, Refused, refusedFor, SILENT } from './api.ts'
import { createHttpReceiver, type Listening, type OAuth } from './http.ts'
import { createSocketReceiver } from './socket.ts'
import { installedTenants, KEY_PROBLEM, Stranger, type Tenants } from './tenants.ts'

export interface ConnectionOptions {
  readonly tokens: Tokens['slack']
  readonly config: Config['slack']
  readonly db: Db
  readonly report: (error: unknown) => void
  readonly now: () => number
  /** The one workspace of a bot token; not used where workspaces install the app themselves. */
  readonly single: Tenants
  /** Is called whenever Slack is connected, with the time since which events may have been missed, or null at first. */
  readonly connected: (missedSince: number | null) => void
}

/** The app at Slack: over Socket Mode where there is an app token, else called over HTTP. Where workspaces install the app
 * themselves, the pages for that are served over HTTP either way. */
export interface Connection {
  readonly app: App
  readonly tenants: Tenants
  /** Resolves when Slack has answered, whatever it said. Throws CONFIG_INVALID, SERVER_UNAVAILABLE. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Asks whether Slack still knows the bot by its token, until it does. */
  recheck(): void
  health(): Health
  /** `http://127.0.0.1:3000/`, what is served over HTTP; null where nothing is, and before `start`. */
  address(): string | null
}

/** How long it takes until Slack is asked again, in milliseconds. */
const [REFUSED_MS, UNREACHED_MS] = [60_000, 5_000]

/** Throws CONFIG_INVALID where tokens are missing. */
export function connect(options: ConnectionOptions): Connection {
  const { tokens, config, db, report, now, single } = options
  const installed = tokens.clientId === undefined ? null : installedTenants(db, encryptionKeyOf(tokens), now)
  const tenants = installed ?? single
  const receiver = receiverOf(options, installed === null ? null : oauthOf(tokens, installed.store))
  const stopping = new AbortController()
  const { signal } = stopping
  let problem: Health | null = null
  let starting: Promise<unknown> | undefined
  let rechecking: Promise<void> | undefined

  const app = new App({
    receiver,
    clientOptions: clientOptions(config.apiUrl),
    logger: SILENT,
    ignoreSelf: false,
    convoStore: false,
    ...(installed === null ? { authorize } : {}),
  })
  app.error(async (error) => {
    // It must not come again.
    if (!isStrangers(error)) throw error
  })

  async function authorize({ teamId = '' }: { teamId: string | undefined }) {
    const { token, self } = await tenants.find(teamId)
    return { botToken: token, botId: self.bot, botUserId: self.user }
  }

  /** Whether Slack knows the bot by its token. */
  async function isKnown(): Promise<boolean> {
    if (installed !== null) return true
    try {
      await tenants.find('')
      problem = null
      return true
    } catch (error) {
      const final = error instanceof Refused
      const detail = final ? `${error.message}: check the bot token of the app` : reason(error)
      if (problem?.detail !== detail) report(error)
      problem = { state: final ? 'refused' : 'connecting', since: problem?.since ?? now(), detail }
      return false
    }
  }

  async function start(): Promise<void> {
    await app.start()
  }

  async function untilKnown(): Promise<void> {
    while (!signal.aborted && !(await isKnown())) {
      const wait = problem?.state === 'refused' ? REFUSED_MS : UNREACHED_MS
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return {
    app,
    tenants,
    async start() {
      // Those that can be read go on, and the others may install the app again.
      await installed?.check().catch(report)
      if (await isKnown()) return start()
      starting = untilKnown()
        .then(() => (signal.aborted ? undefined : start()))
        .catch(report)
    },
    recheck() {
      rechecking ??= untilKnown().finally(() => {
        rechecking = undefined
      })
    },
    async stop() {
      stopping.abort()
      await Promise.all([starting, rechecking])
      await app.stop()
    },
    health() {
      const health = problem ?? receiver.health()
      const readable = installed?.readable() ?? 'all'
      if (readable === 'all' || health.state !== 'connected') return health
      return { ...health, state: readable === 'none' ? 'refused' : health.state, detail: KEY_PROBLEM }
    },
    address: receiver.address,
  }
}

function receiverOf({ tokens, config, report, now, connected }: ConnectionOptions, oauth: OAuth | null): Listening {
  const { appToken, signingSecret, botToken } = tokens
  if (oauth === null && botToken === undefined) throw missing('SLACK_BOT_TOKEN')
  const called = { ...config, oauth, report, now }
  if (appToken === undefined) {
    if (signingSecret === undefined) throw missing('SLACK_APP_TOKEN')
    return createHttpReceiver({ ...called, signingSecret, connected })
  }
  const socket = createSocketReceiver({ appToken, apiUrl: config.apiUrl, report, now, connected })
  if (oauth === null) return socket
  // Only the pages on which workspaces install the app: nobody can sign an event with this.
  const pages = createHttpReceiver({ ...called, signingSecret: randomUUID(), connected() {} })
  return {
    ...socket,
    installer: pages.installer,
    address: pages.address,
    async start() {
      await pages.start()
      await socket.start()
    },
    async stop() {
      await socket.stop()
      await pages.stop()
    },
  }
}

function oauthOf({ clientId, clientSecret }: Tokens['slack'], installationStore: OAuth['installationStore']): OAuth {
  if (clientId === undefined || clientSecret === undefined) throw missing('SLACK_CLIENT_SECRET')
  return { clientId, clientSecret, installationStore, stateSecret: clientSecret }
}

function encryptionKeyOf({ encryptionKey }: Tokens['slack']): string {
  if (encryptionKey === undefined) throw missing('CLAW_ENCRYPTION_KEY')
  return encryptionKey
}

function missing(name: string): ClawError {
  return new ClawError('CONFIG_INVALID', `Slack lacks ${name}`, { remedy: 'Set it, or run `claw init`.' })
}

/**
 * Whether something came of a workspace that has not installed the app, or not any more. Bolt and its OAuth wrap what
 * they have caught in errors of their own.
 */
function isStrangers(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = 'original' in at ? at.original : at.cause) {
    if (at instanceof Stranger || refusedFor(at, REVOKED)) return true
  }
  return false
}

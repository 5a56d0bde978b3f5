import type { Server } from 'node:http'
import { HTTPReceiver, type InstallationStore, type Receiver } from '@slack/bolt'
import { ClawError, reason } from '../../core/errors.ts'
import type { Health } from '../adapter.ts'
import { clientOptions, SILENT } from './api.ts'
import { SCOPES } from './manifest.ts'

/** Of an app that workspaces install themselves. */
export interface OAuth {
  readonly clientId: string
  readonly clientSecret: string
  readonly stateSecret: string
  readonly installationStore: InstallationStore
}

/**
 * How long an idle connection is kept, in milliseconds: longer than proxies do, so that none of them uses one that is
 * being closed. A new one costs a turn of the event loop, which has few of them while much happens.
 */
const KEPT = 75_000

export interface HttpOptions {
  readonly apiUrl: string
  readonly signingSecret: string
  readonly host: string
  readonly port: number
  readonly oauth: OAuth | null
  readonly report: (error: unknown) => void
  readonly now: () => number
  /** Is called when it listens. */
  readonly connected: (missedSince: number | null) => void
}

/** A way in which Slack's events arrive. */
export interface Listening extends Receiver {
  /** Of an app that workspaces install themselves. */
  readonly installer?: HTTPReceiver['installer']
  health(): Health
  /** What is served over HTTP, `http://127.0.0.1:3000/`; null where nothing is. */
  address(): string | null
}

/**
 * Slack calls the bot, which answers when its listeners are through: an event that could not be written is answered with
 * an error, and comes again. `/slack/install` and `/slack/oauth_redirect` install the app in a workspace.
 */
export function createHttpReceiver(
  options: HttpOptions,
): Listening & { readonly installer: HTTPReceiver['installer'] } {
  const { apiUrl, signingSecret, host, port, oauth, report, now, connected } = options
  const inner = new HTTPReceiver({
    signingSecret,
    processBeforeResponse: true,
    logger: SILENT,
    ...(oauth === null ? {} : { ...oauth, scopes: [...SCOPES] }),
    installerOptions: {
      directInstall: true,
      authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
      clientOptions: clientOptions(apiUrl),
      callbackOptions: {
        failure: (error, _options, _request, response) => {
          report(new ClawError('PLATFORM_REFUSED', `The Slack app could not be installed (${error.code})`))
          response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
          response.end('The app could not be installed. Please start again from the installation link.')
        },
      },
    },
    processEventErrorHandler: async ({ error, response }) => {
      report(error)
      if (!response.headersSent) response.writeHead(500).end()
      return false
    },
    dispatchErrorHandler: async ({ response }) => {
      response.writeHead(404).end()
    },
  })
  let server: Server | null = null
  let health: Health = { state: 'connecting', since: now(), detail: null }

  return {
    installer: inner.installer,
    init: (app) => inner.init(app),
    async start() {
      try {
        server = await inner.start({ host, port })
        server.keepAliveTimeout = KEPT
        // For one connection that cannot be accepted the SDK would hear no other.
        server.removeAllListeners('error').on('error', report)
      } catch (cause) {
        throw new ClawError('SERVER_UNAVAILABLE', `Slack cannot be listened for on ${host}:${port}: ${reason(cause)}`, {
          remedy: 'Choose another address with slack.host and slack.port in config.json.',
        })
      }
      health = { state: 'connected', since: now(), detail: null }
      connected(null)
    },
    async stop() {
      if (server === null) return
      const closed = inner.stop()
      server.closeAllConnections()
      server = null
      await closed
    },
    health: () => health,
    address() {
      const address = server?.address()
      if (typeof address !== 'object' || address === null) return null
      return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/`
    },
  }
}

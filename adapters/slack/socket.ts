import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, type ReceiverEvent, SocketModeReceiver } from '@slack/bolt'
import { reason } from '../../core/errors.ts'
import type { Health } from '../adapter.ts'
import { clientOptions, REVOKED, Refused, refusedFor, SILENT, SOCKET_MODE_OFF, translated } from './api.ts'
import type { Listening } from './http.ts'

export interface SocketOptions {
  readonly appToken: string
  readonly apiUrl: string
  readonly report: (error: unknown) => void
  readonly now: () => number
  /** Is called whenever a connection is up, with the time since which events may have been missed, or null at first. */
  readonly connected: (missedSince: number | null) => void
  readonly patience?: Patience
}

/** In milliseconds. */
interface Patience {
  /** For the answer to a ping. */
  readonly pong: number
  /** For anything at all, pings and pongs included, before the connection is taken for dead. */
  readonly silence: number
  /** For Slack's greeting. */
  readonly hello: number
  /** A connection that lasted so long was a good one. */
  readonly good: number
  readonly pause: { readonly first: number; readonly longest: number }
}

const PATIENCE: Patience = {
  pong: 15_000,
  silence: 60_000,
  hello: 20_000,
  good: 10_000,
  pause: { first: 500, longest: 30_000 },
}

/** These stay until a person does something. */
const FINAL: readonly string[] = [...REVOKED, 'not_allowed_token_type', 'missing_scope']

/** Pings and pongs of every WebSocket of undici in this process. */
const FRAMES = ['undici:websocket:ping', 'undici:websocket:pong'] as const

/**
 * Socket Mode in which an event is acknowledged only when its listeners are through, so one that could not be written
 * comes again. Connections are made anew here and not by the SDK, whose own attempts end in an unhandled rejection; and
 * one that goes silent is given up, whether or not the SDK has seen it.
 */
export function createSocketReceiver(options: SocketOptions): Listening {
  const { appToken, apiUrl, report, now, connected } = options
  const patience = options.patience ?? PATIENCE
  const stopping = new AbortController()
  const { signal } = stopping
  let app: App | undefined
  let running: Promise<void> | undefined
  let lost: number | null = null
  /** When a connection last gave a sign of life, by the steady clock. */
  let heardAt = performance.now()
  let health: Health = { state: 'connecting', since: now(), detail: null }

  function become(state: Health['state'], detail: string | null): void {
    health = { state, since: health.state === state ? health.since : now(), detail }
  }

  function open() {
    const inner = new SocketModeReceiver({
      appToken,
      logger: SILENT,
      autoReconnectEnabled: false,
      clientPingTimeout: patience.pong,
      installerOptions: { clientOptions: clientOptions(apiUrl) },
    })
    return inner.client
  }
  type Client = ReturnType<typeof open>

  async function take(event: ReceiverEvent): Promise<void> {
    const answers: unknown[] = []
    try {
      await app?.processEvent({ ...event, ack: async (answer: unknown) => void answers.push(answer) })
    } catch (error) {
      // Not acknowledged: Slack sends it again.
      return report(error)
    }
    // Where the connection is gone by now, Slack sends it again, and it is known.
    if (answers.length > 0) await event.ack(answers[0]).catch(() => {})
  }

  /** Resolves when the connection has ended, to whether Slack asked for a new one; throws where there was none. */
  async function live(client: Client, up: () => void): Promise<boolean> {
    let orderly = false
    let address = ''
    const heard = () => {
      heardAt = performance.now()
    }
    const frame = (message: unknown) => {
      if ((message as { websocket?: { url?: string } }).websocket?.url === address) heard()
    }
    const ended = new AbortController()
    const over = new Promise<void>((resolve) => {
      client.on('disconnected', () => resolve())
      signal.addEventListener('abort', () => resolve(), { signal: ended.signal })
    })
    client.on('authenticated', ({ url = '' }: { url?: string }) => {
      address = URL.canParse(url) ? new URL(url).href : ''
    })
    client.on('ws_message', (data: unknown) => {
      heard()
      const { type, num_connections: connections, reason: why } = frameOf(data)
      if (type === 'hello') become('connected', crowd(Number(connections ?? 1)))
      if (type === 'disconnect') orderly = why === 'warning' || why === 'refresh_requested'
    })
    client.on('slack_event', ({ body, ack, retry_num: retryNum, retry_reason: retryReason }) => {
      void take({ body, ack, retryNum, retryReason })
    })
    for (const name of FRAMES) subscribe(name, frame)
    try {
      const greeted = client.start()
      greeted.catch(() => {})
      const late = sleep(patience.hello, true, { signal: ended.signal, ref: false }).catch(() => false)
      if ((await Promise.race([greeted, over.then(() => false), late])) === true) throw new Error('no greeting')
      if (signal.aborted) return true
      heard()
      up()
      const silence = (async () => {
        while (performance.now() - heardAt < patience.silence) {
          await sleep(Math.ceil(patience.silence / 10), undefined, { signal: ended.signal, ref: false })
        }
        become('connecting', 'Slack had gone silent, so the connection is made anew')
      })().catch(() => {})
      await Promise.race([over, silence])
      return orderly
    } finally {
      ended.abort()
      for (const name of FRAMES) unsubscribe(name, frame)
      client.removeAllListeners('slack_event')
      // Where the address is still waited for, the SDK would connect to it whenever it comes.
      client.on('connecting', () => queueMicrotask(() => void client.disconnect()))
      await Promise.race([client.disconnect(), sleep(1_000, undefined, { ref: false })]).catch(() => {})
    }
  }

  async function run(first: () => void): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const began = now()
      try {
        const orderly = await live(open(), () => {
          const missedSince = lost
          lost = null
          first()
          connected(missedSince)
        })
        failures = orderly || now() - began > patience.good ? 0 : failures + 1
        if (health.state === 'connected') become('connecting', null)
      } catch (error) {
        failures += 1
        refused(error)
        first()
      }
      // It may have been dead for as long as it was silent.
      lost ??= Math.round(now() - (performance.now() - heardAt))
      const { pause } = patience
      const wait = Math.min(pause.longest, pause.first * 2 ** failures) * (health.state === 'refused' ? 2 : 1)
      await sleep(failures === 0 ? pause.first / 5 : wait, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  function refused(error: unknown): void {
    const fault = translated('apps.connections.open', error)
    const final = fault instanceof Refused && FINAL.includes(fault.answer)
    const detail = final
      ? `${fault.message}: check the app-level token and its scope connections:write`
      : refusedFor(fault, SOCKET_MODE_OFF)
        ? `${fault.message}: turn Socket Mode on, on the app’s page`
        : reason(fault)
    if (detail !== health.detail) report(fault)
    become(final ? 'refused' : 'connecting', detail)
  }

  return {
    init(to) {
      app = to
    },
    /** Resolves when Slack has answered, whatever it said. */
    start: () => new Promise<void>((resolve) => (running = run(resolve))),
    async stop() {
      stopping.abort()
      await running
    },
    health: () => health,
    address: () => null,
  }
}

function frameOf(data: unknown): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(String(data)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

function crowd(connections: number): string | null {
  if (connections <= 1) return null
  return `${connections} connections use this app token, and Slack gives each event to only one of them: stop the other programs`
}

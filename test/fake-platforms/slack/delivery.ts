import { createHmac } from 'node:crypto'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Counter } from '../traffic.ts'
import { type Fields, newId } from './world.ts'

/** Something that Slack tells the app: an event, a command or an interaction. */
export interface Envelope {
  readonly type: 'events_api' | 'slash_commands' | 'interactive'
  readonly payload: Fields
}

/** What came back, and how long that took. `status` is null over a socket. */
export interface Answer {
  readonly id: string
  readonly type: Envelope['type']
  readonly attempt: number
  readonly ms: number
  readonly status: number | null
  readonly payload: unknown
}

export interface Delivery {
  /** Resolves with the first answer, or null where nobody listens and the platform gives up. */
  send(envelope: Envelope): Promise<Answer | null>
  /** A connection of Socket Mode. */
  attach(socket: WebSocket): void
  readonly sockets: ReadonlySet<WebSocket>
  readonly answers: Answer[]
  /** Where Slack calls the app without Socket Mode; null while it is down. */
  requestUrl: string | null
  /** How long an answer may take, and the pauses before each time it is sent again, in milliseconds. */
  patience: { answerMs: number; retryMs: readonly number[] }
  duplicate: number
  /** The next events are held until there are so many, and sent in the opposite order; with 0, those held are sent now. */
  hold(count: number): void
  disconnect(): void
  settled(): Promise<void>
  /** How many are neither answered nor given up. */
  underway(): number
  close(): void
}

const REASONS = { timeout: 'http_timeout', error: 'http_error', refused: 'connection_failed' } as const

export function createDelivery(signingSecret: string, counter: Counter, onWrong: (what: string) => void): Delivery {
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<WebSocket>()
  const waiting = new Map<string, (payload: unknown) => void>()
  const underway = new Set<Promise<unknown>>()
  let held: { readonly count: number; readonly sends: (() => void)[] } | null = null
  let turn = 0
  let closed = false

  async function overSocket(envelope: Envelope, attempt: number): Promise<Answer | null> {
    const open = [...sockets].filter((socket) => socket.readyState === socket.OPEN)
    const socket = open[turn++ % Math.max(1, open.length)]
    if (socket === undefined) return null
    const id = newId('E')
    const began = performance.now()
    const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve))
    socket.send(
      JSON.stringify({
        envelope_id: id,
        type: envelope.type,
        accepts_response_payload: envelope.type !== 'events_api',
        retry_attempt: attempt,
        retry_reason: attempt === 0 ? '' : 'timeout',
        payload: envelope.payload,
      }),
    )
    const payload = await Promise.race([answered, sleep(delivery.patience.answerMs, waiting, { ref: false })])
    waiting.delete(id)
    if (payload === waiting) return null
    return { id, type: envelope.type, attempt, ms: performance.now() - began, status: null, payload }
  }

  async function overHttp(envelope: Envelope, attempt: number, reason: string): Promise<Answer | string> {
    const { requestUrl } = delivery
    if (requestUrl === null) return REASONS.refused
    const { body, type } = encode(envelope)
    const at = String(Math.floor(Date.now() / 1_000))
    const headers = {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'x-slack-request-timestamp': at,
      'x-slack-signature': `v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`,
      ...(attempt === 0 ? {} : { 'x-slack-retry-num': String(attempt), 'x-slack-retry-reason': reason }),
    }
    try {
      const { status, text, ms } = await send(new URL(requestUrl), headers, body)
      const id = String(envelope.payload.event_id ?? envelope.payload.trigger_id ?? '')
      const payload = text.startsWith('{') ? JSON.parse(text) : text
      const answer = { id, type: envelope.type, attempt, ms, status, payload }
      delivery.answers.push(answer)
      return status === 200 ? answer : REASONS.error
    } catch (error) {
      return (error as Error).name === 'AbortError' ? REASONS.timeout : REASONS.refused
    }
  }

  /** `ms`: from when the whole of it was sent. How long it takes to connect is the app's business as little as Slack's. */
  function send(url: URL, headers: OutgoingHttpHeaders, body: string) {
    return new Promise<{ status: number; text: string; ms: number }>((resolve, reject) => {
      const signal = AbortSignal.timeout(delivery.patience.answerMs)
      let sent = performance.now()
      const asked = request(url, { method: 'POST', headers, agent, signal }, async (response) => {
        try {
          const text = Buffer.concat(await response.toArray()).toString()
          resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - sent })
        } catch (error) {
          reject(error)
        }
      })
      asked.on('finish', () => {
        sent = performance.now()
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }

  /** Slack sends an event again three times, and anything else once only. */
  async function insist(envelope: Envelope, first = 0): Promise<Answer | null> {
    const pauses = envelope.type === 'events_api' ? delivery.patience.retryMs : []
    let reason = ''
    for (let attempt = first; attempt <= pauses.length && !closed; attempt++) {
      if (attempt > first) await sleep(pauses[attempt - 1], undefined, { ref: false })
      if (delivery.requestUrl === null) {
        const answer = await overSocket(envelope, attempt)
        if (answer !== null) {
          delivery.answers.push(answer)
          return answer
        }
        if (sockets.size === 0) return null
      } else {
        const answer = await overHttp(envelope, attempt, reason)
        if (typeof answer !== 'string') return answer
        reason = answer
      }
    }
    return null
  }

  function release(): void {
    const sends = held?.sends ?? []
    held = null
    for (const send of sends.toReversed()) send()
  }

  function track<Result>(work: Promise<Result>): Promise<Result> {
    const tracked = work.finally(() => underway.delete(tracked))
    underway.add(tracked)
    return tracked
  }

  const delivery: Delivery = {
    sockets,
    answers: [],
    requestUrl: null,
    patience: { answerMs: 3_000, retryMs: [20, 200, 1_000] },
    duplicate: 0,
    hold(count) {
      if (count === 0) return release()
      // What is held already is only held longer.
      const sends = held?.sends ?? []
      held = { count: sends.length + count, sends }
    },
    send(envelope) {
      counter.event()
      const copies = envelope.type === 'events_api' ? delivery.duplicate : 0
      if (copies > 0) delivery.duplicate = 0
      const go = () => {
        for (let copy = 1; copy < copies; copy++) void track(insist(envelope, copy)).catch(() => {})
        return track(insist(envelope))
      }
      if (held === null || envelope.type !== 'events_api') return go()
      const { count, sends } = held
      const sent = new Promise<Answer | null>((resolve, reject) => sends.push(() => go().then(resolve, reject)))
      if (sends.length === count) release()
      return track(sent)
    },
    attach(socket) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => sockets.delete(socket))
      socket.on('message', (data: Buffer) => {
        const { envelope_id: id, payload, ...rest } = JSON.parse(String(data)) as Fields
        const resolve = waiting.get(String(id))
        if (Object.keys(rest).length > 0) onWrong('an acknowledgement has fields that Slack does not know')
        waiting.delete(String(id))
        resolve?.(payload ?? null)
      })
      socket.send(
        JSON.stringify({ type: 'hello', connection_info: { app_id: 'A0CLAW' }, num_connections: sockets.size }),
      )
    },
    disconnect() {
      for (const socket of sockets) socket.terminate()
    },
    async settled() {
      while (underway.size > 0) await Promise.allSettled(underway)
    },
    underway: () => underway.size,
    close() {
      closed = true
      agent.destroy()
      for (const socket of sockets) socket.terminate()
    },
  }
  return delivery
}

function encode({ type, payload }: Envelope): { readonly body: string; readonly type: string } {
  if (type === 'events_api') return { body: JSON.stringify(payload), type: 'application/json' }
  const fields = type === 'interactive' ? { payload: JSON.stringify(payload) } : payload
  const body = new URLSearchParams(fields as Record<string, string>).toString()
  return { body, type: 'application/x-www-form-urlencoded' }
}

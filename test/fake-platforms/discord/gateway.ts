import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Json } from './shapes.ts'

export const INTENT = {
  guilds: 1 << 0,
  members: 1 << 1,
  presences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  content: 1 << 15,
} as const

const PRIVILEGED = INTENT.members | INTENT.presences | INTENT.content

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  acknowledged: 11,
} as const

type Fields = Readonly<Record<string, unknown>>

interface Frame {
  readonly op: number
  /** Of a heartbeat, the last sequence number that has come. */
  readonly d: Fields | number | null
}

/** Something that happened, for the sessions that asked for it. */
export interface Dispatch {
  readonly type: string
  readonly intent: number
  /** Null where it is about no guild. */
  readonly guild: string | null
  /** What a session with these intents hears. */
  readonly data: (intents: number) => Json
}

type Shard = readonly [id: number, count: number]

/** Whether a shard hears of a guild; what is about none goes to the first. */
const hears = ([id, count]: Shard, guild: string | null): boolean =>
  (guild === null ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count))) === id

interface Session {
  readonly id: string
  readonly intents: number
  readonly shard: Shard
  /** What was dispatched, in sequence: what a resumed session has missed is in it. */
  readonly log: { readonly t: string; readonly d: Json }[]
  /** How many came before those of the log. */
  forgotten: number
  /** The last sequence number that the bot has told it has. */
  acknowledged: number
  socket: WebSocket | null
}

/** Sequence numbers count from 1. */
const lastOf = ({ log, forgotten }: Session): number => forgotten + log.length

export interface GatewayOptions {
  readonly server: Server
  readonly token: () => string
  /** The privileged intents that are turned on in the developer portal. */
  readonly allowed: () => number
  readonly heartbeatMs: number
  readonly url: () => string
  /** What READY says to a shard that hears of these guilds, and the guilds that follow it. */
  readonly ready: (hears: (guild: string) => boolean) => { readonly ready: Json; readonly guilds: readonly Json[] }
  readonly violate: (violation: string) => void
}

export type Admission = 'taken' | 'refused' | 'left waiting'

export interface Gateway {
  dispatch(event: Dispatch): void
  /** The next event is sent so often. */
  duplicate(copies: number): void
  /** The next events are held, and sent in the opposite order; with 0, those that are held are sent now. */
  reorder(count: number): void
  /** Breaks all connections: without a word, or with a close code. */
  drop(code?: number): void
  /** Asks all to reconnect (op 7). */
  reconnect(): void
  /** No session can be resumed any more. */
  expire(): void
  /** Drops what the bot has acknowledged, but for the latest `keep` of each session, and sessions that another took over. */
  forget(keep: number): void
  /** While true, nothing is read and nothing is sent, as of a machine that has vanished. */
  mute(on: boolean): void
  /** What becomes of new connections: they are taken, answered with an error, or never answered at all. */
  admit(how: Admission): void
  /** Resolves when everything that was sent has been read. */
  flush(): Promise<void>
  /** How much was sent to all sessions. */
  sent(): number
  /** Whether somebody listens. */
  listening(): boolean
  /** Times that sessions were identified and resumed. */
  readonly counts: { identified: number; resumed: number }
  close(): void
}

export function createGateway(options: GatewayOptions): Gateway {
  const waiting = new Set<Duplex>()
  let admission: Admission = 'taken'
  const sockets = new WebSocketServer({
    server: options.server,
    verifyClient({ req }, answer) {
      if (admission === 'left waiting') waiting.add(req.socket)
      else answer(admission === 'taken', 503)
    },
  })
  const sessions = new Map<string, Session>()
  const counts = { identified: 0, resumed: 0 }
  let copies = 1
  let held: { wanted: number; readonly events: Dispatch[] } | null = null
  let muted = false

  const send = (socket: WebSocket | null, payload: Json): void => {
    if (socket?.readyState === 1 && !muted) socket.send(JSON.stringify(payload))
  }

  function push(session: Session, t: string, d: Json, times = 1): void {
    session.log.push({ t, d })
    const s = lastOf(session)
    for (let copy = 0; copy < times; copy += 1) send(session.socket, { op: OP.dispatch, t, s, d })
  }

  function out({ type, intent, guild, data }: Dispatch): void {
    const times = copies
    copies = 1
    for (const session of sessions.values()) {
      if (!hears(session.shard, guild)) continue
      if (intent === 0 || (session.intents & intent) !== 0) push(session, type, data(session.intents), times)
    }
  }

  function dispatch(event: Dispatch): void {
    if (held === null) {
      out(event)
      return
    }
    held.events.push(event)
    if (held.events.length >= held.wanted) release()
  }

  function release(): void {
    const waiting = held?.events ?? []
    held = null
    for (const each of waiting.toReversed()) out(each)
  }

  function identify(socket: WebSocket, { token, intents, shard: named = [0, 1] }: Fields): Session | null {
    if (token !== options.token()) return refuse(socket, 4004, 'Authentication failed.')
    if (typeof intents !== 'number') return refuse(socket, 4013, 'Invalid intent(s).')
    if ((intents & PRIVILEGED & ~options.allowed()) !== 0) return refuse(socket, 4014, 'Disallowed intent(s).')
    const shard = named as Shard
    const id = randomUUID().replaceAll('-', '')
    const session: Session = { id, intents, shard, log: [], forgotten: 0, acknowledged: 0, socket }
    sessions.set(session.id, session)
    counts.identified += 1
    const { ready, guilds } = options.ready((guild) => hears(shard, guild))
    push(session, 'READY', { ...ready, shard, session_id: session.id, resume_gateway_url: options.url() })
    for (const guild of guilds) push(session, 'GUILD_CREATE', guild)
    return session
  }

  function resume(socket: WebSocket, { token, session_id, seq }: Fields): Session | null {
    if (token !== options.token()) return refuse(socket, 4004, 'Authentication failed.')
    const session = sessions.get(String(session_id))
    if (session === undefined || typeof seq !== 'number' || seq < session.forgotten || seq > lastOf(session)) {
      send(socket, { op: OP.invalid, d: false })
      return null
    }
    session.socket = socket
    session.acknowledged = seq
    counts.resumed += 1
    for (const [at, missed] of session.log.entries()) {
      const s = session.forgotten + at + 1
      if (s > seq) send(socket, { op: OP.dispatch, s, ...missed })
    }
    push(session, 'RESUMED', {})
    return session
  }

  function refuse(socket: WebSocket, code: number, reason: string): null {
    socket.close(code, reason)
    return null
  }

  sockets.on('connection', (socket, request) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    if (query.get('v') !== '10' || query.get('encoding') !== 'json') options.violate(`gateway asked for ${request.url}`)
    let session: Session | null = null
    send(socket, { op: OP.hello, d: { heartbeat_interval: options.heartbeatMs } })
    socket.on('message', (data) => {
      const { op, d } = JSON.parse(String(data)) as Frame
      if (op === OP.heartbeat) {
        if (session !== null && typeof d === 'number') session.acknowledged = d
        send(socket, { op: OP.acknowledged })
      } else if (op === OP.identify || op === OP.resume) {
        if (session !== null) socket.close(4005, 'Already authenticated.')
        else session = op === OP.identify ? identify(socket, d as Fields) : resume(socket, d as Fields)
      } else if (session === null) socket.close(4003, 'Not authenticated.')
    })
    socket.on('close', (code) => {
      if (session === null || session.socket !== socket) return
      session.socket = null
      // Who says goodbye does not come back.
      if (code === 1000 || code === 1001) sessions.delete(session.id)
    })
    socket.on('error', () => {})
  })

  const drop = (code?: number): void => {
    for (const socket of sockets.clients) code === undefined ? socket.terminate() : socket.close(code)
  }

  return {
    dispatch,
    duplicate(times) {
      copies = times
    },
    reorder(count) {
      if (count === 0) return release()
      // What is held already is only held longer.
      const events = held?.events ?? []
      held = { wanted: events.length + count, events }
    },
    drop,
    reconnect() {
      for (const { socket } of sessions.values()) send(socket, { op: OP.reconnect, d: null })
    },
    expire() {
      sessions.clear()
    },
    forget(keep) {
      const taken = new Set<number>()
      for (const session of [...sessions.values()].toReversed()) {
        const { id, log, shard, socket, acknowledged, forgotten } = session
        if (socket === null && taken.has(shard[0])) sessions.delete(id)
        taken.add(shard[0])
        session.forgotten += log.splice(0, Math.min(acknowledged - forgotten, log.length - keep)).length
      }
    },
    mute(on) {
      muted = on
      for (const socket of sockets.clients) on ? socket.pause() : socket.resume()
    },
    admit(how) {
      admission = how
      for (const socket of waiting) socket.destroy()
      waiting.clear()
    },
    async flush() {
      const open = [...sockets.clients].filter(({ readyState }) => readyState === 1)
      const read = open.map(
        (socket) =>
          new Promise<void>((resolve) => {
            const done = () => {
              socket.off('pong', done).off('close', done)
              resolve()
            }
            socket.on('pong', done).on('close', done)
            socket.ping()
          }),
      )
      await Promise.all(read)
    },
    sent: () => [...sessions.values()].reduce((sum, session) => sum + lastOf(session), 0),
    listening: () => [...sessions.values()].some(({ socket }) => socket?.readyState === 1),
    counts,
    close() {
      drop()
      sockets.close()
    },
  }
}

import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  Options,
} from 'discord.js'
import type { Health } from '../adapter.ts'
import { hopeless, unreached } from './refusals.ts'
import { guardedShards } from './shards.ts'

/** Everything that the bot hears, and nothing more. Message Content has to be turned on in the developer portal. */
export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.DirectMessageReactions,
] as const

/** A payload, and what makes it the same payload when it is replayed. */
export interface Heard {
  readonly payload: GatewayDispatchPayload
  readonly sequence: string
  readonly shard: number
}

export interface Connection {
  /** Resolves when it stands, when Discord will not have it, or when the first attempt has failed. */
  start(): Promise<void>
  stop(): Promise<void>
  health(): Health
  /** What it holds of guilds and channels. */
  client(): Client | null
}

export interface ConnectionOptions {
  readonly token: string
  readonly apiUrl: string
  readonly now: () => number
  /** The connection counts as dead after so long without a sign of life, in milliseconds. */
  readonly silenceMs: number
  /** Payloads of one shard come in order. */
  readonly hear: (heard: Heard) => void
  readonly report: (error: unknown) => void
}

const GOODBYE_MS = 2_000

const RETRY_MS = { first: 1_000, most: 60_000 }

/**
 * The connection that events come through. Payloads are taken raw: what discord.js makes of them leaves out what is not
 * in its cache, and after a restart nothing is. Its client keeps the connection, the sessions and the guilds.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { now, report } = options
  const batch: { readonly packet: Packet; readonly shard: number }[] = []
  const sessions = new Map<number, string>()
  /** Shards that stand. */
  const up = new Set<number>()
  /** When each shard last said anything. */
  const signs = new Map<number, number>()
  let health: Health = { state: 'connecting', since: now(), detail: null }
  let client: Client | null = null
  let begun = now()
  let wait = RETRY_MS.first
  let retry: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let settled: (() => void) | undefined

  function become(state: Health['state'], detail: string | null = null): void {
    if (state !== health.state || detail !== health.detail) health = { state, detail, since: now() }
    if (state === 'connected') wait = RETRY_MS.first
    if (state !== 'connecting' || detail !== null) settled?.()
  }

  /** READY may come a moment after what follows it: a batch is one turn of the event loop, put in order. */
  function flush(): void {
    const packets = batch.splice(0).sort((a, b) => Number(isReady(b.packet)) - Number(isReady(a.packet)))
    for (const { packet, shard } of packets) {
      if (isReady(packet)) sessions.set(shard, packet.d.session_id)
      options.hear({ payload: packet, sequence: `${sessions.get(shard) ?? ''}:${packet.s}`, shard })
    }
  }

  function connect(): void {
    const made: Client = new Client({
      intents: [...INTENTS],
      // One is enough for 2,500 guilds; more than that Discord does not give to one.
      shards: 'auto',
      ws: { buildStrategy: (manager) => guardedShards(manager, report) },
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        ReactionManager: 0,
        ReactionUserManager: 0,
        PresenceManager: 0,
        VoiceStateManager: 0,
        GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id }) => id === made.user?.id },
        UserManager: { maxSize: 0, keepOverLimit: ({ id }) => id === made.user?.id },
        ThreadMemberManager: 0,
      }),
      allowedMentions: { parse: [] },
      rest: { api: options.apiUrl, retries: 1 },
    })
    client = made
    begun = now()
    up.clear()
    signs.clear()
    // Rejections of listeners come here as well, and without a listener they would end the process.
    made.on(Events.Error, report)
    made.on(Events.ShardError, report)
    made.on(Events.ShardReconnecting, (shard) => {
      if (client !== made) return
      up.delete(shard)
      if (health.state !== 'refused') become('connecting', 'reconnecting')
    })
    made.on(Events.ShardDisconnect, ({ code }) => {
      if (client === made) become('refused', hopeless(code))
    })
    ;(made as unknown as EventEmitter).on('raw', (packet: Packet, shard: number) => {
      if (client !== made) return
      signs.set(shard, now())
      if (packet.t === GatewayDispatchEvents.Ready || packet.t === GatewayDispatchEvents.Resumed) {
        up.add(shard)
        if (up.size === made.ws.shards.size && health.state !== 'refused') become('connected')
      }
      if (batch.push({ packet, shard }) === 1) setImmediate(flush)
    })
    made.login(options.token).catch((error: unknown) => {
      if (client !== made) return
      const why = hopeless(error)
      if (why !== null) return become('refused', why)
      become('connecting', unreached(error))
      retry = setTimeout(rebuild, wait)
      wait = Math.min(wait * 2, RETRY_MS.most)
    })
  }

  /** A socket that is dead without knowing it may never close: nobody waits for the old one. */
  function rebuild(): void {
    clearTimeout(retry)
    const old = client
    client = null
    old?.destroy().catch(report)
    connect()
  }

  function check(): void {
    const shards = [...(client?.ws.shards.values() ?? [])]
    const beats = shards.map(({ id, lastPingTimestamp }) => Math.max(begun, signs.get(id) ?? 0, lastPingTimestamp))
    const oldest = beats.length === 0 ? begun : Math.min(...beats)
    if (health.state === 'refused' || now() - oldest < options.silenceMs) return
    become('connecting', 'Discord went silent')
    rebuild()
  }

  return {
    start() {
      watch = setInterval(check, options.silenceMs / 4)
      watch.unref()
      return new Promise((resolve) => {
        settled = resolve
        connect()
      })
    },
    async stop() {
      clearInterval(watch)
      clearTimeout(retry)
      const last = client
      client = null
      // Who has vanished does not say goodbye, and is waited for half a minute.
      await Promise.race([last?.destroy(), sleep(GOODBYE_MS, null, { ref: false })])
    },
    health: () => health,
    client: () => client,
  }
}

type Packet = GatewayDispatchPayload

const isReady = (packet: Packet): packet is Extract<Packet, { t: GatewayDispatchEvents.Ready }> =>
  packet.t === GatewayDispatchEvents.Ready

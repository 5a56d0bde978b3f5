import {
  type APIInteraction,
  type Client,
  type GatewayDispatchPayload,
  type GatewayReadyDispatchData,
  GatewayDispatchEvents as On,
} from 'discord.js'
import { hasCode } from '../../core/errors.ts'
import { receivedIn } from '../../core/store/inbox.ts'
import type { Db } from '../../core/store/schema.ts'
import { pressed } from '../../core/store/signals.ts'
import type { Event, EventOf } from '../../core/types.ts'
import type { Answers } from './answers.ts'
import type { Heard } from './connection.ts'
import { eventsOf, PLATFORM, saidEvent } from './events.ts'
import { joinedAs, joinedEvent, leftEvent, openedEvent } from './guilds.ts'
import type { Missed } from './history.ts'
import { askedOf } from './interactions.ts'
import type { Where } from './places.ts'
import type { DiscordVerbs } from './verbs.ts'
import type { Self } from './words.ts'

export interface Listener {
  hear(heard: Heard): void
  /** Takes up no more, and waits for what is in hand. */
  stop(): Promise<void>
}

export interface ListenerOptions {
  readonly db: Db
  readonly client: () => Client | null
  readonly places: (channel: string) => Promise<Where>
  readonly verbs: DiscordVerbs
  readonly answers: Answers
  readonly deliver: (event: Event) => Promise<void>
  /** Where something may have been missed before a session began: in it, nothing of before is replayed. */
  readonly missed: () => Promise<readonly Missed[]>
  /** A person does not want the rest of the reply whose part has this key. */
  readonly stopReply: (key: string, person: string) => void
  readonly report: (error: unknown) => void
  readonly now: () => number
}

const RETRY_MS = { first: 100, most: 10_000 }

/** What may work when it is tried again. */
const PASSING = ['STORE_UNREACHABLE', 'PLATFORM_LOST', 'PLATFORM_LIMITED'] as const

export function createListener(options: ListenerOptions): Listener {
  const { db, client, places, verbs, answers, report, now } = options
  const tails = new Map<string, Promise<void>>()
  /** Threads in which nobody has said anything yet. */
  const opened = new Set<string>()
  /** What people have pressed just now, which may not be in the store yet. */
  const presses = new Map<string, EventOf<'button'>['value']>()
  /** Direct conversations that are known to be open. */
  const direct = new Set<string>()
  /** Known from the first READY on, also while the client is built anew. */
  let me = ''
  let line = Promise.resolve()
  let stopped = false

  async function deliver(event: Event): Promise<void> {
    const { type, workspace } = event
    if ((type === 'message' || type === 'command') && workspace.startsWith('dm:') && !direct.has(workspace)) {
      await options.deliver(openedEvent(event))
      if (direct.size > REMEMBERED) direct.clear()
      direct.add(workspace)
    }
    await options.deliver(event)
  }

  /** Discord waits for no acknowledgement: what cannot be written down yet is kept here until it can. */
  async function patiently(job: () => Promise<void>): Promise<void> {
    for (let wait = RETRY_MS.first; !stopped; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await job()
      } catch (error) {
        report(error)
        if (!PASSING.some((code) => hasCode(error, code))) return
        await new Promise((resolve) => setTimeout(resolve, wait).unref())
      }
    }
  }

  /** One conversation's jobs come one after another. */
  function enqueue(key: string, job: () => Promise<void>): void {
    const tail = (tails.get(key) ?? Promise.resolve())
      .then(() => patiently(job))
      .finally(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
  }

  function selfIn(guild: string | undefined): Self {
    const roles =
      client()
        ?.guilds.cache.get(guild ?? '')
        ?.roles.cache.values() ?? []
    return { id: me, roles: [...roles].filter(({ tags }) => tags?.botId === me).map((role) => role.id) }
  }

  async function take({ payload, sequence }: Heard): Promise<void> {
    const { t, d } = payload
    switch (t) {
      case On.Ready:
        return patiently(async () => {
          for (const guild of await goneFrom(d)) enqueue(guild, () => deliver(leftEvent(guild, sequence, now())))
          for (const one of await options.missed()) enqueue(one.conversation, () => catchUp(one))
        })
      case On.GuildCreate:
        if (!d.unavailable) enqueue(d.id, () => deliver(joinedEvent(d, client()?.guilds.cache.get(d.id), me, now())))
        return
      case On.GuildDelete:
        // Unavailable is an outage: the bot is a member still.
        if (!d.unavailable) enqueue(d.id, () => deliver(leftEvent(d.id, sequence, now())))
        return
      case On.ThreadCreate:
        if (opened.size > REMEMBERED) opened.clear()
        if ('newly_created' in d && d.newly_created) opened.add(d.id)
        return
      default:
        if (d !== undefined && 'channel_id' in d && typeof d.channel_id === 'string') {
          const channel = d.channel_id
          const guild = 'guild_id' in d ? d.guild_id : undefined
          enqueue(channel, () => takeIn(channel, guild, payload, sequence))
        }
    }
  }

  /** Guilds that this bot had joined, and is not in any more. One shard of several is not told of all. */
  async function goneFrom({ user, guilds, shard }: GatewayReadyDispatchData): Promise<readonly string[]> {
    if ((shard?.[1] ?? 1) > 1) return []
    const still = new Set(guilds.map(({ id }) => id))
    return (await receivedIn(db, PLATFORM, joinedAs(user.id))).filter((guild) => !still.has(guild))
  }

  async function catchUp({ workspace, conversation, messages }: Missed): Promise<void> {
    const self = selfIn(workspace)
    const around = { self, ...(await places(conversation)), opened: false, sequence: '', now: now() }
    for await (const message of messages()) {
      const event = saidEvent({ ...message, guild_id: workspace }, around)
      if (event !== null && event.person.kind !== 'self') await deliver(event)
    }
  }

  async function takeIn(
    channel: string,
    guild: string | undefined,
    payload: GatewayDispatchPayload,
    sequence: string,
  ): Promise<void> {
    const self = selfIn(guild)
    if (payload.t === On.MessageCreate && payload.d.author.id === self.id) {
      return verbs.heard(payload.d.nonce, payload.d.id)
    }
    const where = await places(channel)
    const around = { self, ...where, opened: opened.has(channel), sequence, now: now() }
    for (const event of eventsOf(payload, around)) {
      if (event.type === 'deletion' && verbs.hasDeleted(event.message)) continue
      if (event.person.kind === 'self') continue
      await deliver(event)
      if (event.type === 'message') opened.delete(channel)
    }
  }

  /** The answer to Discord comes first: it waits three seconds, and whatever else is to be done may take longer. */
  async function interact(interaction: APIInteraction): Promise<void> {
    const asked = askedOf(interaction, selfIn(interaction.guild_id))
    if (asked === null) return
    if (asked.type === 'form') return answers.form(interaction, asked.about)
    if (asked.type === 'stop') {
      options.stopReply(asked.key, asked.person)
      return answers.note(interaction)
    }
    const { event } = asked
    const thumb = asked.type === 'thumb'
    const acknowledged = await (thumb ? answers.note(interaction) : answers.defer(interaction)).then(
      () => true,
      (error: unknown) => {
        report(error)
        return false
      },
    )
    if (acknowledged) {
      answers.keep({
        token: interaction.token,
        event: event.id,
        person: event.person.id,
        conversation: event.conversation,
        message: thumb ? asked.event.message : null,
        at: now(),
        deferred: !thumb,
      })
    }
    enqueue(event.conversation, async () => {
      await deliver(asked.type === 'thumb' ? await toggled(asked.event) : event)
      if (asked.type !== 'correction') return
      await answers.notify(event, { text: THANKS, only: event.person.id, command: event.id })
    })
  }

  /** Pressing the same again takes it back. */
  async function toggled(event: EventOf<'button'>): Promise<Event> {
    const key = `${event.message} ${event.person.id}`
    const stored = await pressed(db, event, event.message, event.person.id)
    const standing = presses.has(key) ? presses.get(key) : stored === null ? null : stored === '👎' ? 'down' : 'up'
    const value = standing === event.value ? null : event.value
    presses.set(key, value)
    const [oldest] = presses.keys()
    if (presses.size > REMEMBERED && oldest !== undefined) presses.delete(oldest)
    return { ...event, value }
  }

  return {
    hear(heard) {
      if (stopped) return
      if (heard.payload.t === On.Ready) me = heard.payload.d.user.id
      if (heard.payload.t === On.InteractionCreate) void interact(heard.payload.d).catch(report)
      else line = line.then(() => take(heard)).catch(report)
    },
    async stop() {
      stopped = true
      await line
      await Promise.all(tails.values())
    },
  }
}

/** Presses, threads and direct conversations that are known without asking the store. */
const REMEMBERED = 1_000

const THANKS = 'Thank you. That is what I learn most from.'

import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type APIInteraction,
  type Client,
  type GatewayDispatchPayload,
  type GatewayReadyDispatchData,
  GatewayDispatchEvents as On,
} from 'discord.js'
import { hasCode } from '../../core/errors.ts'
import { joinedBy } from '../../core/store/inbox.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Event } from '../../core/types.ts'
import { STOP, THANKS } from '../said.ts'
import type { Answers } from './answers.ts'
import type { Heard } from './connection.ts'
import { eventsOf, PLATFORM, saidEvent } from './events.ts'
import { joinedAs, joinedEvent, leftEvent, openedEvent, shardOf } from './guilds.ts'
import type { History, Missed } from './history.ts'
import { askedOf } from './interactions.ts'
import type { Places } from './places.ts'
import { thumbSays, toggled } from './thumbs.ts'
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
  readonly places: Places
  readonly verbs: DiscordVerbs
  readonly answers: Answers
  readonly deliver: (event: Event) => Promise<void>
  readonly history: History
  /** Whether Discord says that the bot is in a guild no more. */
  readonly gone: (guild: string) => Promise<boolean>
  /** A person does not want the rest of the reply whose part has this key. */
  readonly stopReply: (key: string, person: string) => Stopping
  readonly report: (error: unknown) => void
  readonly now: () => number
}

/** What came of Stop: the reply ends, it is another person's, or it is written already. */
export type Stopping = 'stopped' | 'theirs' | 'over'

const RETRY_MS = { first: 100, most: 10_000 }

/** What may work when it is tried again. */
const PASSING = ['STORE_UNREACHABLE', 'PLATFORM_LOST', 'PLATFORM_LIMITED'] as const

export function createListener(options: ListenerOptions): Listener {
  const { db, client, places, verbs, answers, history, report, now } = options
  const tails = new Map<string, Promise<void>>()
  /** Threads in which nobody has said anything yet. */
  const opened = new Set<string>()
  /** Direct conversations that are known to be open. */
  const direct = new Set<string>()
  /** Known from the first READY on, also while the client is built anew. */
  let me = ''
  let line = Promise.resolve()
  /** When each shard last said anything. */
  const heardAt = new Map<number, number>()
  const inHand = new Set<Promise<void>>()
  const stopping = new AbortController()
  // Everything that waits to be tried again listens.
  setMaxListeners(0, stopping.signal)

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
    for (let wait: number = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await job()
      } catch (error) {
        const passing = PASSING.some((code) => hasCode(error, code))
        // Said once, however long it lasts.
        if (!passing || wait === RETRY_MS.first) report(error)
        if (!passing) return
      }
      await sleep(wait, null, { ref: false, signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
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

  /** `before` is when the shard had last said anything. */
  async function take({ payload, sequence }: Heard, before: number | null): Promise<void> {
    const { t, d } = payload
    switch (t) {
      case On.Ready:
        return patiently(async () => {
          // First of all: what is written down from now on was heard now.
          const missed = await history.began(d, before)
          for (const guild of await goneFrom(d)) {
            enqueue(guild, async () => {
              if (await options.gone(guild)) await deliver(leftEvent(guild, sequence, now()))
            })
          }
          for (const one of missed) enqueue(one.conversation, () => catchUp(one))
        })
      case On.GuildCreate: {
        if (d.unavailable) return
        const held = client()?.guilds.cache.get(d.id)
        enqueue(d.id, () => deliver(joinedEvent(d, held, me, now())))
        for (const one of history.back(d, held)) enqueue(one.conversation, () => catchUp(one))
        return
      }
      case On.GuildDelete:
        // Unavailable is an outage: the bot is a member still.
        if (d.unavailable) history.away(d.id, before ?? now())
        else enqueue(d.id, () => deliver(leftEvent(d.id, sequence, now())))
        return
      case On.ThreadCreate:
        if (opened.size > REMEMBERED) opened.clear()
        if ('newly_created' in d && d.newly_created) opened.add(d.id)
        return
      default:
        if (d != null && 'channel_id' in d && typeof d.channel_id === 'string') {
          const channel = d.channel_id
          const guild = 'guild_id' in d ? d.guild_id : undefined
          enqueue(channel, () => takeIn(channel, guild, payload, sequence))
        }
    }
  }

  /** Guilds that this bot had joined, and that its session does not name. Each shard is told of its own. */
  async function goneFrom({ user, guilds, shard: [shard, count] = [0, 1] }: GatewayReadyDispatchData) {
    const still = new Set(guilds.map(({ id }) => id))
    const joined = await joinedBy(db, PLATFORM, joinedAs(user.id))
    return joined.filter((guild) => !still.has(guild) && shardOf(guild, count) === shard)
  }

  async function catchUp({ workspace, conversation, heard, messages }: Missed): Promise<void> {
    if (stopping.signal.aborted) return
    const guild = workspace.startsWith('dm:') ? undefined : workspace
    const where = await places(conversation, guild)
    const around = { self: selfIn(guild), ...where, opened: false, sequence: '', now: now() }
    for (const message of await messages()) {
      if (stopping.signal.aborted) return
      const event = saidEvent(guild === undefined ? message : { ...message, guild_id: guild }, around)
      if (event === null || event.person.kind === 'self') continue
      // It was not for the bot when it was heard, whatever the bot is part of by now.
      if (event.overheard && event.at < heard) continue
      await deliver(event)
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
    const where = await places(channel, guild)
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
    if (asked.type === 'nothing') return answers.note(interaction)
    if (asked.type === 'form') return answers.form(interaction, asked.about)
    if (asked.type === 'stop') {
      const came = options.stopReply(asked.key, asked.person)
      return came === 'stopped' ? answers.note(interaction) : answers.tell(interaction, STOP[came])
    }
    const { type, event } = asked
    const acknowledged = await (type === 'command' ? answers.defer(interaction) : answers.note(interaction)).then(
      () => true,
      (error: unknown) => {
        report(error)
        return false
      },
    )
    if (acknowledged && type !== 'correction') {
      answers.keep({
        token: interaction.token,
        event: event.id,
        person: event.person.id,
        conversation: event.conversation,
        message: type === 'thumb' ? event.message : null,
        at: now(),
        deferred: type === 'command',
      })
    }
    const tell = (text: string) => answers.notify(event, { text, only: event.person.id, command: event.id })
    enqueue(event.conversation, async () => {
      const said = type === 'thumb' ? await toggled(db, event) : event
      await deliver(said)
      if (!acknowledged) return
      // It counts, whether its person is told so or not.
      if (said.type === 'button') await tell(await thumbSays(db, said)).catch(report)
      if (said.type === 'correction') await answers.replace(interaction, THANKS).catch(report)
    })
  }

  return {
    hear(heard) {
      if (stopping.signal.aborted) return
      const { payload, shard } = heard
      const before = heardAt.get(shard) ?? null
      heardAt.set(shard, now())
      if (payload.t === On.Ready) me = payload.d.user.id
      if (payload.t !== On.InteractionCreate) {
        line = line.then(() => take(heard, before)).catch(report)
        return
      }
      const answered = interact(payload.d)
        .catch(report)
        .finally(() => inHand.delete(answered))
      inHand.add(answered)
    },
    async stop() {
      stopping.abort()
      await line
      await Promise.all(inHand)
      await Promise.all(tails.values())
    },
  }
}

/** Threads and direct conversations that are known without asking the store. */
const REMEMBERED = 1_000

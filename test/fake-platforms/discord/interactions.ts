import { randomUUID } from 'node:crypto'
import { dropOldest } from '../oldest.ts'
import { BODIES, read } from './checks.ts'
import { type Effects, memberJson } from './effects.ts'
import { channelPermissions } from './permissions.ts'
import { type Channel, type Json, type Message, REFUSALS, type Refusal, type User } from './shapes.ts'
import { addMessage, guildOf, messageJson, rootChannel, type World } from './world.ts'

const ANSWER_MS = 3_000
const TOKEN_MS = 15 * 60_000
const EPHEMERAL = 64

interface Open {
  readonly id: string
  readonly token: string
  readonly channel: Channel
  readonly user: User
  readonly since: number
  /** The message whose component it is about. */
  readonly on: Message | null
  /** The type of the answer, once there is one. */
  answered: number | null
  /** Whether what answers is for the person alone. */
  ephemeral: boolean
  original: Message | null
}

/** A form that the bot has shown to a person. */
export interface Modal {
  readonly user: string
  readonly custom_id: string
  readonly title: string
  readonly fields: readonly string[]
  readonly on: Message | null
  readonly channel: Channel
}

export interface Interactions {
  /** Somebody used a command (type 2), a component (3) or a form (5). Returns the interaction's id. */
  begin(type: 2 | 3 | 5, channel: Channel, user: User, data: Json, on?: Message): string
  callback(id: string, token: string, body: unknown): Refusal | null
  /** `@original` is created by the first edit of a deferred answer. */
  editOriginal(token: string, body: unknown, attachments: readonly Json[]): Refusal | Json
  deleteOriginal(token: string): Refusal | null
  followup(token: string, body: unknown, attachments: readonly Json[]): Refusal | Json
  /** Forms that are open, the last shown first. */
  readonly modals: Modal[]
  /** What was never answered in time. */
  unanswered(): readonly string[]
  /** Drops forms and what was answered, but for the latest `keep`. */
  forget(keep: number): void
}

export function createInteractions(world: World, effects: Effects): Interactions {
  const open = new Map<string, Open>()
  const modals: Modal[] = []

  const byToken = (token: string): Open | Refusal => {
    const found = open.get(token)
    if (found === undefined || found.answered === null) return REFUSALS.webhook
    return world.now() - found.since > TOKEN_MS ? REFUSALS.token : found
  }

  function show(at: Open, body: Json, attachments: readonly Json[], ephemeral: boolean): Message {
    const message = addMessage(world, at.channel, {
      author: world.bot,
      content: String(body.content ?? ''),
      components: (body.components ?? []) as Message['components'],
      webhook_id: world.applicationId,
      application_id: world.applicationId,
      attachments,
      type: at.original === null ? 20 : 0,
      flags: ephemeral ? EPHEMERAL : 0,
      ...(ephemeral ? { only: at.user.id } : {}),
    })
    effects.posted(at.channel, message)
    return message
  }

  return {
    modals,
    begin(type, channel, user, data, on) {
      const id = world.snowflake()
      const token = randomUUID()
      const at: Open = {
        id,
        token,
        channel,
        user,
        since: world.now(),
        on: on ?? null,
        answered: null,
        ephemeral: false,
        original: null,
      }
      open.set(token, at)
      effects.interacted(interactionJson(world, at, type, data))
      return id
    },
    callback(id, token, body) {
      const at = open.get(token)
      if (at === undefined || at.id !== id || world.now() - at.since > ANSWER_MS) return REFUSALS.interaction
      if (at.answered !== null) return REFUSALS.acknowledged
      const outer = read(BODIES.callback, body)
      if ('refusal' in outer) return outer.refusal
      const { type, data = {} } = outer.body
      at.ephemeral = (Number(data.flags ?? 0) & EPHEMERAL) !== 0
      if (type === 9) {
        const modal = read(BODIES.modal, data)
        if ('refusal' in modal) return modal.refusal
        const fields = modal.body.components.map(({ component }) => component.custom_id)
        modals.unshift({ user: at.user.id, ...modal.body, fields, on: at.on, channel: at.channel })
      } else if (type === 4 || type === 7) {
        const shown = read(BODIES.followup, data)
        if ('refusal' in shown) return shown.refusal
        if (type === 4) at.original = show(at, shown.body, [], at.ephemeral)
        else if (at.on !== null) change(at.on, shown.body)
      }
      at.answered = type
      return null
    },
    editOriginal(token, body, attachments) {
      const at = byToken(token)
      if (!('id' in at)) return at
      const shown = read(BODIES.edit, body)
      if ('refusal' in shown) return shown.refusal
      const target = at.answered === 6 || at.answered === 7 ? at.on : at.original
      if (target !== null) change(target, shown.body)
      const message = target ?? show(at, shown.body, attachments, at.ephemeral)
      if (message !== at.on) at.original = message
      return messageJson(world, message)
    },
    deleteOriginal(token) {
      const at = byToken(token)
      if (!('id' in at)) return at
      if (at.original !== null) remove(world, at.original)
      return null
    },
    followup(token, body, attachments) {
      const at = byToken(token)
      if (!('id' in at)) return at
      const shown = read(BODIES.followup, body)
      if ('refusal' in shown) return shown.refusal
      if (!shown.body.content && attachments.length === 0) return REFUSALS.empty
      // What follows a deferred answer first takes its place, and is for whom that was meant to be.
      const first = at.answered === 5 && at.original === null
      const ephemeral = first ? at.ephemeral : (Number(shown.body.flags ?? 0) & EPHEMERAL) !== 0
      const message = show(at, shown.body, attachments, ephemeral)
      if (first) at.original = message
      return messageJson(world, message)
    },
    unanswered: () =>
      [...open.values()]
        .filter(({ answered, since }) => answered === null && world.now() - since > ANSWER_MS)
        .map(({ id }) => id),
    forget(keep) {
      modals.splice(keep)
      dropOldest(open, keep, ({ answered }) => answered !== null)
    },
  }
}

function change(message: Message, { content, components }: Json): void {
  if (typeof content === 'string') message.content = content
  if (Array.isArray(components)) message.components = components
}

function remove(world: World, message: Message): void {
  const list = world.messages.get(message.channel_id) ?? []
  const at = list.indexOf(message)
  if (at >= 0) list.splice(at, 1)
}

function interactionJson(world: World, at: Open, type: number, data: Json): Json {
  const { id, token, channel, user } = at
  const guild = guildOf(world, channel)
  const roles = guild?.members.get(user.id) ?? []
  const permissions = guild && String(channelPermissions(guild, rootChannel(world, channel), user.id))
  return {
    id,
    token,
    type,
    data,
    version: 1,
    application_id: world.applicationId,
    channel_id: channel.id,
    channel,
    locale: 'en-US',
    app_permissions: '0',
    entitlements: [],
    authorizing_integration_owners: guild === undefined ? { '1': user.id } : { '0': guild.id },
    context: guild === undefined ? 1 : 0,
    ...(at.on === null ? {} : { message: messageJson(world, at.on) }),
    ...(guild === undefined
      ? { user }
      : { guild_id: guild.id, guild_locale: 'en-US', member: { ...memberJson(roles), user, permissions } }),
  }
}

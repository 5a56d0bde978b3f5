import { BODIES, COMMANDS, read } from './checks.ts'
import type { Effects } from './effects.ts'
import { memberJson } from './effects.ts'
import type { Interactions } from './interactions.ts'
import { guildPermissions, PERMISSION, writing } from './permissions.ts'
import { CHANNEL, type Channel, type Emoji, type Json, type Message, REFUSALS, type Refusal, refuse } from './shapes.ts'
import {
  addMessage,
  botPermissions,
  directWith,
  findMessage,
  keepChannel,
  knownBy,
  messageJson,
  snowflakeTime,
  type World,
} from './world.ts'

/** A call of the API. Names of the path come in order. */
export interface Call {
  readonly names: readonly string[]
  readonly query: URLSearchParams
  readonly body: unknown
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** A JSON body, nothing (204), or a refusal. */
export type Answer = Refusal | Json | readonly unknown[] | null

export interface Route {
  readonly method: string
  /** `:` stands for a name. */
  readonly path: string
  /** Whether it sends or edits: what the faults befall. */
  readonly writes?: true
  readonly run: (call: Call) => Answer
}

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'status' in answer && 'code' in answer

/** Registered commands by scope: the empty string is everywhere, else a guild. */
export type Commands = Map<string, readonly Json[]>

export interface RouteOptions {
  readonly world: World
  readonly effects: Effects
  readonly interactions: Interactions
  readonly commands: Commands
  readonly gatewayUrl: () => string
  readonly shards: number
  /** Flags of the application, as the developer portal sets them. */
  readonly flags: () => number
  /** People who take no direct messages. */
  readonly closed: ReadonlySet<string>
}

export function routes(options: RouteOptions): readonly Route[] {
  const { world, effects, interactions, commands } = options

  /** The channel, where the bot may do that. */
  function channelFor(id: string | undefined, needed: bigint): Channel | Refusal {
    const channel = world.channels.get(id ?? '')
    if (channel === undefined) return REFUSALS.channel
    const may = botPermissions(world, channel)
    if ((may & PERMISSION.viewChannel) === 0n) return REFUSALS.access
    return (may & needed) === needed ? channel : REFUSALS.permission
  }

  function create({ names: [id], body, files }: Call): Answer {
    const channel = world.channels.get(id ?? '')
    const parsed = read(BODIES.create, body)
    if ('refusal' in parsed) return parsed.refusal
    const { content, nonce, enforce_nonce, message_reference, components, embeds, flags } = parsed.body
    const attach = files.length > 0 ? PERMISSION.attachFiles : 0n
    const allowed = channelFor(id, (channel === undefined ? 0n : writing(channel)) | attach)
    if (isRefusal(allowed)) return allowed
    if (allowed.recipients?.some((person) => options.closed.has(person.id))) return REFUSALS.direct
    if (!content && !embeds?.length && files.length === 0) return REFUSALS.empty
    const key = `${allowed.id} ${nonce}`
    const known = nonce === undefined || enforce_nonce !== true ? undefined : knownBy(world, key)
    if (known !== undefined) return { ...messageJson(world, known), nonce }
    const answers = message_reference?.message_id
    if (answers !== undefined && (botPermissions(world, allowed) & PERMISSION.readHistory) === 0n) {
      return refuse(400, 160_002, 'Cannot reply without permission to read message history')
    }
    const answered = answers === undefined ? undefined : findMessage(world, allowed.id, answers)
    if (answers !== undefined && answered === undefined && message_reference?.fail_if_not_exists !== false) {
      return refuse(400, 50035, 'Invalid Form Body', {
        message_reference: { _errors: [{ code: 'REPLIES_UNKNOWN_MESSAGE' }] },
      })
    }
    const message = addMessage(world, allowed, {
      author: world.bot,
      content: (content ?? '').trim(),
      components: components ?? [],
      embeds: embeds ?? [],
      flags: flags ?? 0,
      attachments: attachmentsOf(world, files),
      ...(answered === undefined ? {} : { replies: answered.id }),
    })
    if (nonce !== undefined) world.nonces.set(key, { message, at: world.now() })
    effects.posted(allowed, message, nonce)
    return { ...messageJson(world, message), nonce }
  }

  function own({ names: [id, messageId] }: Call): { channel: Channel; message: Message } | Refusal {
    const channel = channelFor(id, 0n)
    if (isRefusal(channel)) return channel
    const message = findMessage(world, channel.id, messageId ?? '')
    return message === undefined ? REFUSALS.message : { channel, message }
  }

  function edit(call: Call): Answer {
    const found = own(call)
    if (isRefusal(found)) return found
    const parsed = read(BODIES.edit, call.body)
    if ('refusal' in parsed) return parsed.refusal
    const { channel, message } = found
    if (message.author.id !== world.bot.id) return REFUSALS.foreign
    const { content, components } = parsed.body
    if (content !== undefined) message.content = content ?? ''
    if (message.content === '' && message.embeds.length === 0 && message.attachments.length === 0) return REFUSALS.empty
    if (components !== undefined) message.components = components
    message.edited_timestamp = new Date(world.now()).toISOString()
    effects.updated(channel, message)
    return messageJson(world, message)
  }

  function remove(call: Call): Answer {
    const found = own(call)
    if (isRefusal(found)) return found
    const { channel, message } = found
    const may = botPermissions(world, channel) & PERMISSION.manageMessages
    if (message.author.id !== world.bot.id && may === 0n) return REFUSALS.permission
    const list = world.messages.get(channel.id) ?? []
    list.splice(list.indexOf(message), 1)
    effects.removed(channel, [message.id])
    return null
  }

  function list({ names: [id], query }: Call): Answer {
    const channel = channelFor(id, 0n)
    if (isRefusal(channel)) return channel
    if ((botPermissions(world, channel) & PERMISSION.readHistory) === 0n) return []
    const limit = Number(query.get('limit') ?? 50)
    if (limit < 1 || limit > 100) return refuse(400, 50035, 'Invalid Form Body')
    const after = query.get('after')
    const before = query.get('before')
    if (after !== null && before !== null) return refuse(400, 50035, 'Invalid Form Body')
    const all = (world.messages.get(channel.id) ?? []).filter(
      ({ id: each, only }) => only === undefined && (before === null || BigInt(each) < BigInt(before)),
    )
    const chosen =
      after === null ? all.slice(-limit) : all.filter((each) => BigInt(each.id) > BigInt(after)).slice(0, limit)
    return chosen.toReversed().map((message) => messageJson(world, message))
  }

  function react(call: Call, on: boolean): Answer {
    const found = own(call)
    if (isRefusal(found)) return found
    const { channel, message } = found
    const may = channelFor(channel.id, on ? PERMISSION.addReactions : 0n)
    if (isRefusal(may)) return may
    const emoji = emojiOf(decodeURIComponent(call.names[2] ?? ''))
    if (on) effects.reacted(channel, message, world.bot.id, emoji, false)
    else effects.unreacted(channel, message, world.bot.id, emoji, false)
    return null
  }

  function thread({ names: [id, from], body }: Call): Answer {
    const parent = channelFor(id, PERMISSION.createThreads)
    if (isRefusal(parent)) return parent
    const parsed = read(BODIES.thread, body)
    if ('refusal' in parsed) return parsed.refusal
    const opened = openThread(world, parent, parsed.body.name, world.bot.id, from)
    effects.threadOpened(opened)
    return { ...opened }
  }

  function register(scope: string, { names: [app], body }: Call): Answer {
    if (app !== world.applicationId)
      return refuse(403, 20_012, 'You are not authorized to perform this action on this application')
    const parsed = read(COMMANDS, body)
    if ('refusal' in parsed) return parsed.refusal
    const registered = parsed.body.map((command) => ({
      ...command,
      id: world.snowflake(),
      application_id: app,
      version: world.snowflake(),
    }))
    commands.set(scope, registered)
    return registered
  }

  function direct({ body }: Call): Answer {
    const parsed = read(BODIES.direct, body)
    if ('refusal' in parsed) return parsed.refusal
    const person = world.users.get(parsed.body.recipient_id)
    return person === undefined ? REFUSALS.user : { ...directWith(world, person) }
  }

  function guild(
    [id]: readonly string[],
    of: (guild: NonNullable<ReturnType<typeof world.guilds.get>>) => Answer,
  ): Answer {
    const found = world.guilds.get(id ?? '')
    if (found === undefined) return REFUSALS.guild
    return found.joined ? of(found) : REFUSALS.access
  }

  return [
    {
      method: 'GET',
      path: '/gateway/bot',
      run: () => ({
        url: options.gatewayUrl(),
        shards: options.shards,
        session_start_limit: { total: 1_000, remaining: 999, reset_after: 86_400_000, max_concurrency: 16 },
      }),
    },
    { method: 'GET', path: '/users/@me', run: () => ({ ...world.bot }) },
    {
      method: 'GET',
      path: '/applications/@me',
      run: () => ({ id: world.applicationId, name: 'claw', flags: options.flags(), bot_public: true, bot: world.bot }),
    },
    { method: 'POST', path: '/users/@me/channels', run: direct },
    {
      method: 'GET',
      path: '/users/@me/guilds',
      run: () =>
        [...world.guilds.values()]
          .filter(({ joined }) => joined)
          .map((one) => ({ id: one.id, name: one.name, permissions: String(guildPermissions(one, world.bot.id)) })),
    },
    {
      method: 'GET',
      path: '/channels/:',
      run({ names: [id] }) {
        const channel = channelFor(id, 0n)
        return isRefusal(channel) ? channel : { ...channel }
      },
    },
    { method: 'GET', path: '/channels/:/messages', run: list },
    { method: 'POST', path: '/channels/:/messages', writes: true, run: create },
    {
      method: 'GET',
      path: '/channels/:/messages/:',
      run(call) {
        const found = own(call)
        return isRefusal(found) ? found : messageJson(world, found.message)
      },
    },
    { method: 'PATCH', path: '/channels/:/messages/:', writes: true, run: edit },
    { method: 'DELETE', path: '/channels/:/messages/:', run: remove },
    { method: 'PUT', path: '/channels/:/messages/:/reactions/:/@me', run: (call) => react(call, true) },
    { method: 'DELETE', path: '/channels/:/messages/:/reactions/:/@me', run: (call) => react(call, false) },
    { method: 'POST', path: '/channels/:/messages/:/threads', run: thread },
    {
      method: 'POST',
      path: '/channels/:/threads',
      run: ({ names: [id], ...call }) => thread({ ...call, names: [id ?? ''] }),
    },
    {
      method: 'POST',
      path: '/channels/:/typing',
      run({ names: [id] }) {
        const channel = world.channels.get(id ?? '')
        const allowed = channelFor(id, channel === undefined ? 0n : writing(channel))
        return isRefusal(allowed) ? allowed : null
      },
    },
    {
      method: 'POST',
      path: '/interactions/:/:/callback',
      run: ({ names: [id, token], body }) => interactions.callback(id ?? '', token ?? '', body),
    },
    {
      method: 'PATCH',
      path: '/webhooks/:/:/messages/@original',
      run: ({ names: [, token], body, files }) =>
        interactions.editOriginal(token ?? '', body, attachmentsOf(world, files)),
    },
    {
      method: 'DELETE',
      path: '/webhooks/:/:/messages/@original',
      run: ({ names: [, token] }) => interactions.deleteOriginal(token ?? ''),
    },
    {
      method: 'POST',
      path: '/webhooks/:/:',
      run: ({ names: [, token], body, files }) => interactions.followup(token ?? '', body, attachmentsOf(world, files)),
    },
    { method: 'GET', path: '/applications/:/commands', run: () => commands.get('') ?? [] },
    { method: 'PUT', path: '/applications/:/commands', run: (call) => register('', call) },
    { method: 'PUT', path: '/applications/:/guilds/:/commands', run: (call) => register(call.names[1] ?? '', call) },
    {
      method: 'GET',
      path: '/guilds/:',
      run: ({ names }) => guild(names, ({ id, name, owner_id, roles }) => ({ id, name, owner_id, roles })),
    },
    { method: 'GET', path: '/guilds/:/roles', run: ({ names }) => guild(names, ({ roles }) => roles) },
    {
      method: 'GET',
      path: '/guilds/:/members/:',
      run: ({ names }) =>
        guild(names, ({ members }) => {
          const [roles, user] = [members.get(names[1] ?? ''), world.users.get(names[1] ?? '')]
          return roles === undefined || user === undefined ? REFUSALS.member : { ...memberJson(roles), user }
        }),
    },
  ]
}

export function openThread(world: World, parent: Channel, name: string, owner: string, from?: string): Channel {
  const thread: Channel = {
    // A thread that hangs on a message has that message's id.
    id: from ?? world.snowflake(),
    type: CHANNEL.thread,
    ...(parent.guild_id === undefined ? {} : { guild_id: parent.guild_id }),
    parent_id: parent.id,
    owner_id: owner,
    name,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 1_440,
      archive_timestamp: new Date(from === undefined ? world.now() : snowflakeTime(from)).toISOString(),
      locked: false,
    },
  }
  return keepChannel(world, thread)
}

/** `👍`, or `name:id` for one of a guild's own. */
export function emojiOf(text: string): Emoji {
  const [, name = text, id = null] = /^(\w+):(\d+)$/.exec(text) ?? []
  return { id, name }
}

export const attachmentsOf = (world: World, files: Call['files']): readonly Json[] =>
  files.map(({ name, text }) => ({
    id: world.snowflake(),
    filename: name,
    size: text.length,
    url: `https://cdn.discordapp.com/attachments/${name}`,
    proxy_url: `https://media.discordapp.net/attachments/${name}`,
  }))

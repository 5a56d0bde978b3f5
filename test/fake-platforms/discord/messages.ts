import { BODIES, read } from './checks.ts'
import type { Effects } from './effects.ts'
import { PERMISSION, writing } from './permissions.ts'
import { type Answer, type Call, channelFor, isRefusal, type Route } from './route.ts'
import { type Channel, emojiOf, type Message, REFUSALS, type Refusal, refuse } from './shapes.ts'
import { addMessage, attachmentsOf, botPermissions, findMessage, knownBy, messageJson, type World } from './world.ts'

/** What is said in channels, and the reactions to it. `closed`: people who take no direct messages. */
export function messageRoutes(world: World, effects: Effects, closed: ReadonlySet<string>): readonly Route[] {
  function create({ names: [id], body, files }: Call): Answer {
    const channel = world.channels.get(id ?? '')
    const parsed = read(BODIES.create, body)
    if ('refusal' in parsed) return parsed.refusal
    const { content, nonce, enforce_nonce, message_reference, components, embeds, flags } = parsed.body
    const attach = files.length > 0 ? PERMISSION.attachFiles : 0n
    const allowed = channelFor(world, id, (channel === undefined ? 0n : writing(channel)) | attach)
    if (isRefusal(allowed)) return allowed
    if (allowed.recipients?.some((person) => closed.has(person.id))) return REFUSALS.direct
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
    const channel = channelFor(world, id, 0n)
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
    const channel = channelFor(world, id, 0n)
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
    const may = channelFor(world, channel.id, on ? PERMISSION.addReactions : 0n)
    if (isRefusal(may)) return may
    const emoji = emojiOf(decodeURIComponent(call.names[2] ?? ''))
    if (on) effects.reacted(channel, message, world.bot.id, emoji, false)
    else effects.unreacted(channel, message, world.bot.id, emoji, false)
    return null
  }

  return [
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
  ]
}

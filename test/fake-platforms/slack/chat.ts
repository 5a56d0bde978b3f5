import { checkContent, checkMetadata, checkPlace, Refusal } from './checks.ts'
import { type Method, own } from './method.ts'
import { type FakeTeam, type Fields, nextTs, post, shape } from './world.ts'

const CHAT = ['chat:write']
const CONTENT = ['text', 'blocks', 'markdown_text', 'metadata', 'unfurl_links', 'unfurl_media']
const STREAM_LIMIT = 12_000

/** What the bot says. */
export const CHAT_METHODS: Readonly<Record<string, Method>> = {
  'chat.postMessage': {
    scopes: CHAT,
    required: ['channel'],
    optional: [...CONTENT, 'thread_ts', 'reply_broadcast', 'mrkdwn'],
    run(team, args, { effects }) {
      const { channel, thread } = checkPlace(team, args.channel, args.thread_ts)
      const content = checkContent(args)
      const metadata = args.metadata as Fields | undefined
      checkMetadata(metadata)
      const message = post(channel, own(team, thread, { ...content, metadata: metadata ?? null }))
      void effects.posted(team, channel, message)
      return { channel: channel.id, ts: message.ts, message: shape(message, team) }
    },
  },
  'chat.postEphemeral': {
    scopes: CHAT,
    required: ['channel', 'user'],
    optional: ['text', 'blocks', 'markdown_text', 'thread_ts'],
    run(team, args) {
      const { channel, thread } = checkPlace(team, args.channel, args.thread_ts)
      if (!channel.members.has(String(args.user))) throw new Refusal('user_not_in_channel')
      const id = nextTs()
      team.ephemerals.push({ id, channel: channel.id, thread, user: String(args.user), ...checkContent(args) })
      return { message_ts: id }
    },
  },
  'chat.update': {
    scopes: CHAT,
    required: ['channel', 'ts'],
    optional: CONTENT.filter((name) => !name.startsWith('unfurl')),
    run(team, args, { effects }) {
      const { channel, message } = written(team, args)
      if (message.streaming) throw new Refusal('streaming_state_conflict', false)
      const before = shape(message, team)
      Object.assign(message, checkContent(args), { edited: { user: team.bot.user, ts: nextTs() } })
      void effects.changed(team, channel, message, before)
      return { channel: channel.id, ts: message.ts, text: message.text }
    },
  },
  'chat.delete': {
    scopes: CHAT,
    required: ['channel', 'ts'],
    run(team, args, { effects }) {
      const { channel, message } = written(team, args)
      channel.messages.delete(message.ts)
      void effects.deleted(team, channel, message)
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.startStream': {
    scopes: CHAT,
    required: ['channel', 'thread_ts'],
    optional: ['markdown_text', 'chunks', 'recipient_team_id', 'recipient_user_id', 'task_display_mode'],
    run(team, args) {
      const { channel, thread } = checkPlace(team, args.channel, args.thread_ts)
      if (channel.type !== 'im') {
        if (args.recipient_team_id === undefined) throw new Refusal('missing_recipient_team_id')
        if (args.recipient_user_id === undefined) throw new Refusal('missing_recipient_user_id')
      }
      const message = post(channel, own(team, thread, { text: chunkOf(args), streaming: true }))
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.appendStream': {
    scopes: CHAT,
    required: ['channel', 'ts'],
    optional: ['markdown_text', 'chunks'],
    run(team, args) {
      const { channel, message } = streamed(team, args)
      message.text += chunkOf(args)
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.stopStream': {
    scopes: CHAT,
    required: ['channel', 'ts'],
    optional: ['markdown_text', 'chunks', 'blocks', 'metadata'],
    run(team, args, { effects }) {
      const { channel, message } = streamed(team, args)
      const rest = chunkOf(args)
      const { blocks } = checkContent({ text: '…', blocks: args.blocks })
      checkMetadata(args.metadata as Fields | undefined)
      Object.assign(message, { text: message.text + rest, blocks, streaming: false, metadata: args.metadata ?? null })
      void effects.posted(team, channel, message)
      return { channel: channel.id, ts: message.ts, message: shape(message, team) }
    },
  },
}

export const SENDING = /^(?:response|chat\.(?:postMessage|postEphemeral|update|startStream|appendStream|stopStream))$/

function written(team: FakeTeam, args: Fields) {
  const { channel } = checkPlace(team, args.channel, undefined)
  const message = channel.messages.get(String(args.ts))
  if (message === undefined) throw new Refusal('message_not_found', false)
  if (message.user !== team.bot.user) throw new Refusal('cant_update_message')
  return { channel, message }
}

function streamed(team: FakeTeam, args: Fields) {
  const found = written(team, args)
  if (!found.message.streaming) throw new Refusal('message_not_in_streaming_state')
  return found
}

function chunkOf(args: Fields): string {
  const chunks = (args.chunks ?? []) as readonly Fields[]
  const text = `${args.markdown_text ?? ''}${chunks.map((chunk) => chunk.text).join('')}`
  if (text.length > STREAM_LIMIT) throw new Refusal('msg_too_long')
  if (text !== '') checkContent({ text })
  return text
}

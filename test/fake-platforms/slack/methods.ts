import { checkContent, checkMetadata, checkPlace, checkView, Refusal } from './checks.ts'
import {
  APP,
  type FakeChannel,
  type FakeMessage,
  type FakeTeam,
  type Fields,
  newId,
  nextTs,
  post,
  shape,
} from './world.ts'

/** What has happened in a channel because of a call. */
export interface Effects {
  posted(team: FakeTeam, channel: FakeChannel, message: FakeMessage): void
  changed(team: FakeTeam, channel: FakeChannel, message: FakeMessage, before: Fields): void
  deleted(team: FakeTeam, channel: FakeChannel, message: FakeMessage): void
  reacted(team: FakeTeam, channel: FakeChannel, message: FakeMessage, name: string, user: string, added: boolean): void
  /** Resolves a trigger to whose it is; throws where it is used up. */
  trigger(id: string): string
  /** Where a file is uploaded to. */
  uploadUrl(team: FakeTeam, file: string): string
}

interface Method {
  /** Any one of them is enough. */
  readonly scopes: readonly string[]
  readonly required: readonly string[]
  readonly optional?: readonly string[]
  run(team: FakeTeam, args: Fields, effects: Effects): Fields
}

const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read']
const CHAT = ['chat:write']
const CONTENT = ['text', 'blocks', 'markdown_text', 'metadata', 'unfurl_links', 'unfurl_media']
const STREAM_LIMIT = 12_000

/** The methods that one workspace's bot token may call. Anything that is not here is refused as unknown. */
export const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': {
    scopes: [],
    required: [],
    run: ({ id, name, bot, enterprise }) => ({
      url: `https://${name}.slack.example/`,
      team: name,
      user: 'claw',
      team_id: id,
      user_id: bot.user,
      bot_id: bot.id,
      is_enterprise_install: false,
      ...(enterprise === null ? {} : { enterprise_id: enterprise }),
    }),
  },
  'bots.info': {
    scopes: ['users:read'],
    required: ['bot'],
    run: ({ bot }) => ({ bot: { id: bot.id, name: 'claw', deleted: false, user_id: bot.user, app_id: APP } }),
  },
  'auth.revoke': {
    scopes: [],
    required: [],
    optional: ['test'],
    run(team) {
      team.installation = null
      return { revoked: true }
    },
  },
  'team.info': {
    scopes: ['team:read'],
    required: [],
    optional: ['team'],
    run: ({ id, name }) => ({ team: { id, name } }),
  },
  'emoji.list': {
    scopes: ['emoji:read'],
    required: [],
    run: () => ({ emoji: { 'claw-yes': 'https://example.com/yes.png', 'claw-good': 'alias:claw-yes' } }),
  },
  'users.info': {
    scopes: ['users:read'],
    required: ['user'],
    optional: ['include_locale'],
    run(team, args) {
      const user = team.users.get(String(args.user))
      if (user === undefined) throw new Refusal('user_not_found', false)
      const { id, name, admin = false, guest = false, home, bot } = user
      return {
        user: {
          id,
          name,
          team_id: home ?? team.id,
          deleted: false,
          is_bot: bot !== undefined,
          is_stranger: home !== undefined,
          is_admin: admin,
          is_owner: admin,
          is_primary_owner: false,
          is_restricted: guest,
          is_ultra_restricted: false,
        },
      }
    },
  },
  'conversations.open': {
    scopes: ['im:write', 'mpim:write'],
    required: ['users'],
    optional: ['return_im'],
    run(team, args) {
      const channel = [...team.channels.values()].find(
        (one) => one.type === 'im' && one.members.has(String(args.users)),
      )
      if (channel === undefined) throw new Refusal('user_not_found', false)
      return { channel: { id: channel.id } }
    },
  },
  'conversations.info': {
    scopes: READ,
    required: ['channel'],
    run(team, args) {
      const { channel } = checkPlace(team, args.channel, undefined)
      return { channel: { id: channel.id, name: channel.name, is_im: channel.type === 'im', is_member: true } }
    },
  },
  'conversations.list': {
    scopes: READ,
    required: [],
    optional: ['types', 'limit', 'cursor', 'exclude_archived'],
    run: (team) => ({
      channels: [...team.channels.values()].map(({ id, name, type, members }) => ({
        id,
        name,
        is_im: type === 'im',
        is_member: members.has(team.bot.user),
      })),
    }),
  },
  'conversations.history': {
    scopes: HISTORY,
    required: ['channel'],
    optional: ['oldest', 'latest', 'limit', 'cursor', 'inclusive', 'include_all_metadata'],
    run: (team, args) =>
      page(team, args, (message) => message.thread === null || message.subtype === 'thread_broadcast'),
  },
  'conversations.replies': {
    scopes: HISTORY,
    required: ['channel', 'ts'],
    optional: ['oldest', 'latest', 'limit', 'cursor', 'inclusive', 'include_all_metadata'],
    run(team, args) {
      const found = page(team, args, (message) => message.thread === args.ts || message.ts === args.ts)
      return { ...found, messages: (found.messages as Fields[]).toReversed() }
    },
  },
  'chat.postMessage': {
    scopes: CHAT,
    required: ['channel'],
    optional: [...CONTENT, 'thread_ts', 'reply_broadcast', 'mrkdwn'],
    run(team, args, effects) {
      const { channel, thread } = checkPlace(team, args.channel, args.thread_ts)
      const content = checkContent(args)
      const metadata = args.metadata as Fields | undefined
      checkMetadata(metadata)
      const message = post(channel, own(team, thread, { ...content, metadata: metadata ?? null }))
      effects.posted(team, channel, message)
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
    run(team, args, effects) {
      const { channel, message } = written(team, args)
      if (message.streaming) throw new Refusal('streaming_state_conflict', false)
      const before = shape(message, team)
      Object.assign(message, checkContent(args), { edited: { user: team.bot.user, ts: nextTs() } })
      effects.changed(team, channel, message, before)
      return { channel: channel.id, ts: message.ts, text: message.text }
    },
  },
  'chat.delete': {
    scopes: CHAT,
    required: ['channel', 'ts'],
    run(team, args, effects) {
      const { channel, message } = written(team, args)
      channel.messages.delete(message.ts)
      effects.deleted(team, channel, message)
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
    run(team, args, effects) {
      const { channel, message } = streamed(team, args)
      const rest = chunkOf(args)
      const { blocks } = checkContent({ text: '…', blocks: args.blocks })
      checkMetadata(args.metadata as Fields | undefined)
      Object.assign(message, { text: message.text + rest, blocks, streaming: false, metadata: args.metadata ?? null })
      effects.posted(team, channel, message)
      return { channel: channel.id, ts: message.ts, message: shape(message, team) }
    },
  },
  'files.getUploadURLExternal': {
    scopes: ['files:write'],
    required: ['filename', 'length'],
    optional: ['alt_txt', 'snippet_type'],
    run(team, args, effects) {
      const id = newId('F')
      team.files.set(id, { id, name: String(args.filename), length: Number(args.length), text: null })
      return { upload_url: effects.uploadUrl(team, id), file_id: id }
    },
  },
  'files.completeUploadExternal': {
    scopes: ['files:write'],
    required: ['files'],
    optional: ['channel_id', 'initial_comment', 'thread_ts'],
    run(team, args, effects) {
      // Nobody's id stands for the direct conversation with them here.
      if (!/^[CGDZ]/.test(String(args.channel_id))) throw new Refusal('invalid_arguments')
      const { channel, thread } = checkPlace(team, args.channel_id, args.thread_ts)
      const files = (args.files as readonly Fields[]).map(({ id }) => team.files.get(String(id)))
      if (files.some((file) => file?.text == null)) throw new Refusal('file_not_found')
      const shared = { text: String(args.initial_comment ?? ''), subtype: 'file_share' }
      const names = files.flatMap((file) => (file === undefined ? [] : [file.name]))
      effects.posted(team, channel, post(channel, own(team, thread, { ...shared, files: names })))
      return { files: files.map((file) => ({ id: file?.id })) }
    },
  },
  'assistant.threads.setStatus': {
    scopes: ['assistant:write', 'chat:write'],
    required: ['channel_id', 'thread_ts', 'status'],
    optional: ['loading_messages'],
    run(team, args) {
      checkPlace(team, args.channel_id, args.thread_ts)
      return {}
    },
  },
  'reactions.add': { scopes: ['reactions:write'], required: ['channel', 'timestamp', 'name'], run: react(true) },
  'reactions.remove': { scopes: ['reactions:write'], required: ['channel', 'timestamp', 'name'], run: react(false) },
  'views.open': {
    scopes: [],
    required: ['trigger_id', 'view'],
    run(team, args, effects) {
      const view = args.view as Fields
      checkView(view)
      const id = newId('V')
      team.views.push({ id, user: effects.trigger(String(args.trigger_id)), view })
      return { view: { id, ...view } }
    },
  },
}

export const SENDING = /^(?:response|chat\.(?:postMessage|postEphemeral|update|startStream|appendStream|stopStream))$/

function own(team: FakeTeam, thread: string | null, fields: Partial<FakeMessage> & { text: string }) {
  return { user: team.bot.user, bot: team.bot.id, thread, ...fields }
}

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

function react(added: boolean): Method['run'] {
  return (team, args, effects) => {
    const { channel } = checkPlace(team, args.channel, undefined)
    const message = channel.messages.get(String(args.timestamp))
    if (message === undefined) throw new Refusal('message_not_found', false)
    const name = String(args.name)
    if (/[:\s]/.test(name)) throw new Refusal('invalid_name')
    effects.reacted(team, channel, message, name, team.bot.user, added)
    return {}
  }
}

function page(team: FakeTeam, args: Fields, wanted: (message: FakeMessage) => boolean): Fields {
  const { channel } = checkPlace(team, args.channel, undefined)
  const limit = Number(args.limit ?? 100)
  const [oldest, latest] = [String(args.oldest ?? '0'), String(args.latest ?? '9')]
  const found = [...channel.messages.values()]
    .filter((one) => wanted(one) && one.ts > oldest && one.ts < latest)
    .sort((a, b) => (a.ts > b.ts ? -1 : 1))
  const from = Number(args.cursor ?? 0)
  const messages = found.slice(from, from + limit).map((one) => shape(one, team, args.include_all_metadata === 'true'))
  const more = from + limit < found.length
  return {
    messages,
    has_more: more,
    response_metadata: { next_cursor: more ? String(from + limit) : '' },
  }
}

import { CHAT_METHODS } from './chat.ts'
import { checkPlace, checkView, Refusal } from './checks.ts'
import { type Method, own } from './method.ts'
import { APP, type FakeMessage, type FakeTeam, type Fields, newId, post, shape } from './world.ts'

const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read']

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
  ...CHAT_METHODS,
  'files.getUploadURLExternal': {
    scopes: ['files:write'],
    required: ['filename', 'length'],
    optional: ['alt_txt', 'snippet_type'],
    run(team, args, { uploadUrl }) {
      const id = newId('F')
      team.files.set(id, { id, name: String(args.filename), length: Number(args.length), text: null })
      return { upload_url: uploadUrl(team, id), file_id: id }
    },
  },
  'files.completeUploadExternal': {
    scopes: ['files:write'],
    required: ['files'],
    optional: ['channel_id', 'initial_comment', 'thread_ts'],
    run(team, args, { effects }) {
      // Nobody's id stands for the direct conversation with them here.
      if (!/^[CGDZ]/.test(String(args.channel_id))) throw new Refusal('invalid_arguments')
      const { channel, thread } = checkPlace(team, args.channel_id, args.thread_ts)
      const files = (args.files as readonly Fields[]).map(({ id }) => team.files.get(String(id)))
      if (files.some((file) => file?.text == null)) throw new Refusal('file_not_found')
      const shared = { text: String(args.initial_comment ?? ''), subtype: 'file_share' }
      const names = files.flatMap((file) => (file === undefined ? [] : [file.name]))
      void effects.posted(team, channel, post(channel, own(team, thread, { ...shared, files: names })))
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
    run(team, args, { trigger }) {
      const view = args.view as Fields
      checkView(view)
      const id = newId('V')
      team.views.push({ id, user: trigger(String(args.trigger_id)), view })
      return { view: { id, ...view } }
    },
  },
}

function react(added: boolean): Method['run'] {
  return (team, args, { effects }) => {
    const { channel } = checkPlace(team, args.channel, undefined)
    const message = channel.messages.get(String(args.timestamp))
    if (message === undefined) throw new Refusal('message_not_found', false)
    const name = String(args.name)
    if (/[:\s]/.test(name)) throw new Refusal('invalid_name')
    void effects.reacted(team, channel, message, name, team.bot.user, added)
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

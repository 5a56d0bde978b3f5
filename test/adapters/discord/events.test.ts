import type { GatewayDispatchPayload } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { manages } from '../../../adapters/discord/admins.ts'
import { commandWords, isRegistered, REGISTRATION } from '../../../adapters/discord/commands.ts'
import { INTENTS } from '../../../adapters/discord/connection.ts'
import { type Control, controlId, readControl } from '../../../adapters/discord/controls.ts'
import { type Around, eventsOf } from '../../../adapters/discord/events.ts'
import { askedOf, idAt, idTime } from '../../../adapters/discord/interactions.ts'
import { applicationFindings, inviteUrl, permissionFindings } from '../../../adapters/discord/invite.ts'
import { readableWords } from '../../../adapters/discord/words.ts'
import { parseCommand } from '../../../core/commands/parse.ts'

const ME = '100000000000000001'
const ANN = { id: '100000000000000002', username: 'ann', global_name: 'Ann', discriminator: '0', avatar: null }
const BOT = { ...ANN, id: '100000000000000003', username: 'other', global_name: null, bot: true }
const GUILD = '200000000000000001'
const CHANNEL = '300000000000000001'
const self = { id: ME, roles: ['400000000000000001'] }

const around: Around = { self, parent: null, direct: null, opened: false, sequence: 'session:7', now: 5_000 }
const direct: Around = { ...around, direct: ANN.id }

const message = {
  id: '500000000000000001',
  channel_id: CHANNEL,
  guild_id: GUILD,
  type: 0,
  author: ANN,
  member: { nick: 'Annie', roles: [] },
  content: 'hello',
  timestamp: '2026-01-01T12:00:00.000000+00:00',
  edited_timestamp: null,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
}

const make = (t: string, d: object, at: Around = around) =>
  eventsOf({ op: 0, s: 7, t, d } as unknown as GatewayDispatchPayload, at)

const created = (fields: object, at?: Around) => make('MESSAGE_CREATE', { ...message, ...fields }, at)
const updated = (fields: object, at?: Around) => make('MESSAGE_UPDATE', { ...message, ...fields }, at)

describe('messages', () => {
  test('a message in a guild, that nobody has addressed to the bot', () => {
    expect(created({})).toEqual([
      {
        platform: 'discord',
        workspace: GUILD,
        conversation: CHANNEL,
        channel: CHANNEL,
        overheard: true,
        id: `message:${message.id}`,
        type: 'message',
        message: message.id,
        person: { id: ANN.id, name: 'Annie', kind: 'human' },
        at: Date.UTC(2026, 0, 1, 12),
        text: 'hello',
      },
    ])
  })

  test('a direct message has no channel, and a workspace of its person', () => {
    const [event] = created({ guild_id: undefined, member: undefined }, direct)
    expect(event).toMatchObject({ workspace: `dm:${ANN.id}`, conversation: CHANNEL, person: { name: 'Ann' } })
    expect(event).not.toHaveProperty('channel')
    expect(event).not.toHaveProperty('overheard')
  })

  test('a thread is a conversation of the channel that it belongs to', () => {
    const [event] = created({}, { ...around, parent: '300000000000000009' })
    expect(event).toMatchObject({ conversation: CHANNEL, channel: '300000000000000009' })
  })

  test.each([
    ['a mention', { content: `<@${ME}> hi`, mentions: [{ ...ANN, id: ME }] }, 'hi'],
    ['an old mention', { content: `hi <@!${ME}>`, mentions: [{ ...ANN, id: ME }] }, 'hi'],
    ['a role of its own', { content: '<@&400000000000000001>, hi' }, 'hi'],
    ['an answer to its message', { referenced_message: { author: { id: ME } } }, 'hello'],
  ])('%s addresses the bot', (_, fields, text) => {
    expect(created(fields)[0]).not.toHaveProperty('overheard')
    expect(created(fields)[0]).toMatchObject({ text })
  })

  test.each([
    ['@everyone', { content: '@everyone hi', mention_everyone: true }],
    ['another role', { content: '<@&400000000000000009> hi' }],
    ['another person', { content: `<@${ANN.id}> hi`, mentions: [ANN] }],
    ['an answer to somebody else', { type: 19, referenced_message: { author: ANN } }],
  ])('%s does not', (_, fields) => {
    expect(created(fields)[0]).toMatchObject({ overheard: true })
  })

  test.each([
    ['a join', { type: 7 }],
    ['a pin', { type: 6 }],
    ['a boost', { type: 8 }],
    ['a thread that was opened', { type: 18 }],
    ['the message that a thread hangs on', { type: 21 }],
    ['the answer to a command', { type: 20 }],
    ['content that the bot may not read', { content: '' }],
  ])('%s is nothing that somebody said', (_, fields) => {
    expect(created(fields)).toEqual([])
  })

  test.each([
    ['itself', { author: { ...ANN, id: ME, bot: true } }, 'self'],
    ['another bot', { author: BOT }, 'bot'],
    ['a webhook', { webhook_id: '1' }, 'bot'],
  ])('%s is no person', (_, fields, kind) => {
    expect(created(fields)[0]?.person.kind).toBe(kind)
  })

  test('what it answers is named, and so are files, stickers and forwards that it does not read', () => {
    const fields = {
      type: 19,
      content: '',
      message_reference: { type: 0, message_id: '5' },
      attachments: [{ filename: 'plan.pdf' }],
      sticker_items: [{ name: 'wave' }],
      message_snapshots: [{ message: {} }],
    }
    const unread = ['plan.pdf', 'sticker wave', 'a forwarded message']
    expect(created(fields)[0]).toMatchObject({ replyTo: '5', unread, text: '' })
  })

  test.each([
    [`<@${ME}> status`, 'status', around],
    [`<@!${ME}> status`, 'status', around],
    [`<@${ME}> /claw memory forget 3`, '/claw memory forget 3', around],
    ['/claw why', '/claw why', direct],
  ])('%j is a command', (content, text, at) => {
    expect(created({ content }, at)[0]).toMatchObject({ type: 'command', text, id: `message:${message.id}` })
  })

  test.each([
    [`<@${ME}> why is the sky blue?`, around],
    [`<@${ME}>`, around],
    ['status', direct],
    ['/claw status', around],
  ])('%j is a message', (content, at) => {
    expect(created({ content, mentions: [{ ...ANN, id: ME }] }, at)[0]).toMatchObject({ type: 'message' })
  })

  test('a post in a forum is the first message of its own thread, and about nothing before it', () => {
    expect(created({ id: CHANNEL }, { ...around, opened: true, parent: '3' })[0]).not.toHaveProperty('replyTo')
  })

  test('the first message of a thread is about the message that the thread hangs on', () => {
    expect(created({}, { ...around, opened: true, parent: '3' })[0]).toMatchObject({ replyTo: CHANNEL })
  })
})

test.each([
  [`<@${ME}>: hello`, 'hello'],
  [`hello <@${ME}>, how are you?`, 'hello, how are you?'],
  [`<@${ANN.id}> said`, '@Ann said'],
  ['<@999> said', '<@999> said'],
  ['<:party:123456789012345678> <a:wave:1>', ':party: :wave:'],
  [`<@${ME}>\n\`\`\`js\n  x\n\`\`\``, '```js\n  x\n```'],
])('%j reads %j', (content, text) => {
  expect(readableWords(content, [ANN], self)).toBe(text)
})

describe('edits', () => {
  const edited_timestamp = '2026-01-01T12:05:00.000000+00:00'

  test('an edit is what its author says now', () => {
    const at = Date.UTC(2026, 0, 1, 12, 5)
    const id = `edit:${message.id}:${at}`
    expect(updated({ edited_timestamp, content: 'hello you' })).toMatchObject([
      { id, type: 'edit', message: message.id, text: 'hello you', at, overheard: true, person: { id: ANN.id } },
    ])
  })

  test.each([
    ['a preview', { embeds: [{ type: 'link' }] }],
    ['a pin', { pinned: true }],
    ['a payload without an author', { edited_timestamp, author: undefined }],
    ['an edit that the bot may not read', { edited_timestamp, content: '' }],
  ])('%s is none', (_, fields) => {
    expect(updated(fields)).toEqual([])
  })
})

describe('reactions', () => {
  const given = {
    user_id: ANN.id,
    channel_id: CHANNEL,
    guild_id: GUILD,
    message_id: '5',
    emoji: { id: null, name: '👍' },
  }

  test('one that comes says whose message it is on', () => {
    const own = { ...given, message_author_id: ME, member: { user: ANN, nick: null }, burst: false, type: 0 }
    const [event] = make('MESSAGE_REACTION_ADD', own)
    expect(event).toMatchObject({ id: 'reaction:session:7', type: 'reaction', message: '5', emoji: '👍', at: 5_000 })
    expect(event).not.toHaveProperty('overheard')
    expect(make('MESSAGE_REACTION_ADD', { ...own, message_author_id: ANN.id })[0]).toMatchObject({ overheard: true })
    expect(make('MESSAGE_REACTION_ADD', { ...own, message_author_id: undefined })[0]).toMatchObject({ overheard: true })
  })

  test('one that goes does not', () => {
    expect(make('MESSAGE_REACTION_REMOVE', given)[0]).toMatchObject({
      id: 'reaction_removed:session:7',
      type: 'reaction_removed',
      overheard: true,
      person: { id: ANN.id, kind: 'human' },
    })
  })

  test.each([
    ['a super reaction', { burst: true, type: 1 }, '👍'],
    ["one of the guild's own", { emoji: { id: '1', name: 'party' } }, 'party'],
    ['one whose emoji was deleted', { emoji: { id: '1', name: null } }, '1'],
  ])('%s counts', (_, fields, emoji) => {
    expect(make('MESSAGE_REACTION_ADD', { ...given, ...fields })[0]).toMatchObject({ type: 'reaction', emoji })
  })

  test('its own, and those of other bots, are no people', () => {
    expect(make('MESSAGE_REACTION_ADD', { ...given, user_id: ME })[0]?.person.kind).toBe('self')
    expect(make('MESSAGE_REACTION_ADD', { ...given, member: { user: BOT } })[0]?.person.kind).toBe('bot')
  })

  test('all of them, or all of one emoji, are taken off at once', () => {
    const { user_id: _, emoji, ...rest } = given
    expect(make('MESSAGE_REACTION_REMOVE_ALL', rest)[0]).toMatchObject({ type: 'reactions_cleared', emoji: null })
    expect(make('MESSAGE_REACTION_REMOVE_EMOJI', { ...rest, emoji })[0]).toMatchObject({ emoji: '👍', message: '5' })
  })
})

test('deletions, one or many', () => {
  const at = { channel_id: CHANNEL, guild_id: GUILD }
  expect(make('MESSAGE_DELETE', { ...at, id: '5' })).toMatchObject([
    { id: 'deletion:5', message: '5', overheard: true },
  ])
  expect(make('MESSAGE_DELETE_BULK', { ...at, ids: ['5', '6'] }).map(({ id }) => id)).toEqual([
    'deletion:5',
    'deletion:6',
  ])
})

describe('commands', () => {
  interface Option {
    readonly type: number
    readonly name: string
    readonly required?: boolean
    readonly choices?: readonly { readonly value: string }[]
    readonly options?: readonly Option[]
  }

  /** Every way to pick a command, as Discord would send it. */
  function picks(options: readonly Option[]): unknown[][] {
    return options.flatMap(({ type, name, options: inner = [] }) => {
      if (type === 2) return picks(inner).map((picked) => [{ type, name, options: picked }])
      const [option] = inner
      if (option === undefined) return [[{ type, name, options: [] }]]
      const values = option.type === 4 ? [3] : (option.choices?.map(({ value }) => value) ?? ['30'])
      const given = values.map((value) => [{ type, name, options: [{ ...option, value }] }])
      return option.required ? given : [[{ type, name, options: [] }], ...given]
    })
  }

  test('every command that can be picked is one that the bot knows', () => {
    const words = picks(REGISTRATION[0].options as Option[]).map((picked) => commandWords(picked as never))
    expect(words).toContain('memory')
    expect(words).toContain('memory forget 3')
    expect(words).toContain('forget me yes')
    expect(words.filter((text) => parseCommand(text).name === 'unknown')).toEqual([])
  })

  test('what Discord gives back of a registration is that registration', () => {
    const [claw] = REGISTRATION
    const given = { ...claw, id: '1', application_id: ME, version: '2', type: 1, nsfw: false }
    expect(isRegistered([given])).toBe(true)
    expect(isRegistered([{ ...given, description: 'another' }])).toBe(false)
    expect(isRegistered([{ ...given, options: claw.options.slice(1) }])).toBe(false)
    expect(isRegistered([])).toBe(false)
  })
})

test.each<Control>([
  { name: 'up' },
  { name: 'down' },
  { name: 'stop', key: 'abcdefghijklmnop.0' },
  { name: 'ask', about: { workspace: `dm:${ANN.id}99`, conversation: `${CHANNEL}99`, message: `${message.id}99` } },
  { name: 'correct', about: { workspace: GUILD, conversation: CHANNEL, message: message.id } },
])('the button %j fits its id and is read back', (control) => {
  expect(controlId(control).length).toBeLessThanOrEqual(100)
  expect(readControl(controlId(control))).toEqual(control)
  expect(readControl(`${controlId(control)}x`.replace('claw', 'clue'))).toBeNull()
})

test('a form counts where Discord says that it was opened from its button', () => {
  const about = { workspace: GUILD, conversation: CHANNEL, message: '5' }
  const form = (message: object | undefined, words = 'shorter') =>
    askedOf(
      {
        type: 5,
        id: message === undefined ? '1' : '2',
        user: ANN,
        channel: { id: '9', type: 1 },
        message,
        data: {
          custom_id: controlId({ name: 'correct', about }),
          components: [{ type: 18, component: { type: 4, custom_id: 'words', value: words } }],
        },
      } as never,
      self,
    )
  const opened = (button: Control) => ({ components: [{ type: 1, components: [{ custom_id: controlId(button) }] }] })
  expect(form(opened({ name: 'ask', about }))).toMatchObject({
    type: 'correction',
    event: { ...about, text: 'shorter' },
  })
  expect(form(opened({ name: 'ask', about }), ' ')).toEqual({ type: 'nothing' })
  expect(form(opened({ name: 'ask', about: { ...about, workspace: `${GUILD}9` } }))).toBeNull()
  expect(form(undefined)).toBeNull()
})

test.each([
  ['the owner', { owner_id: ANN.id }, [], true],
  ['a role that manages the guild', {}, ['7'], true],
  ['a role of an administrator', {}, ['8'], true],
  ['a role that does neither', {}, ['9'], false],
  ['a role of another guild', {}, ['6'], false],
])('%s decides for a guild: %j %j %s', (_, fields, roles, admin) => {
  const guild = {
    id: GUILD,
    owner_id: '1',
    roles: [
      { id: GUILD, permissions: '1024' },
      { id: '7', permissions: String(1 << 5) },
      { id: '8', permissions: String(1 << 3) },
      { id: '9', permissions: String(1 << 13) },
    ],
    ...fields,
  }
  expect(manages(guild, roles, ANN.id)).toBe(admin)
})

test('ids and times are one', () => {
  const at = Date.UTC(2026, 5, 1)
  expect(idTime(idAt(at))).toBe(at)
})

test('the invite link asks for exactly what is needed, and so do the intents', () => {
  const url = new URL(inviteUrl(ME))
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: ME,
    scope: 'bot applications.commands',
    permissions: String((1n << 10n) | (1n << 11n) | (1n << 38n) | (1n << 16n) | (1n << 6n)),
  })
  expect(INTENTS.reduce((bits, intent) => bits | intent, 0)).toBe(46_593)
})

test('doctor names what the bot may not do in a server', () => {
  const asked = BigInt(new URL(inviteUrl(ME)).searchParams.get('permissions') ?? '')
  const of = (permissions: bigint) => permissionFindings({ name: 'Harbour', permissions: String(permissions) } as never)
  expect(of(asked)).toEqual([])
  expect(of(1n << 3n)).toEqual([])
  expect(of(asked & ~(1n << 38n) & ~(1n << 16n))).toMatchObject([
    {
      name: 'missing permissions',
      level: 'warning',
      detail: 'In the server Harbour the bot lacks Send Messages in Threads, Read Message History',
    },
  ])
})

test.each([
  ['intent off', { flags: 0 }],
  ['interactions elsewhere', { flags: 1 << 18, interactions_endpoint_url: 'https://example.com' }],
  ['code grant', { flags: 1 << 19, bot_require_code_grant: true }],
])('doctor names %s', (name, application) => {
  expect(applicationFindings(application as never)).toMatchObject([{ name, level: 'error' }])
})

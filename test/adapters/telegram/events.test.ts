import { describe, expect, test } from 'vitest'
import { messageId } from '../../../adapters/telegram/ids.ts'
import { questionLink } from '../../../adapters/telegram/question.ts'
import { ann, bot, direct, eventsFrom, forum, fromMessage, group, ME, message, other, sign } from './update.ts'

const member = (status: string, rest = {}) => ({ status, user: bot, ...rest })

describe('messages', () => {
  test('in a private chat address the bot', () => {
    expect(fromMessage({ chat: direct, text: 'hi' })).toEqual({
      platform: 'telegram',
      workspace: '42',
      conversation: '42',
      id: `${ME.id}:9`,
      person: { id: '42', name: 'Ann Lee', kind: 'human' },
      at: 1_000_000,
      type: 'message',
      message: `42:5:${ME.id}`,
      text: 'hi',
    })
  })

  test.each([
    ['hi all', 'hi all', true],
    ['@claw_bot hi', 'hi', false],
    ['@CLAW_bot, hi', 'hi', false],
    ['hi @claw_bot', 'hi', false],
    ['what does @claw_bot do?', 'what does @claw_bot do?', false],
    ['@claw_bottle hi', '@claw_bottle hi', true],
    ['@other_bot hi', '@other_bot hi', true],
    ['@claw_bot @claw_bot hi', 'hi', false],
  ])('in a group: %s', (text, said, overheard) => {
    const event = fromMessage({ text })
    expect(event).toMatchObject({ type: 'message', text: said, workspace: '-100', channel: '-100' })
    expect(event?.overheard ?? false).toBe(overheard)
  })

  test('a person without a name that can be written is mentioned by an entity', () => {
    const entities = [{ type: 'text_mention', offset: 0, length: 4, user: bot }]
    expect(fromMessage({ text: 'Claw hi', entities })).toMatchObject({ text: 'hi' })
    expect(fromMessage({ text: 'Claw hi', entities })?.overheard).toBeUndefined()
  })

  test('emoji before a mention count as Telegram counts them', () => {
    expect(fromMessage({ text: '🙂🙂 @claw_bot' })).toMatchObject({ text: '🙂🙂' })
  })

  test('what answers the bot addresses it, and names what it answers', () => {
    const answered = message({ message_id: 3, from: bot, text: 'reply' })
    const event = fromMessage({ text: 'no', reply_to_message: answered })
    expect(event).toMatchObject({ text: 'no', replyTo: `-100:3:${ME.id}` })
    expect(event?.overheard).toBeUndefined()
    expect(fromMessage({ text: 'no', reply_to_message: message({ message_id: 3 }) })?.overheard).toBe(true)
  })

  test('a topic is a channel of its own; a thread of answers is none', () => {
    const opened = message({ message_id: 2, from: bot, chat: forum, forum_topic_created: { name: 'x' } })
    const said = { chat: forum, text: 'hi', message_thread_id: 2, reply_to_message: opened }
    expect(fromMessage({ ...said, is_topic_message: true })).toMatchObject({
      conversation: `${forum.id}:2`,
      channel: `${forum.id}:2`,
      overheard: true,
      message: `${forum.id}:5`,
    })
    expect(fromMessage({ ...said, is_topic_message: true })).not.toHaveProperty('replyTo')
    expect(fromMessage({ ...said, reply_to_message: message({}) })).toMatchObject({ conversation: `${forum.id}` })
  })

  test('admins who hide behind the group are the group', () => {
    expect(fromMessage({ text: 'hi', from: other, sender_chat: group })?.person).toEqual({
      id: '-100',
      name: 'Team',
      kind: 'human',
    })
  })

  test.each([
    [bot, 'self'],
    [other, 'bot'],
  ])('of %o are %s', (from, kind) => {
    expect(fromMessage({ text: 'hi', from })?.person.kind).toBe(kind)
  })

  test.each([
    [{ photo: [{}], caption: 'look' }, 'look', ['photo']],
    [{ voice: {} }, '', ['voice message']],
    [{ document: { file_name: 'a.pdf' } }, '', ['a.pdf']],
    [{ document: {} }, '', ['file']],
    [{ animation: {}, document: { file_name: 'b.mp4' } }, '', ['animation']],
    [{ sticker: { emoji: '🎉' } }, '', ['sticker 🎉']],
    [{ video: { file_name: 'c.mp4' } }, '', ['c.mp4']],
    [{ video_note: {} }, '', ['video message']],
    [{ audio: { title: 'Song' } }, '', ['Song']],
    [{ location: {} }, '', ['location']],
    [{ venue: { title: 'Café' }, location: {} }, '', ['location: Café']],
    [{ contact: {} }, '', ['contact']],
    [{ poll: {} }, '', ['poll']],
    [{ dice: { emoji: '🎲' } }, '', ['🎲']],
  ])('with %o', (fields, text, unread) => {
    expect(fromMessage({ chat: direct, ...fields })).toMatchObject({ type: 'message', text, unread })
  })

  test.each([
    [{ new_chat_members: [ann] }],
    [{ left_chat_member: ann }],
    [{ pinned_message: {} }],
    [{ new_chat_title: 'x' }],
    [{ forum_topic_created: { name: 'x' } }],
  ])('of the service are none: %o', (fields) => {
    expect(fromMessage(fields)).toBeUndefined()
  })
})

describe('commands', () => {
  test.each([
    ['/claw status', 'status'],
    ['/claw@claw_bot status', 'status'],
    ['/claw', ''],
    ['/status@claw_bot', 'status'],
    ['/learn_on@claw_bot', 'learn on'],
    ['@claw_bot status', 'status'],
    ['@claw_bot learn on', 'learn on'],
    ['@claw_bot', ''],
  ])('in a group: %s', (text, words) => {
    const event = fromMessage({ text })
    expect(event).toMatchObject({ type: 'command', text: words })
    expect(event?.overheard).toBeUndefined()
  })

  test.each(['/claw@other_bot status', '/status@other_bot'])('of other bots are nothing: %s', (text) => {
    expect(fromMessage({ text })).toBeUndefined()
  })

  test('without a name a short one in a group may be anybody’s', () => {
    expect(fromMessage({ text: '/status' })).toMatchObject({ type: 'message', overheard: true })
    expect(fromMessage({ text: '/status', chat: direct })).toMatchObject({ type: 'command', text: 'status' })
  })

  test('that somebody else wrote are passed on, not given', () => {
    const forward_origin = { type: 'user', sender_user: other, date: 1 }
    for (const text of ['/claw forget me yes', '/learn_on@claw_bot', '@claw_bot learn on']) {
      expect(fromMessage({ text, forward_origin })).toMatchObject({ type: 'message' })
    }
  })

  test('a mere mention under another message asks what the bot can do', () => {
    const answered = message({ message_id: 3 })
    expect(fromMessage({ text: '@claw_bot', reply_to_message: answered })).toMatchObject({ type: 'command', text: '' })
    expect(fromMessage({ text: '@claw_bot status', reply_to_message: answered })).toMatchObject({ type: 'message' })
  })

  test('words that are no command are said to the bot', () => {
    expect(fromMessage({ text: '@claw_bot why is the sky blue?' })).toMatchObject({ type: 'message' })
  })

  test('Start lets the bot in, once, and shows what it can be asked', () => {
    const events = eventsFrom({ message: message({ text: '/start', chat: direct }) })
    expect(events).toMatchObject([
      { type: 'joined', id: `started:${ME.id}` },
      { type: 'command', text: 'help', id: `${ME.id}:9` },
    ])
  })
})

describe('edits', () => {
  test('carry the new words', () => {
    const edited = message({ text: '@claw_bot ho', edit_date: 2_000 })
    expect(eventsFrom({ edited_message: edited })).toMatchObject([
      { type: 'edit', text: 'ho', message: `-100:5:${ME.id}`, at: 2_000_000 },
    ])
  })

  test('of what is no word are nothing', () => {
    expect(eventsFrom({ edited_message: message({ location: {}, edit_date: 2 }) })).toEqual([])
    expect(eventsFrom({ edited_message: message({ text: '/claw status', edit_date: 2 }) })).toEqual([])
  })
})

describe('reactions', () => {
  const emoji = (...list: string[]) => list.map((one) => ({ type: 'emoji', emoji: one }))
  const reaction = (fields: object) => ({
    message_reaction: { chat: group, message_id: 5, date: 1_000, user: ann, ...fields },
  })

  test.each([
    [[], ['👍'], ['+👍']],
    [['👍'], [], ['-👍']],
    [['👍'], ['👎'], ['-👍', '+👎']],
    [
      ['👍', '🔥'],
      ['👍', '❤'],
      ['-🔥', '+❤'],
    ],
    [['👍'], ['👍'], []],
    [[], ['👍🏽'], ['+👍']],
    [[], ['❤\uFE0F'], ['+❤']],
    [['❤'], ['❤\uFE0F'], []],
  ])('%j becomes %j', (old, now, expected) => {
    const events = eventsFrom(reaction({ old_reaction: emoji(...old), new_reaction: emoji(...now) }))
    const shown = events.map((event) =>
      'emoji' in event ? `${event.type === 'reaction' ? '+' : '-'}${event.emoji}` : '',
    )
    expect(shown).toEqual(expected)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('custom ones go by id, paid ones are stars', () => {
    const now = [{ type: 'custom_emoji', custom_emoji_id: '53' }, { type: 'paid' }]
    expect(eventsFrom(reaction({ old_reaction: [], new_reaction: now }))).toMatchObject([
      { emoji: 'custom:53', overheard: true },
      { emoji: '⭐' },
    ])
  })

  test('of anonymous admins are the group’s; of the bot its own', () => {
    const anonymous = { user: undefined, actor_chat: group, old_reaction: [], new_reaction: emoji('👍') }
    expect(eventsFrom(reaction(anonymous))[0]?.person).toMatchObject({ id: '-100', kind: 'human' })
    const own = { user: bot, old_reaction: [], new_reaction: emoji('👍') }
    expect(eventsFrom(reaction(own))[0]?.person.kind).toBe('self')
  })

  test('that are only counted are nobody’s votes', () => {
    const counts = { chat: group, message_id: 5, date: 1, reactions: [] }
    expect(eventsFrom({ message_reaction_count: counts })).toEqual([])
  })
})

describe('buttons', () => {
  const press = (data: string, chat: object = direct) => ({
    callback_query: { id: 'q', from: ann, chat_instance: 'x', data, message: message({ chat, from: bot }) },
  })

  test.each([
    ['thumb:up', 'up'],
    ['thumb:down', 'down'],
    ['thumb:none', null],
  ])('%s', (data, value) => {
    expect(eventsFrom(press(data))).toMatchObject([{ type: 'button', value, message: `42:5:${ME.id}`, at: 7_000 }])
  })

  test('of nobody are nothing', () => {
    expect(eventsFrom(press('other'))).toEqual([])
    expect(eventsFrom({ callback_query: { id: 'q', from: ann, chat_instance: 'x', data: 'thumb:up' } })).toEqual([])
  })
})

describe('membership', () => {
  const update = (before: object, after: object, chat: object = group) => ({
    my_chat_member: { chat, from: ann, date: 1, old_chat_member: before, new_chat_member: after },
  })

  test.each([
    ['left', 'member', 'joined'],
    ['kicked', 'administrator', 'joined'],
    ['member', 'left', 'left'],
    ['administrator', 'kicked', 'left'],
    ['member', 'administrator', undefined],
  ])('%s → %s', (before, after, type) => {
    expect(eventsFrom(update(member(before), member(after)))[0]?.type).toBe(type)
  })

  test('whoever is restricted may still take part', () => {
    const [outside, inside] = [member('restricted', { is_member: false }), member('restricted', { is_member: true })]
    expect(eventsFrom(update(member('member'), inside))).toEqual([])
    expect(eventsFrom(update(inside, outside))[0]?.type).toBe('left')
  })

  test('a group that becomes a supergroup moves, whichever chat says so', () => {
    const moved = { type: 'moved', workspace: '-100', to: '-1001', id: 'moved:-1001' }
    expect(fromMessage({ migrate_to_chat_id: -1_001 })).toMatchObject(moved)
    expect(fromMessage({ chat: { ...forum, id: -1_001 }, migrate_from_chat_id: -100 })).toMatchObject(moved)
  })
})

describe('questions', () => {
  const about = { address: { chat: forum.id, topic: 2 }, message: 77 }
  const asking = (person: string, url = questionLink(ME.username, person, about, sign)) =>
    message({ chat: direct, from: bot, text: 'What?', entities: [{ type: 'text_link', offset: 0, length: 5, url }] })

  test('their answer is a correction of the reply that they are about', () => {
    const event = fromMessage({ chat: direct, text: 'In French.', reply_to_message: asking('42') })
    expect(event).toMatchObject({
      type: 'correction',
      workspace: `${forum.id}`,
      conversation: `${forum.id}:2`,
      message: messageId(forum.id, 77, ME.id),
      text: 'In French.',
      person: { id: '42' },
    })
  })

  test('their answer may be long', () => {
    const first = message({ chat: direct, text: 'one', reply_to_message: asking('42') })
    const second = message({ chat: direct, text: 'two', message_id: 6 })
    expect(eventsFrom({ message: first }, [second])).toMatchObject([{ type: 'correction', text: 'one\ntwo' }])
    const later = eventsFrom({ message: second, update_id: 10 }, [], { before: [first] })
    expect(later).toMatchObject([{ type: 'correction', text: 'two', id: `${ME.id}:10` }])
  })

  test('nobody answers for another, and nobody else asks', () => {
    const forged = questionLink(ME.username, '42', about, (said) => said)
    const copied = message({ ...asking('42'), from: ann })
    for (const reply_to_message of [asking('43'), asking('42', forged), copied]) {
      expect(fromMessage({ chat: direct, text: 'x', reply_to_message })).toMatchObject({ type: 'message' })
    }
    expect(fromMessage({ text: 'x', reply_to_message: asking('42') })).toMatchObject({ type: 'message' })
  })
})

describe('what is sent together', () => {
  test('is one message', () => {
    const [first, second] = [message({ text: 'one' }), message({ message_id: 6, text: 'two' })]
    expect(eventsFrom({ message: first }, [second])).toMatchObject([{ text: 'one\ntwo', message: `-100:5:${ME.id}` }])
  })

  test('mentions the bot wherever it does', () => {
    const [first, second] = [message({ text: 'one' }), message({ message_id: 6, text: '@claw_bot two' })]
    expect(eventsFrom({ message: first }, [second])[0]).not.toHaveProperty('overheard')
    const [event] = eventsFrom({ message: second }, [], { before: [first] })
    expect(event).toMatchObject({ type: 'message', text: 'one\ntwo', message: `-100:5:${ME.id}`, id: `${ME.id}:9` })
    expect(event).not.toHaveProperty('overheard')
  })

  test('and comes later is an edit of what came first', () => {
    const [first, second] = [message({ text: '@claw_bot one' }), message({ message_id: 6, text: 'two', date: 1_001 })]
    expect(eventsFrom({ message: first }, [], { restMs: 2_000 })).toMatchObject([{ type: 'message', restMs: 2_000 }])
    const [event] = eventsFrom({ message: second }, [], { before: [first] })
    expect(event).toMatchObject({ type: 'edit', text: 'one\ntwo', message: `-100:5:${ME.id}`, at: 1_001_001 })
    expect(event?.id).toBe(`${ME.id}:9`)
  })

  test('behind a command is a message of its own', () => {
    const first = message({ chat: direct, text: '/claw status' })
    const second = message({ chat: direct, text: 'two', message_id: 6 })
    expect(eventsFrom({ message: second }, [], { before: [first] })).toMatchObject([{ type: 'message', text: 'two' }])
  })

  test('and comes later without a word changes nothing; that it may come is said', () => {
    const part = (fields: object) => message({ chat: direct, photo: [{}], media_group_id: 'g', ...fields })
    const [first] = eventsFrom({ message: part({ caption: 'cats' }) }, [], { restMs: 2_000 })
    expect(first).toMatchObject({ unread: ['photo', 'the rest of the album'] })
    expect(eventsFrom({ message: part({ message_id: 6 }) }, [], { before: [part({ caption: 'cats' })] })).toEqual([])
    const later = eventsFrom({ message: part({ message_id: 6, caption: 'what is it?' }) }, [], { before: [part({})] })
    expect(later).toMatchObject([{ type: 'edit', text: 'what is it?', message: `42:5:${ME.id}` }])
  })

  test('in an album is one message, also where parts come later', () => {
    const part = (fields: object) => message({ chat: direct, photo: [{}], media_group_id: 'g', ...fields })
    const [event] = eventsFrom({ message: part({ caption: 'two cats' }) }, [part({ message_id: 6 })])
    expect(event).toMatchObject({ text: 'two cats', unread: ['photo', 'photo'], id: `album:${ME.id}:g` })
    expect(eventsFrom({ message: part({ message_id: 7 }) })[0]?.id).toBe(event?.id)
  })
})

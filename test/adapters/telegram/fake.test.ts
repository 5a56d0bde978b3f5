import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeTelegram, startFakeTelegram } from '../../fake-platforms/telegram/fake.ts'
import type { Account } from '../../fake-platforms/telegram/world.ts'

const GROUP = -77

let fake: FakeTelegram
let bot: Account
beforeEach(async () => {
  fake = await startFakeTelegram()
  bot = fake.addBot()
  fake.addUser({ id: 42, first_name: 'Ann' })
  fake.addChat({ id: 42, type: 'private', first_name: 'Ann' })
  fake.addChat({ id: GROUP, type: 'group', title: 'Team' }, { 42: 'creator', [bot.user.id]: 'member' })
})
afterEach(() => fake.close())

async function call(
  method: string,
  parameters: object,
): Promise<{ ok: boolean; description?: string; result?: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(parameters)
  const response = await fetch(`${fake.url}/bot${bot.token}/${method}`, { method: 'POST', headers, body })
  return (await response.json()) as { ok: boolean; description?: string }
}

const updates = async (): Promise<string[]> => {
  const { result } = await call('getUpdates', { allowed_updates: ['message', 'message_reaction'] })
  return (result as { message?: { text?: string } }[]).map(({ message }) => message?.text ?? '(no text)')
}

describe('the fake Telegram', () => {
  test.each<[string, string, object, RegExp]>([
    ['unknown fields', 'sendMessage', { chat_id: GROUP, text: 'x', txt: 'y' }, /Unrecognized key/],
    ['wrong types', 'sendMessage', { chat_id: GROUP, text: 5 }, /text/],
    ['empty texts', 'sendMessage', { chat_id: GROUP, text: ' ' }, /text is empty/],
    ['long texts', 'sendMessage', { chat_id: GROUP, text: 'x'.repeat(4_097) }, /too long/],
    ['chats that are none', 'sendMessage', { chat_id: -78, text: 'x' }, /chat not found/],
    ['topics that are none', 'sendMessage', { chat_id: GROUP, text: 'x', message_thread_id: 3 }, /thread not found/],
    ['drafts in groups', 'sendMessageDraft', { chat_id: GROUP, draft_id: 1, text: 'x' }, /private/],
    ['drafts without a number', 'sendMessageDraft', { chat_id: 42, draft_id: 0, text: 'x' }, /non-zero/],
    [
      'long callback data',
      'sendMessage',
      {
        chat_id: GROUP,
        text: 'x',
        reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] },
      },
      /./,
    ],
    ['commands with blanks', 'setMyCommands', { commands: [{ command: 'a b', description: 'c' }] }, /command/],
    ['updates that there are none of', 'getUpdates', { allowed_updates: ['reaction'] }, /allowed_updates/],
    ['methods that are none', 'sendEverything', {}, /Not Found/],
  ])('refuses %s, and says so to the test', async (_name, method, parameters, description) => {
    const answer = await call(method, parameters)
    expect(answer).toMatchObject({ ok: false, description: expect.stringMatching(description) })
    expect(fake.violations).toHaveLength(1)
  })

  test.each([
    [{ type: 'bold', offset: 0, length: 9 }],
    [{ type: 'bold', offset: -1, length: 2 }],
    [{ type: 'bold', offset: 0, length: 0 }],
    [{ type: 'bold', offset: 1, length: 2 }],
    [{ type: 'text_link', offset: 2, length: 3, url: 'no address' }],
  ])('refuses the entity %o', async (entity) => {
    const answer = await call('sendMessage', { chat_id: GROUP, text: '🙂 you', entities: [entity] })
    expect(answer.description).toMatch(/can't parse entities/)
  })

  test('writes to nobody who has not begun', async () => {
    expect((await call('sendMessage', { chat_id: 42, text: 'x' })).description).toMatch(/^Forbidden/)
    fake.say(42, 42, 'hi')
    expect((await call('sendMessage', { chat_id: 42, text: 'x' })).ok).toBe(true)
    expect(fake.violations).toEqual([])
  })

  test('keeps from a bot in privacy mode what is not meant for it', async () => {
    for (const text of ['hi all', '@claw_bot hi', '/claw@claw_bot', '/claw@other_bot', '/status'])
      fake.say(GROUP, 42, text)
    expect(await updates()).toEqual(['@claw_bot hi', '/claw@claw_bot', '/status'])
    fake.chat(GROUP).members.set(bot.user.id, 'administrator')
    fake.say(GROUP, 42, 'hi all')
    expect((await updates()).at(-1)).toBe('hi all')
  })

  test('tells of reactions only admins, and only who asks for them', async () => {
    const message = fake.say(GROUP, 42, '@claw_bot hi')
    const react = () => fake.react(GROUP, 42, message, [{ type: 'emoji', emoji: '👍' }])
    react()
    expect(await updates()).toHaveLength(1)
    react()
    expect(await updates()).toHaveLength(1)
    fake.chat(GROUP).members.set(bot.user.id, 'administrator')
    react()
    expect(await updates()).toHaveLength(2)
  })

  test('says when nothing would change', async () => {
    const { result } = await call('sendMessage', { chat_id: GROUP, text: 'x' })
    const { message_id } = result as { message_id: number }
    const again = await call('editMessageText', { chat_id: GROUP, message_id, text: 'x' })
    expect(again.description).toMatch(/message is not modified/)
    expect(fake.violations).toEqual([])
  })
})

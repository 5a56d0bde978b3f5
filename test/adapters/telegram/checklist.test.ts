import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkTelegram } from '../../../adapters/telegram/checklist.ts'
import { type FakeTelegram, fakeToken, startFakeTelegram } from '../../fake-platforms/telegram/fake.ts'

let fake: FakeTelegram
beforeEach(async () => {
  fake = await startFakeTelegram()
})
afterEach(() => fake.close())

const names = async (...given: Parameters<typeof checkTelegram>) => {
  const found = await checkTelegram(...given)
  expect(JSON.stringify(found)).not.toContain('A'.repeat(35))
  return found.map(({ name, level }) => `${level}: ${name}`)
}

test('nothing is found where all is well', async () => {
  const bot = fake.addBot({ readsAll: true })
  const group = fake.addChat({ id: -77, type: 'group', title: 'Team' }, { [bot.user.id]: 'administrator' })
  expect(await names(bot.token, fake.url, { chats: [group, -78] })).toEqual([])
})

test('each misconfiguration has its name', async () => {
  const bot = fake.addBot()
  const group = fake.addChat({ id: -77, type: 'group', title: 'Team' }, { [bot.user.id]: 'member' })
  expect(await names(bot.token, fake.url, { chats: [group] })).toEqual([
    'warning: privacy mode',
    'warning: not an admin',
  ])
  const [, found] = await checkTelegram(bot.token, fake.url, { chats: [group] })
  expect(found?.detail).toBe('In the group Team the bot is told of no reactions')
  bot.queue.setWebhook({ url: 'https://example.org/', secret: null }, false)
  expect(await names(bot.token, fake.url)).toEqual(['warning: webhook while polling', 'warning: privacy mode'])
  bot.queue.lastError = 'Connection refused'
  expect(await names(bot.token, fake.url, { polling: false })).toEqual([
    'warning: webhook failing',
    'warning: privacy mode',
  ])
})

test('a token that nobody knows, and a Telegram that is not there', async () => {
  expect(await names(fakeToken(1), fake.url)).toEqual(['error: token'])
  expect(await names(fakeToken(1), 'http://127.0.0.1:9')).toEqual(['error: unreachable'])
  expect(await names('', fake.url)).toEqual(['error: token'])
})

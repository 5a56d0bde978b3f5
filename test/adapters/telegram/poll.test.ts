import { Bot } from 'grammy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Together } from '../../../adapters/telegram/events.ts'
import { createPace } from '../../../adapters/telegram/pace.ts'
import { poll } from '../../../adapters/telegram/poll.ts'
import { type FakeTelegram, startFakeTelegram } from '../../fake-platforms/telegram/fake.ts'

let fake: FakeTelegram
beforeEach(async () => {
  fake = await startFakeTelegram()
  fake.addUser({ id: 42, first_name: 'Ann' })
  fake.addChat({ id: 42, type: 'private', first_name: 'Ann' })
})
afterEach(() => fake.close())

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    if (tries > 500) throw new Error('it never happens')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function polling(token: string, take: (units: readonly Together[]) => Promise<void>) {
  const states: string[] = []
  const reports: unknown[] = []
  const stopping = new AbortController()
  const { api } = new Bot(token, { client: { apiRoot: fake.url } })
  const ended = poll(
    {
      api,
      take,
      up: () => states.push('up'),
      down: (state, detail) => states.push(`${state}: ${detail}`),
      report: (error) => reports.push(error),
      holdSeconds: 1,
      graceSeconds: 0.2,
      conflictMs: 600,
    },
    stopping.signal,
  )
  const stop = () => {
    stopping.abort()
    return ended
  }
  return { states, reports, ended, stop }
}

test('a poll that died with its connection open is noticed, and another begins', async () => {
  const bot = fake.addBot()
  const taken: Together[] = []
  fake.stall()
  const { states, stop } = polling(bot.token, async (units) => void taken.push(...units))
  await until(() => states.length > 0)
  expect(states[0]).toBe('connecting: The connection to Telegram broke')
  fake.say(42, 42, 'hello')
  await until(() => taken.length > 0)
  await stop()
})

test('a webhook that another program sets is said to be in the way', async () => {
  const bot = fake.addBot()
  const { states, stop } = polling(bot.token, async () => {})
  await until(() => bot.queue.polled)
  bot.queue.setWebhook({ url: 'https://example.org/', secret: null }, false)
  await until(() => states.length > 1)
  expect(states.slice(0, 2)).toEqual(['up', expect.stringMatching(/^connecting: Another program .* has set a webhook/)])
  await stop()
})

test('two programs with one token say so as long as there are two, and once', async () => {
  const bot = fake.addBot()
  const [one, two] = [polling(bot.token, async () => {}), polling(bot.token, async () => {})]
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(one.reports.length + two.reports.length).toBeLessThanOrEqual(2)
  for (const { states } of [one, two]) expect(states.at(-1)).toMatch(/^connecting: Another program/)
  await two.stop()
  await until(() => one.states.at(-1) === 'up')
  await one.stop()
})

test('a token that Telegram does not know ends it', async () => {
  const { states, ended } = polling('1:none', async () => {})
  await ended
  expect(states).toEqual([expect.stringMatching(/^refused: Telegram does not know this token/)])
})

test('what cannot be stored is asked for again, and said once', async () => {
  const bot = fake.addBot()
  let tries = 0
  const { states, reports, stop } = polling(bot.token, async () => {
    tries += 1
    if (tries < 3) throw new Error('the disk is full')
  })
  fake.say(42, 42, 'hello')
  await until(() => fake.pending() === 0)
  await stop()
  expect(reports).toEqual([new Error('the disk is full')])
  expect(states).toContain('connecting: What Telegram has for the bot cannot be stored; Telegram keeps it until it can')
})

test('what may still go on keeps nobody else waiting', async () => {
  const bot = fake.addBot()
  fake.addUser({ id: 43, first_name: 'Ben' })
  fake.addChat({ id: 43, type: 'private', first_name: 'Ben' })
  for (const id of [42, 43]) fake.openChat(id)
  const taken: [text: string, parts: number, ms: number][] = []
  fake.say(42, 42, 'long '.repeat(819))
  fake.say(43, 43, 'short')
  const began = Date.now()
  const { stop } = polling(bot.token, async (units) => {
    for (const { update, rest } of units) {
      taken.push([update.message?.text?.slice(0, 5) ?? '', rest.length, Date.now() - began])
    }
  })
  await until(() => taken.length > 0)
  fake.say(42, 42, 'its end')
  await until(() => fake.pending() === 0)
  await stop()
  expect(taken[0]).toEqual(['short', 0, expect.any(Number)])
  expect(taken[0]?.[2]).toBeLessThan(1_000)
  expect(taken.map(([text, parts]) => [text, parts])).toContainEqual(['long ', 1])
  expect(taken.map(([text]) => text)).not.toContain('its e')
})

test('updates that come in another order, twice, or while one is looked at, are taken in order and once confirmed', async () => {
  const bot = fake.addBot()
  const taken: (string | undefined)[] = []
  fake.fault({ type: 'reorder', count: 3 })
  fake.fault({ type: 'duplicate', copies: 2 })
  bot.started.add(42)
  for (const text of ['a', 'b', 'c']) fake.say(42, 42, text)
  const { stop } = polling(bot.token, async (units) => {
    taken.push(...units.map(({ update }) => update.message?.text))
  })
  await until(() => fake.pending() === 0)
  await stop()
  expect(taken).toEqual(['a', 'b', 'c'])
})

test('a chat is shown beginnings at most 15 times a minute, and ends always', () => {
  let now = 0
  const pace = createPace(() => now)
  const shown = Array.from({ length: 40 }, () => {
    now += 1_500
    return pace.allows(-1)
  })
  expect(shown.filter(Boolean)).toHaveLength(15)
  expect(pace.allows(-2)).toBe(true)
  now += 60_000
  pace.spend(-1)
  expect(pace.allows(-1)).toBe(true)
})

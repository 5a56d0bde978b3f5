import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTelegram } from '../../../adapters/telegram/telegram.ts'
import { loadConfig } from '../../../config/config.ts'
import type { Store } from '../../../core/store/store.ts'
import type { Event } from '../../../core/types.ts'
import { type FakeTelegram, startFakeTelegram } from '../../fake-platforms/telegram/fake.ts'
import type { Account } from '../../fake-platforms/telegram/world.ts'
import { freePort } from '../../services/service.ts'
import { newPlace, type Place } from '../../stores.ts'

let fake: FakeTelegram
let bot: Account
let url = ''
let events: Event[] = []
let refusals = 0
let adapter: ReturnType<typeof createTelegram>
let place: Place
let store: Store

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  fake = await startFakeTelegram()
  bot = fake.addBot()
  fake.addUser({ id: 42, first_name: 'Ann' })
  fake.addChat({ id: 42, type: 'private', first_name: 'Ann' })
  const port = await freePort()
  url = `http://127.0.0.1:${port}/telegram?bot=claw`
  events = []
  refusals = 0
  const settings = { apiUrl: fake.url, webhookUrl: url, port }
  const { telegram: config } = loadConfig({ dataDir: 'nowhere', telegram: settings }, {})
  const { db } = store
  adapter = createTelegram({ token: bot.token, webhookSecret: 'a-secret', config, db, report() {} })
  await adapter.start(async (event) => {
    if (refusals-- > 0) throw new Error('the disk is full')
    events.push(event)
  })
})
afterEach(async () => {
  await adapter.stop()
  await fake.close()
  await store.close()
  place.remove()
  expect(fake.violations).toEqual([])
})

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    if (tries > 500) throw new Error('it never happens')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('the webhook', () => {
  test('takes updates that show the secret, and asks for reactions by name', async () => {
    expect(bot.queue.webhook).toEqual({ url, secret: 'a-secret' })
    expect(bot.queue.allowed).toContain('message_reaction')
    fake.say(42, 42, 'hello')
    await until(() => fake.pending() === 0)
    expect(events).toMatchObject([{ type: 'message', text: 'hello' }])
    expect(adapter.health().state).toBe('connected')
  })

  test('is answered when an update is durable and not before: else it comes again', async () => {
    refusals = 2
    fake.say(42, 42, 'hello')
    await until(() => fake.pending() === 0)
    expect(events).toHaveLength(1)
  })

  test.each([
    ['another secret', { 'x-telegram-bot-api-secret-token': 'b-secret' }, '/telegram?bot=claw', '{"update_id":1}', 401],
    ['no secret', {}, '/telegram?bot=claw', '{"update_id":1}', 401],
    ['another path', { 'x-telegram-bot-api-secret-token': 'a-secret' }, '/', '{"update_id":1}', 404],
    ['no update', { 'x-telegram-bot-api-secret-token': 'a-secret' }, '/telegram?bot=claw', 'null', 400],
    ['no JSON', { 'x-telegram-bot-api-secret-token': 'a-secret' }, '/telegram?bot=claw', '{', 400],
  ])('refuses %s', async (_name, headers, path, body, status) => {
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body })
    expect(response.status).toBe(status)
    expect(events).toEqual([])
  })
})

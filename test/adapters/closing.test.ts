import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Adapter } from '../../adapters/adapter.ts'
import { createDiscord } from '../../adapters/discord/discord.ts'
import { createSlack } from '../../adapters/slack/slack.ts'
import { createTelegram } from '../../adapters/telegram/telegram.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Db } from '../../core/store/schema.ts'
import type { Store } from '../../core/store/store.ts'
import { newPlace, type Place } from '../stores.ts'
import { question } from './scripted.ts'

let place: Place
let store: Store

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
})

afterEach(async () => {
  await store.close()
  place.remove()
})

/** Where somebody has listened. */
async function nowhere(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  server.close()
  return `http://127.0.0.1:${port}`
}

const report = () => {}

const platforms: readonly (readonly [
  name: string,
  create: (config: Config, db: Db) => Adapter,
  conversation: string,
])[] = [
  [
    'slack',
    (config, db) => {
      const tokens = { botToken: `${'xoxb'}-1-2-a`, appToken: `${'xapp'}-1-A-3-b` }
      return createSlack({ tokens, config: config.slack, db, report })
    },
    'C1:1.1',
  ],
  ['discord', (config, db) => createDiscord({ token: 'MTAw.a.b', config: config.discord, db, report }), '100'],
  [
    'telegram',
    (config, db) => {
      return createTelegram({ token: '1:a', webhookSecret: null, config: config.telegram, db, report })
    },
    '100',
  ],
]

test.each(platforms)(
  'what waits for %s, which cannot be reached, ends with the program',
  async (platform, create, at) => {
    const url = await nowhere()
    const apis = { slack: { apiUrl: `${url}/api/` }, discord: { apiUrl: `${url}/api` }, telegram: { apiUrl: url } }
    const adapter = create(loadConfig({ dataDir: 'nowhere', ...apis }, {}), store.db)
    const to = { ...question(), platform, workspace: '100', conversation: at, message: at, person: '7' }
    const waiting = [
      adapter.notify(to, { text: 'Hello.' }),
      adapter.notify(to, { text: 'Hello.', only: '7' }),
      adapter.reply(to).finish('Hello.'),
      adapter.sendFile?.(to, '7', { name: 'export.json', text: '{}' }),
    ]
    const ends = Promise.allSettled(waiting)
    const early = new Promise((resolve) => setTimeout(resolve, 500, 'they wait'))
    expect(await Promise.race([...waiting.map((one) => one?.catch((error: Error) => error)), early])).toBe('they wait')
    const began = performance.now()
    await adapter.stop()
    for (const end of await ends) {
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'PLATFORM_LIMITED' } })
    }
    expect(performance.now() - began).toBeLessThan(2_000)
  },
)

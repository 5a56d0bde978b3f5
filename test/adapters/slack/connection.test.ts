import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../adapters/slack/manifest.ts'
import { createSlack, type SlackAdapter } from '../../../adapters/slack/slack.ts'
import { createSocketReceiver } from '../../../adapters/slack/socket.ts'
import { loadConfig } from '../../../config/config.ts'
import type { Tokens } from '../../../config/tokens.ts'
import { reason } from '../../../core/errors.ts'
import type { Store } from '../../../core/store/store.ts'
import type { Event } from '../../../core/types.ts'
import { type FakeSlack, startFakeSlack } from '../../fake-platforms/slack/slack.ts'
import { ANN, GENERAL } from '../../fake-platforms/slack/world.ts'
import { newPlace, type Place } from '../../stores.ts'

const TEAM = 'T0ONE'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const KEY = 'a-key-of-32-characters-and-more!'

let fake: FakeSlack
let place: Place
let store: Store
const faults: unknown[] = []
const started: SlackAdapter[] = []

beforeEach(async () => {
  fake = await startFakeSlack()
  place = await newPlace()
  store = await place.open()
})

afterEach(async () => {
  for (const adapter of started.splice(0)) await adapter.stop()
  await fake.close()
  await store.close()
  place.remove()
  faults.length = 0
})

const config = () => loadConfig({ dataDir: place.dir, slack: { apiUrl: `${fake.url}api/`, port: 0 } }, {}).slack

async function start(tokens: Tokens['slack'], deliver: (event: Event) => Promise<void> = async () => {}) {
  const adapter = createSlack({ tokens, config: config(), db: store.db, report: (fault) => faults.push(fault) })
  started.push(adapter)
  await adapter.start(deliver)
  return adapter
}

const overSocket = (): Tokens['slack'] => ({ botToken: fake.install(TEAM, SCOPES), appToken: fake.appToken })
const overHttp = (): Tokens['slack'] => ({ botToken: fake.install(TEAM, SCOPES), signingSecret: fake.signingSecret })
const installable = (encryptionKey = KEY): Tokens['slack'] => {
  const { clientId, clientSecret, signingSecret } = fake
  return { clientId, clientSecret, signingSecret, encryptionKey }
}

describe.each(['socket', 'http'] as const)('acknowledgement over %s', (mode) => {
  const open = async (deliver: (event: Event) => Promise<void>) => {
    const adapter = await start(mode === 'socket' ? overSocket() : overHttp(), deliver)
    if (mode === 'http') fake.delivery.requestUrl = `${adapter.address()}slack/events`
    return adapter
  }

  test('comes only after the event is durable', async () => {
    const order: string[] = []
    await open(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      order.push('durable')
    })
    await fake.say(TEAM, GENERAL, ANN, 'hello')
    order.push('acknowledged')
    expect(order).toEqual(['durable', 'acknowledged'])
    expect(fake.answers[0]?.ms).toBeGreaterThan(95)
  })

  test('does not come for an event that could not be written, which is sent again', async () => {
    if (mode === 'socket') fake.delivery.patience.answerMs = 200
    let tries = 0
    await open(async () => {
      tries += 1
      if (tries === 1) throw new Error('the disk is full')
    })
    await fake.say(TEAM, GENERAL, ANN, 'hello')
    expect(tries).toBe(2)
    expect(fake.answers.at(-1)).toMatchObject({ attempt: 1 })
    expect(faults.map(reason)).toEqual(['the disk is full'])
  })

  test('comes for a command that nobody knows, with a word', async () => {
    await open(async () => {})
    const answer = await fake.command(TEAM, GENERAL, ANN, 'hello', '/weather')
    expect(answer?.payload).toMatchObject({ response_type: 'ephemeral' })
    expect(answer?.ms).toBeLessThan(1_000)
  })
})

test('over HTTP what is not signed by Slack is refused', async () => {
  const adapter = await start(overHttp())
  const body = JSON.stringify({ type: 'event_callback' })
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': `${Date.now()}`,
    'x-slack-signature': 'v0=no',
  }
  const { status } = await fetch(`${adapter.address()}slack/events`, { method: 'POST', headers, body })
  expect(status).toBe(401)
})

describe('slackapi/bolt-js#2496, node-slack-sdk#1495, #1787, openclaw#72808: dead sockets', () => {
  test('a connection that breaks is made anew', async () => {
    const heard: Event[] = []
    const adapter = await start(overSocket(), async (event) => void heard.push(event))
    fake.fault({ type: 'disconnect' })
    await expect.poll(() => adapter.health().state).toBe('connecting')
    await expect.poll(() => adapter.health().state, { timeout: 5_000 }).toBe('connected')
    await fake.say(TEAM, GENERAL, ANN, 'hello')
    expect(heard).toHaveLength(1)
  })

  test('Slack asks for a new connection, and gets one at once', async () => {
    const adapter = await start(overSocket())
    const [socket] = fake.delivery.sockets
    socket?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }))
    await expect.poll(() => fake.delivery.sockets.has(socket!)).toBe(false)
    await expect.poll(() => fake.delivery.sockets.size, { timeout: 5_000 }).toBe(1)
    await expect.poll(() => adapter.health().state).toBe('connected')
  })

  test('apps.connections.open fails, then works', async () => {
    fake.refuse('apps.connections.open', 'internal_error')
    const adapter = await start(overSocket())
    expect(adapter.health()).toMatchObject({ state: 'connecting', detail: expect.stringContaining('internal_error') })
    await expect.poll(() => adapter.health().state, { timeout: 5_000 }).toBe('connected')
    expect(adapter.health().detail).toBeNull()
  })

  test('a socket that says nothing any more is given up', async () => {
    const connected: unknown[] = []
    const receiver = createSocketReceiver({
      appToken: fake.appToken,
      apiUrl: `${fake.url}api/`,
      report: (fault) => faults.push(fault),
      now: Date.now,
      connected: (since) => connected.push(since),
      // The SDK's own pings are so far apart that it does not notice.
      patience: { pong: 600_000, silence: 300, hello: 2_000, good: 10_000, pause: { first: 10, longest: 50 } },
    })
    await receiver.start()
    const heard = Date.now()
    await expect.poll(() => connected.length, { timeout: 5_000 }).toBeGreaterThan(1)
    await receiver.stop()
    // What was missed was missed since it fell silent, which was found out later.
    const [first, since] = connected
    expect(first).toBeNull()
    expect(Math.abs(Number(since) - heard)).toBeLessThan(200)
  })
})

test('an address that arrives when nobody wants it any more is not connected to', async () => {
  const slow = createServer((request, response) => {
    setTimeout(async () => {
      const headers = { authorization: request.headers.authorization ?? '', ...FORM }
      const answer = await fetch(`${fake.url}api/apps.connections.open`, { method: 'POST', headers })
      response.end(await answer.text())
    }, 200)
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const receiver = createSocketReceiver({
    appToken: fake.appToken,
    apiUrl: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/api/`,
    report: (fault) => faults.push(fault),
    now: Date.now,
    connected() {},
  })
  void receiver.start()
  await receiver.stop()
  await expect.poll(() => fake.calls.length).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(fake.delivery.sockets.size).toBe(0)
  slow.close()
})

test('openclaw#56653: other connections on the same app token are seen', async () => {
  const first = await start(overSocket())
  expect(first.health().detail).toBeNull()
  const second = await start(overSocket())
  expect(second.health()).toMatchObject({ state: 'connected', detail: expect.stringContaining('2 connections') })
})

test('a token that Slack does not take is said, and that it is the token', async () => {
  const adapter = await start({ botToken: 'made-up', appToken: fake.appToken })
  expect(adapter.health()).toMatchObject({ state: 'refused', detail: expect.stringContaining('account_inactive') })
  const wrongApp = await start({ ...overSocket(), appToken: 'made-up' })
  expect(wrongApp.health()).toMatchObject({ state: 'refused', detail: expect.stringContaining('connections:write') })
})

test('taken out of its only workspace, it says that it is', async () => {
  const heard: Event[] = []
  const adapter = await start(overSocket(), async (event) => void heard.push(event))
  await fake.uninstall(TEAM)
  expect(heard.map(({ type }) => type)).toContain('left')
  await expect.poll(() => adapter.health().state).toBe('refused')
})

test('an event of a workspace that the token is not for is ignored', async () => {
  const heard: Event[] = []
  await start(overSocket(), async (event) => void heard.push(event))
  fake.install('T0TWO', SCOPES)
  await fake.say('T0TWO', GENERAL, ANN, 'hello', { mention: true })
  await fake.say(TEAM, GENERAL, ANN, 'hello', { mention: true })
  expect(new Set(heard.map(({ workspace }) => workspace))).toEqual(new Set([TEAM]))
  expect(faults).toEqual([])
})

test('what was revoked may be an older token: nothing is erased while Slack does not say whether this one serves', async () => {
  const heard: Event[] = []
  await start(overSocket(), async (event) => void heard.push(event))
  fake.delivery.patience.answerMs = 200
  fake.refuse('auth.test', 'internal_error')
  await fake.emit(TEAM, { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } })
  expect(heard).toEqual([])
  // It came again, and Slack says that the token serves.
  expect(fake.answers.at(-1)).toMatchObject({ attempt: 1 })
})

test.each<[Tokens['slack'], string]>([
  [{}, 'SLACK_BOT_TOKEN'],
  [{ botToken: 'x' }, 'SLACK_APP_TOKEN'],
  [{ clientId: '1', clientSecret: '2', signingSecret: '3' }, 'CLAW_ENCRYPTION_KEY'],
  [{ clientId: '1', signingSecret: '3', encryptionKey: KEY }, 'SLACK_CLIENT_SECRET'],
])('missing tokens are named', async (tokens, name) => {
  const create = () => createSlack({ tokens, config: config(), db: store.db, report() {} })
  expect(create).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(name) }))
})

describe('workspaces that install the app', () => {
  async function install(...teams: string[]) {
    const heard: Event[] = []
    const adapter = await start(installable(), async (event) => void heard.push(event))
    fake.delivery.requestUrl = `${adapter.address()}slack/events`
    for (const team of teams) expect(await fake.consent(team, `${adapter.address()}slack/install`)).toBe(200)
    return { adapter, heard }
  }

  test('two of them with the same people, channels and times: nothing crosses', async () => {
    const { adapter, heard } = await install('T0ONE', 'T0TWO')
    const ts = '1767272400.000100'
    for (const team of ['T0ONE', 'T0TWO']) await fake.say(team, GENERAL, ANN, `hello ${team}`, { ts })
    expect(heard.map(({ workspace, id }) => [workspace, id])).toEqual([
      ['T0ONE', `message:${GENERAL}:${ts}`],
      ['T0TWO', `message:${GENERAL}:${ts}`],
    ])
    const to = (workspace: string) => ({ platform: 'slack', workspace, conversation: `${GENERAL}:${ts}` })
    // Bolt gave the first workspace's token to all others where a header was set for every client.
    for (const workspace of ['T0ONE', 'T0TWO', 'T0ONE'])
      await adapter.notify(to(workspace), { text: `for ${workspace}` })
    expect(fake.calls.filter(({ method }) => method === 'chat.postMessage').map(({ team }) => team)).toEqual([
      'T0ONE',
      'T0TWO',
      'T0ONE',
    ])
    expect(fake.shown('T0TWO', GENERAL).map(({ text }) => text)).toEqual(['hello T0TWO', 'for T0TWO'])
    expect(fake.violations).toEqual([])
  })

  test('their tokens are not readable in the store', async () => {
    await install('T0ONE')
    const rows = await store.db.selectFrom('installations').selectAll().execute()
    expect(rows.map(({ id }) => id)).toEqual(['T0ONE'])
    expect(JSON.stringify(rows)).not.toContain(fake.botToken('T0ONE'))
    expect(Buffer.from(rows[0]?.sealed ?? '', 'base64').toString('latin1')).not.toContain('xoxb')
  })

  test('another key cannot read them, and says so until they are there anew', async () => {
    await install('T0ONE')
    const adapter = await start(installable('another key that is 32 characters'))
    expect(faults).toMatchObject([{ code: 'CONFIG_INVALID' }])
    expect(adapter.health()).toMatchObject({
      state: 'refused',
      detail: expect.stringContaining('CLAW_ENCRYPTION_KEY'),
    })
    await expect(adapter.isAdmin('T0ONE', ANN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await fake.consent('T0ONE', `${adapter.address()}slack/install`)
    expect(adapter.health()).toMatchObject({ state: 'connected', detail: null })
    await expect(adapter.isAdmin('T0ONE', ANN)).resolves.toBe(true)
  })

  test('one cannot be put in the place of another', async () => {
    const { adapter } = await install('T0ONE', 'T0TWO')
    const [one] = await store.db.selectFrom('installations').selectAll().where('id', '=', 'T0ONE').execute()
    await store.db
      .updateTable('installations')
      .set({ sealed: one?.sealed ?? '' })
      .where('id', '=', 'T0TWO')
      .execute()
    await expect(adapter.isAdmin('T0TWO', ANN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  test.each(['uninstall', 'revoke'] as const)('%s: everything of the workspace goes, and of no other', async (how) => {
    const { heard } = await install('T0ONE', 'T0TWO')
    await store.db
      .updateTable('installations')
      .set({ at: Date.now() - 60_000 })
      .execute()
    await fake[how]('T0ONE')
    expect(new Set(heard.map(({ type, workspace }) => `${type} ${workspace}`))).toEqual(new Set(['left T0ONE']))
    const rows = await store.db.selectFrom('installations').select('id').execute()
    expect(rows).toEqual([{ id: 'T0TWO' }])
  })

  test('what is said late of an installation does not take away the new one', async () => {
    const { adapter, heard } = await install('T0ONE')
    await store.db
      .updateTable('installations')
      .set({ at: Date.now() + 60_000 })
      .execute()
    await fake.emit('T0ONE', { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } })
    expect(heard).toEqual([])
    await expect(adapter.isAdmin('T0ONE', ANN)).resolves.toBe(true)
  })

  test('an event of a workspace that has not installed the app is taken, once, and ignored', async () => {
    const { heard } = await install('T0ONE')
    fake.install('T0TWO', SCOPES)
    await fake.say('T0TWO', GENERAL, ANN, 'hello')
    expect(heard).toEqual([])
    expect(fake.answers.at(-1)).toMatchObject({ status: 200, attempt: 0 })
  })

  test('an installation that fails says so to the person and to the operator', async () => {
    const { adapter } = await install()
    fake.refuse('auth.test', 'internal_error')
    expect(await fake.consent('T0ONE', `${adapter.address()}slack/install`)).toBe(500)
    expect(faults.map(reason)).toEqual([expect.stringContaining('could not be installed')])
  })
})

test('Enterprise Grid: an organisation installs once, its workspaces stay apart', async () => {
  await fake.close()
  fake = await startFakeSlack({ enterprise: 'E0GRID' })
  const heard: Event[] = []
  const adapter = await start(installable(), async (event) => void heard.push(event))
  fake.delivery.requestUrl = `${adapter.address()}slack/events`
  await fake.consent('T0ONE', `${adapter.address()}slack/install`)
  await fake.say('T0ONE', GENERAL, ANN, 'hello', { mention: true })
  await fake.command('T0ONE', GENERAL, ANN, 'status')
  expect(new Set(heard.map(({ workspace }) => workspace))).toEqual(new Set(['T0ONE']))
  expect(heard.map(({ type }) => type)).toEqual(['message', 'message', 'command'])
  await expect(adapter.isAdmin('T0ONE', ANN)).resolves.toBe(true)
  const rows = await store.db.selectFrom('installations').select(['id', 'organisation']).orderBy('id').execute()
  expect(rows).toEqual([
    { id: 'E0GRID', organisation: null },
    { id: 'T0ONE', organisation: 'E0GRID' },
  ])
  await store.db
    .updateTable('installations')
    .set({ at: Date.now() - 60_000 })
    .execute()
  fake.install('T0TWO', SCOPES)
  await fake.say('T0TWO', GENERAL, ANN, 'hello')
  await fake.emit('T0TWO', { type: 'team_access_revoked', team_ids: ['T0ONE'] })
  expect(heard.filter(({ type }) => type === 'left').map(({ workspace }) => workspace)).toEqual(['T0ONE'])
  const left = await store.db.selectFrom('installations').select('id').orderBy('id').execute()
  expect(left.map(({ id }) => id)).toEqual(['E0GRID', 'T0TWO'])
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Health } from '../../adapters/adapter.ts'
import type { Ground } from '../../cli/ground.ts'
import { findRegistered, isWanted, lacking, openPlatforms, sayChanges } from '../../cli/platforms.ts'
import { forgetSandbox, writeSandbox } from '../../cli/sandbox/place.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { PLATFORMS, saveTokens, type Tokens } from '../../config/tokens.ts'
import { openLeases } from '../../core/store/leases.ts'
import { openStore, type Store } from '../../core/store/store.ts'
import { startFakeSlack } from '../fake-platforms/slack/slack.ts'

let dir: string
let config: Config
let store: Store
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'claw-platforms-'))
  config = loadConfig({ dataDir: dir }, {})
  store = await openStore(dir)
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})

const none: Tokens = { slack: {}, discord: {}, telegram: {} }

test.each<[string, Tokens['slack'], readonly string[]]>([
  ['Socket Mode', { botToken: 'b', appToken: 'a' }, []],
  ['HTTP', { botToken: 'b', signingSecret: 's' }, []],
  ['installed by workspaces', { clientId: 'i', clientSecret: 'c', signingSecret: 's', encryptionKey: 'k' }, []],
  ['a bot token alone', { botToken: 'b' }, ['SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, to be called over HTTP)']],
  ['an app token alone', { appToken: 'a' }, ['SLACK_BOT_TOKEN']],
  ['half an installation', { clientId: 'i', signingSecret: 's' }, ['SLACK_CLIENT_SECRET', 'CLAW_ENCRYPTION_KEY']],
])('what Slack lacks: %s', (_what, slack, lacks) => {
  expect(lacking({ ...none, slack }, 'slack')).toEqual(lacks)
})

test('a key of our own does not make a platform wanted', () => {
  const tokens: Tokens = { ...none, slack: { encryptionKey: 'k' }, telegram: { token: 't' } }
  expect(PLATFORMS.filter((platform) => isWanted(tokens, platform))).toEqual(['telegram'])
})

test('a sandbox stands in only where no platform has a token, and only while it answers', async () => {
  const slack = await startFakeSlack()
  const place = { pid: 1, discord: { apiUrl: 'http://d', token: 'd' }, telegram: { apiUrl: 'http://t', token: 't' } }
  writeSandbox(dir, { ...place, slack: { apiUrl: `${slack.url}api/`, botToken: 'b', appToken: 'a' } })
  expect(await findRegistered(config)).toMatchObject({
    sandbox: true,
    config: {
      slack: { apiUrl: `${slack.url}api/` },
      discord: { apiUrl: 'http://d' },
      telegram: { apiUrl: 'http://t' },
    },
    tokens: { slack: { botToken: 'b', appToken: 'a' }, discord: { token: 'd' }, telegram: { token: 't' } },
  })
  saveTokens(dir, { ...none, discord: { token: 'real' } })
  expect(await findRegistered(config)).toMatchObject({ sandbox: false, config, tokens: { slack: {} } })
  saveTokens(dir, none)
  await slack.close()
  expect(await findRegistered(config)).toMatchObject({ sandbox: false })
  forgetSandbox(dir)
})

test('one process of a bot takes a platform, and the other stands by; what lacks a token says which', async () => {
  const tokens: Tokens = { slack: { botToken: 'b' }, discord: { token: 'd' }, telegram: { token: '1:t' } }
  const registered = { config, tokens, sandbox: false }
  const open = async () => {
    const leases = openLeases(store.db, () => {})
    const said: string[] = []
    const ground = { store, leases, report() {} } as unknown as Ground
    const adapters = await openPlatforms(registered, ground, (line) => said.push(line))
    const states = adapters.map((adapter) => `${adapter.platform} ${adapter.health().state}`)
    return { states, said, close: () => leases.close() }
  }
  const first = await open()
  expect(first.states).toEqual(['discord connecting', 'telegram connecting'])
  expect(first.said).toEqual([
    'Slack is left out: it lacks SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, to be called over HTTP) (`claw init`)',
  ])
  const second = await open()
  expect(second.states).toEqual(['discord standby', 'telegram standby'])
  expect(second.said).toEqual(first.said)
  await first.close()
  const third = await open()
  expect(third.states).toEqual(first.states)
  for (const { close } of [second, third]) await close()
})

test('a connection is told of when it changes, without a token', async () => {
  const token = ['12345', '67890:', 'A'.repeat(35)].join('')
  let health: Record<string, Health> = { telegram: { state: 'connecting', since: 0, detail: null } }
  const said: string[] = []
  const quiet = sayChanges(
    () => health,
    (line) => said.push(line),
  )
  const then = async (state: Health['state'], detail: string | null) => {
    health = { telegram: { state, since: 0, detail } }
    await new Promise((done) => setTimeout(done, 600))
  }
  await then('connected', null)
  await then('connected', 'still')
  await then('refused', `/bot${token}/getMe`)
  quiet()
  await then('connected', null)
  expect(said).toEqual(['Telegram is connected', 'Telegram is refused: /bot[secret: telegram token]/getMe'])
})

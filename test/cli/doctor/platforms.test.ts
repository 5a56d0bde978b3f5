import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSlack } from '../../../adapters/slack/slack.ts'
import type { Finding } from '../../../cli/doctor/diagnoses.ts'
import { examine, report } from '../../../cli/doctor/doctor.ts'
import { clockSkew, diagnoseRunning } from '../../../cli/doctor/platforms.ts'
import { loadConfig } from '../../../config/config.ts'
import type { Tokens } from '../../../config/tokens.ts'
import { openStore } from '../../../core/store/store.ts'
import { startPlatforms } from '../platforms.ts'

let fakes: Awaited<ReturnType<typeof startPlatforms>>
beforeAll(async () => {
  fakes = await startPlatforms()
})
afterAll(() => fakes.close())

/** What is said of platforms with these tokens. */
async function examined(tokens: Partial<Tokens>, settings: Readonly<Record<string, object>> = {}): Promise<Finding[]> {
  const findings = await examine({ data: fakes.newFolder(tokens, settings), port: 0 })
  expect(JSON.stringify(findings)).not.toContain(fakes.bot.token)
  return findings
}

const of = (findings: readonly Finding[], platform: string) => findings.filter(({ name }) => name.startsWith(platform))

test('good tokens on all three platforms', async () => {
  const findings = await examined(fakes.tokens)
  for (const platform of ['slack', 'discord', 'telegram']) {
    expect(of(findings, platform)).toEqual([expect.objectContaining({ name: platform, state: 'ok' })])
  }
  expect(findings.find(({ name }) => name === 'clock')).toMatchObject({ state: 'ok' })
})

test('no tokens at all are a warning that names the way out', async () => {
  expect(of(await examined({}), 'platforms')).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining('claw sandbox') },
  ])
})

describe('slack', () => {
  test('a token that is missing', async () => {
    const found = of(await examined({ slack: { botToken: fakes.tokens.slack.botToken } }), 'slack')
    expect(found).toMatchObject([
      { name: 'slack: tokens', state: 'broken', detail: expect.stringContaining('SLACK_APP_TOKEN') },
    ])
  })

  test('missing scopes', async () => {
    const poor = await startPlatforms({ scopes: ['chat:write'] })
    const findings = await examine({ data: poor.newFolder({ slack: poor.tokens.slack }), port: 0 })
    expect(of(findings, 'slack')).toMatchObject([
      { name: 'slack: missing scopes', state: 'broken', detail: expect.stringContaining('reactions:read') },
    ])
    await poor.close()
  })

  test('tokens that Slack does not take', async () => {
    const wrong = { botToken: ['xoxb', 'wrong'].join('-'), appToken: ['xapp', 'wrong'].join('-') }
    const found = of(await examined({ slack: wrong }), 'slack')
    expect(found.map(({ name, state }) => [name, state])).toEqual([
      ['slack: bot token', 'broken'],
      ['slack: app token', 'broken'],
    ])
  })

  test('several sockets on one app token, as the running bot sees it', async () => {
    const { db, close } = await openStore(fakes.newFolder())
    const config = loadConfig({ dataDir: '/nowhere', slack: { apiUrl: `${fakes.slack.url}api/` } }, {}).slack
    const bots = [1, 2, 3].map(() => createSlack({ tokens: fakes.tokens.slack, config, db, report() {} }))
    for (const bot of bots) await bot.start(async () => {})
    const health = { slack: bots[2]!.health() }
    await Promise.all(bots.map((bot) => bot.stop()))
    await close()
    expect(diagnoseRunning(health)).toMatchObject([
      {
        name: 'slack: connection',
        state: 'warning',
        detail: expect.stringContaining('3 connections use this app token'),
      },
    ])
  })
})

describe('discord', () => {
  test('the intent that is off: close code 4014', async () => {
    fakes.discord.portal.messageContent = false
    const found = of(await examined({ discord: fakes.tokens.discord }), 'discord')
    fakes.discord.portal.messageContent = true
    expect(found).toMatchObject([
      {
        name: 'discord: intent off',
        state: 'broken',
        detail: expect.stringContaining('4014'),
        remedy: expect.stringContaining('Message Content Intent'),
      },
    ])
  })

  test('a token that Discord does not know', async () => {
    const found = of(await examined({ discord: { token: 'none.of.yours' } }), 'discord')
    expect(found).toMatchObject([{ name: 'discord: token', state: 'broken' }])
  })
})

describe('telegram', () => {
  test('privacy mode', async () => {
    fakes.bot.readsAll = false
    const found = of(await examined({ telegram: fakes.tokens.telegram }), 'telegram')
    fakes.bot.readsAll = true
    expect(found).toMatchObject([
      { name: 'telegram: privacy mode', state: 'warning', remedy: expect.stringContaining('/setprivacy') },
    ])
  })

  test('a group where it is no admin is told of no reactions', async () => {
    fakes.telegram.addUser({ id: 7, first_name: 'Ann' })
    fakes.telegram.addChat(
      { id: -1007, type: 'supergroup', title: 'g' },
      { 7: 'creator', [fakes.bot.user.id]: 'member' },
    )
    const data = fakes.newFolder({ telegram: fakes.tokens.telegram })
    const { db, close } = await openStore(data)
    const row = { platform: 'telegram', workspace: '-1007', learning: 1 as const, method: null }
    await db
      .insertInto('workspaces')
      .values({ ...row, serving_version: 0, created_at: 0 })
      .execute()
    await close()
    expect(of(await examine({ data, port: 0 }), 'telegram')).toMatchObject([
      { name: 'telegram: not an admin', state: 'warning' },
    ])
  })

  test('a webhook and polling at once', async () => {
    const call = (method: string, body: object) =>
      fetch(`${fakes.telegram.url}/bot${fakes.bot.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await call('setWebhook', { url: 'https://elsewhere.example/hook' })
    const found = of(await examined({ telegram: fakes.tokens.telegram }), 'telegram')
    await call('deleteWebhook', {})
    expect(found).toMatchObject([{ name: 'telegram: webhook while polling', state: 'warning' }])
  })

  test('a token that Telegram does not know', async () => {
    const found = of(await examined({ telegram: { token: `1:${'B'.repeat(35)}` } }), 'telegram')
    expect(found).toMatchObject([{ name: 'telegram: token', state: 'broken' }])
    expect(JSON.stringify(found)).not.toContain('B'.repeat(35))
  })
})

test('platforms that cannot be reached', async () => {
  const gone = { apiUrl: 'http://127.0.0.1:1' }
  const findings = await examined(fakes.tokens, {
    slack: { apiUrl: 'http://127.0.0.1:1/api/' },
    discord: gone,
    telegram: gone,
  })
  for (const platform of ['slack', 'discord', 'telegram']) {
    expect(of(findings, platform)).toMatchObject([{ name: `${platform}: unreachable`, state: 'broken' }])
  }
})

test('the clock is compared with the platform’s', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { date: new Date(Date.now() - 300_000).toUTCString() }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const skew = await clockSkew(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  server.close()
  expect(Math.abs((skew ?? 0) - 300_000)).toBeLessThan(2_000)
  expect(await clockSkew('http://127.0.0.1:1/')).toBeNull()
})

test('a running bot that is refused, and one that is well', () => {
  expect(
    diagnoseRunning({ discord: { state: 'refused', detail: 'why' }, slack: { state: 'connected', detail: null } }),
  ).toEqual([
    expect.objectContaining({
      name: 'discord: connection',
      state: 'broken',
      detail: 'the running bot is refused: why',
    }),
    expect.objectContaining({ name: 'slack: connection', state: 'ok' }),
  ])
})

test('a tokens file that is none is said in one line', async () => {
  const data = fakes.newFolder()
  writeFileSync(join(data, 'tokens.json'), '{"slack": 3}', { mode: 0o600 })
  await expect(examine({ data, port: 0 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('the report has what to do below what is wrong', () => {
  const findings: Finding[] = [
    { name: 'model', state: 'ok', detail: 'here', remedy: null },
    { name: 'telegram: token', state: 'broken', detail: 'unknown', remedy: 'ask again' },
  ]
  expect(report(findings)).toBe(
    `ok       model            here\nBROKEN   telegram: token  unknown\n${' '.repeat(26)}→ ask again\n\n1 broken, 0 warnings\n`,
  )
})

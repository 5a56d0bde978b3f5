import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planFor } from '../../../cli/init/plan.ts'
import { step } from '../../../cli/init/step.ts'
import { GENERAL } from '../../fake-platforms/slack/world.ts'
import { startPlatforms } from '../platforms.ts'

let fakes: Awaited<ReturnType<typeof startPlatforms>>
beforeAll(async () => {
  fakes = await startPlatforms()
  fakes.telegram.addUser({ id: 7, first_name: 'Ann' })
  fakes.telegram.addChat({ id: 7, type: 'private', first_name: 'Ann' })
  fakes.telegram.say(7, 7, '/start')
})
afterAll(() => fakes.close())

const lines = (tokens: Readonly<Record<string, string>>) =>
  Readable.from([
    Object.entries(tokens)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  ])

const kept = (data: string) => JSON.parse(readFileSync(join(data, 'tokens.json'), 'utf8'))

describe('without a terminal', () => {
  test('the first time it says what to do and which tokens it wants', async () => {
    const data = fakes.newFolder()
    const done = await step({ data, platform: 'slack' })
    expect(done).toMatchObject({
      ready: false,
      mode: 'socket',
      lacking: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'],
      tokens: null,
    })
    expect(done.link).toMatch(/^https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=/)
    const manifest = JSON.parse(readFileSync(done.manifest ?? '', 'utf8'))
    expect(manifest.settings.socket_mode_enabled).toBe(true)
    expect(existsSync(join(data, 'tokens.json'))).toBe(false)
  })

  test('slack: tokens from stdin are checked, kept for the owner alone, and a test message is sent', async () => {
    const data = fakes.newFolder()
    const { botToken, appToken } = fakes.tokens.slack
    const stdin = lines({ SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken })
    const done = await step({ data, platform: 'slack', stdin: true, test: GENERAL }, stdin)
    expect(done).toMatchObject({ ready: true, test: 'sent', findings: [{ state: 'ok' }] })
    expect(kept(data)).toEqual({
      slack: { botToken, appToken, encryptionKey: expect.stringMatching(/^[0-9a-f]{64}$/) },
      discord: {},
      telegram: {},
    })
    expect(statSync(join(data, 'tokens.json')).mode & 0o777).toBe(0o600)
    expect(fakes.slack.shown(fakes.team, GENERAL).at(-1)?.text).toContain('test message')
    expect(JSON.stringify(done)).not.toContain(botToken)
  })

  test('discord and telegram beside it: what another platform has stays', async () => {
    const data = fakes.newFolder({ slack: fakes.tokens.slack })
    const channel = fakes.discord.guilds[0].system_channel_id ?? ''
    const discord = lines({ DISCORD_TOKEN: fakes.discord.token })
    const done = await step({ data, platform: 'discord', stdin: true, test: channel }, discord)
    expect(done).toMatchObject({ ready: true, test: 'sent' })
    expect(done.steps.join()).toContain('https://discord.com/oauth2/authorize?client_id=')
    const telegram = lines({ TELEGRAM_BOT_TOKEN: fakes.bot.token })
    expect(await step({ data, platform: 'telegram', stdin: true, test: '7' }, telegram)).toMatchObject({ test: 'sent' })
    expect(kept(data)).toEqual({
      slack: fakes.tokens.slack,
      discord: fakes.tokens.discord,
      telegram: { token: fakes.bot.token },
    })
    expect([...fakes.slack.violations, ...fakes.discord.violations, ...fakes.telegram.violations]).toEqual([])
  })

  test('a token that the platform does not know is not kept', async () => {
    const data = fakes.newFolder({ telegram: fakes.tokens.telegram })
    const stdin = lines({ TELEGRAM_BOT_TOKEN: `99:${'C'.repeat(35)}` })
    const done = await step({ data, platform: 'telegram', stdin: true }, stdin)
    expect(done).toMatchObject({ ready: false, tokens: null, findings: [{ name: 'telegram: token', state: 'broken' }] })
    expect(JSON.stringify(done)).not.toContain('C'.repeat(35))
    expect(kept(data)).toEqual({ telegram: fakes.tokens.telegram })
    expect(readdirSync(data).sort()).toEqual(['config.json', 'tokens.json'])
  })

  test('a webhook has its address in the settings and a secret beside the token', async () => {
    const data = fakes.newFolder()
    const webhook = {
      data,
      platform: 'telegram',
      mode: 'webhook',
      url: 'https://claw.example.com/hook',
      stdin: true,
    } as const
    expect(await step(webhook, lines({ TELEGRAM_BOT_TOKEN: fakes.bot.token }))).toMatchObject({ ready: true })
    expect(kept(data).telegram.webhookSecret).toMatch(/^[0-9a-f]{64}$/)
    const settings = () => JSON.parse(readFileSync(join(data, 'config.json'), 'utf8')).telegram
    expect(settings()).toEqual({ apiUrl: fakes.telegram.url, webhookUrl: webhook.url })
    await step({ data, platform: 'telegram' })
    expect(settings()).toEqual({ apiUrl: fakes.telegram.url })
  })

  test('a test message that cannot be sent says why, and the tokens are kept', async () => {
    const data = fakes.newFolder(fakes.tokens)
    await expect(step({ data, platform: 'slack', test: 'C0NOWHERE' })).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
    })
    expect(kept(data).slack.botToken).toBe(fakes.tokens.slack.botToken)
    fakes.slack.violations.length = 0
  })

  test.each([
    ['no platform', {}, /--platform/],
    ['a mode that is none', { platform: 'telegram', mode: 'socket' }, /--mode polling\|webhook/],
    ['a mode that wants an address', { platform: 'slack', mode: 'http' }, /--url/],
    ['an address without TLS', { platform: 'slack', mode: 'http', url: 'http://claw.example.com' }, /--url https/],
  ] as const)('%s is a mistake', async (_what, options, remedy) => {
    const mistake = { code: 'CONFIG_INVALID', remedy: expect.stringMatching(remedy) }
    await expect(step({ data: fakes.newFolder(), ...options })).rejects.toMatchObject(mistake)
  })

  test('a line of stdin that names no token is not quoted', async () => {
    const data = fakes.newFolder()
    const secret = lines({ SLACK_TOKEN: 'something-secret' })
    const asked = step({ data, platform: 'slack', stdin: true }, secret)
    await expect(asked).rejects.toThrow(/^Line 1 of stdin names no token of slack$/)
  })
})

test('every mode has its tokens, and only the ones that Slack or Telegram calls want an address', () => {
  const plans = [
    planFor('slack', 'socket'),
    planFor('slack', 'http', 'https://claw.example.com'),
    planFor('slack', 'many', 'https://claw.example.com'),
    planFor('discord', 'gateway'),
    planFor('telegram', 'polling'),
    planFor('telegram', 'webhook', 'https://claw.example.com'),
  ]
  expect(plans.map(({ mode, wantsUrl, tokens }) => [mode, wantsUrl, tokens.map(({ key }) => key)])).toEqual([
    ['socket', false, ['botToken', 'appToken']],
    ['http', true, ['botToken', 'signingSecret']],
    ['many', true, ['clientId', 'clientSecret', 'signingSecret']],
    ['gateway', false, ['token']],
    ['polling', false, ['token']],
    ['webhook', true, ['token']],
  ])
})

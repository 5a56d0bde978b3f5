import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkSlack } from '../../../adapters/slack/check.ts'
import { EVENTS, SCOPES, slackCreationUrl, slackManifest } from '../../../adapters/slack/manifest.ts'
import { type FakeSlack, startFakeSlack } from '../../fake-platforms/slack/slack.ts'

describe('claw doctor, about Slack', () => {
  let fake: FakeSlack
  beforeEach(async () => {
    fake = await startFakeSlack({ teams: ['T0ONE'] })
  })
  afterEach(() => fake.close())

  const check = (tokens: Parameters<typeof checkSlack>[0]) => checkSlack(tokens, `${fake.url}api/`)
  const names = async (tokens: Parameters<typeof checkSlack>[0]) => (await check(tokens)).map(({ name }) => name)

  test('nothing is wrong', async () => {
    const { appToken, signingSecret } = fake
    expect(await check({ botToken: fake.install('T0ONE', SCOPES), appToken, signingSecret })).toEqual([])
  })

  test('scopes that are missing are named', async () => {
    const scopes = SCOPES.filter((scope) => scope !== 'reactions:read')
    const [found] = await check({ botToken: fake.install('T0ONE', scopes), appToken: fake.appToken })
    expect(found).toMatchObject({ name: 'missing scopes', detail: 'The bot lacks reactions:read' })
  })

  test('tokens in each other’s place, and made-up ones', async () => {
    const botToken = fake.install('T0ONE', SCOPES)
    expect(await names({ botToken: fake.appToken, appToken: botToken })).toEqual(['bot token', 'app token'])
    expect(await names({ botToken: `${'xoxb'}-1`, appToken: `${'xapp'}-1` })).toEqual(['bot token', 'app token'])
    expect(await names({ signingSecret: 'short' })).toEqual(['signing secret'])
  })

  test('Socket Mode is off', async () => {
    fake.refuse('apps.connections.open', 'socket_mode_not_enabled')
    expect(await names({ appToken: fake.appToken })).toEqual(['socket mode'])
  })

  test('the tokens are of two apps', async () => {
    const appToken = fake.appToken.replace('A0CLAW', 'A0OTHER')
    fake.refuse('apps.connections.open', 'internal_error')
    const found = (await check({ botToken: fake.install('T0ONE', SCOPES), appToken })).at(-1)
    expect(found).toMatchObject({ name: 'tokens of two apps', level: 'error' })
    expect(found?.detail).toContain('of the app A0OTHER, and the bot token of A0CLAW')
  })

  test('nobody is there', async () => {
    expect((await checkSlack({}, 'http://127.0.0.1:9/api/')).map(({ name }) => name)).toEqual(['unreachable'])
  })
})

describe('the manifest', () => {
  test('over Socket Mode needs no address', () => {
    const manifest = slackManifest('socket')
    expect(JSON.stringify(manifest)).not.toContain('http')
    expect(manifest.settings).toMatchObject({ socket_mode_enabled: true, token_rotation_enabled: false })
    expect(manifest.oauth_config.scopes.bot).toEqual(SCOPES)
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(EVENTS)
  })

  test('over HTTP names its own, everywhere', () => {
    const manifest = slackManifest('http', 'https://bot.example.org')
    const events = 'https://bot.example.org/slack/events'
    expect(manifest.features.slash_commands[0]).toMatchObject({ url: events })
    expect(manifest.settings.event_subscriptions).toMatchObject({ request_url: events })
    expect(manifest.settings.interactivity).toMatchObject({ request_url: events })
    expect(manifest.oauth_config).toMatchObject({ redirect_urls: ['https://bot.example.org/slack/oauth_redirect'] })
  })

  test('is in the link that makes the app', () => {
    const link = new URL(slackCreationUrl('socket'))
    expect(JSON.parse(link.searchParams.get('manifest_json') ?? '')).toEqual(slackManifest('socket'))
  })
})

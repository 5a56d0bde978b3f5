import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadConfig } from '../../config/config.ts'
import { loadTokens } from '../../config/tokens.ts'
import { ClawError, reason } from '../../core/errors.ts'
import { mask } from '../../core/mask.ts'

/** Made of parts, so that no file holds anything that looks like a token. */
const bot = ['12345', '67890:', 'AAF', 'k3'.repeat(16)].join('')
const slack = ['xoxb', '111111', '222222', 'abcDEF'].join('-')

const WAYS: readonly (readonly [string, (token: string) => string])[] = [
  ['in a path', (token) => `request to https://example.org/bot${token}/getMe failed`],
  ['encoded in an address', (token) => `GET /x?token=${encodeURIComponent(token)}&v=1`],
  ['in a form', (token) => `body token=${new URLSearchParams({ token }).toString().slice(6)}`],
  ['in JSON', (token) => JSON.stringify({ token, ok: false })],
  ['in a header', (token) => `authorization: Basic ${Buffer.from(token).toString('base64')}`],
  ['twice', (token) => `${token} is not ${token}`],
]

test.each(WAYS)('a loaded token %s is masked', (_way, write) => {
  for (const token of ['plain-words-are-a-secret too', 'ä"quoted\\one/+=&', bot, slack]) {
    const text = write(token)
    const masked = mask(text, [token])
    expect(masked).not.toContain(token)
    expect(masked).not.toContain(encodeURIComponent(token))
    expect(masked).toContain('[secret')
  }
})

test('what looks like a token is masked though nobody loaded it', () => {
  expect(mask(`401 from /bot${bot}/getMe`, [])).toBe('401 from /bot[secret: telegram token]/getMe')
  expect(mask(`invalid_auth: ${slack}`, [])).toBe('invalid_auth: [secret: slack token]')
})

test('ids, addresses and codes of an error stay', () => {
  for (const text of [
    'The chat -1001234567890 has no message 4711',
    'channel C0123ABCD:1700000000.000100 is archived',
    'message 1187654321098765432 is gone (code 10008)',
    'connect ECONNREFUSED 127.0.0.1:30000',
    'Used disallowed intents (4014)',
  ]) {
    expect(mask(text, [])).toBe(text)
  }
})

test('no text lets a loaded token through', () => {
  const word = fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme-ascii' }).filter((text) => !/\s/.test(text))
  fc.assert(
    fc.property(word, fc.string(), fc.string(), (token, before, after) => {
      expect(mask(`${before}${token}${after}`, [token])).not.toContain(token)
    }),
  )
})

test('whatever is read as a secret is known to every message from then on', () => {
  const env = {
    SLACK_APP_TOKEN: 'made-up-app-token',
    TELEGRAM_BOT_TOKEN: 'made-up-bot-token',
    CLAW_HTTP_TOKEN: 'made-up-page-token',
    DATABASE_URL: 'postgres://claw:made%2Dup-password@127.0.0.1/claw',
    SLACK_CLIENT_ID: 'public-client-id',
  }
  loadTokens('/nowhere', env)
  loadConfig({ dataDir: '/nowhere' }, env)
  const text = `made-up-app-token made-up-bot-token made-up-page-token made-up-password public-client-id`
  expect(reason(new Error(text))).toBe('[secret] [secret] [secret] [secret] public-client-id')
  expect(reason(new ClawError('PLATFORM_REFUSED', text))).not.toContain('made-up')
})

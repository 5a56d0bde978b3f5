import { GrammyError, HttpError } from 'grammy'
import { expect, test } from 'vitest'
import { isClosed, platformError } from '../../../adapters/telegram/errors.ts'
import { RateLimited } from '../../../core/errors.ts'

const refusal = (error_code: number, description: string, parameters = {}) =>
  new GrammyError('Call failed!', { ok: false, error_code, description, parameters }, 'sendMessage', { text: 'secret' })

const broken = (code: string) => new HttpError('failed', Object.assign(new Error('at /bot1:A/sendMessage'), { code }))

test.each([
  [
    refusal(400, 'Bad Request: chat not found'),
    'PLATFORM_REFUSED',
    'Telegram refused sendMessage (400): chat not found',
  ],
  [
    refusal(403, 'Forbidden: bot was blocked by the user'),
    'PLATFORM_REFUSED',
    'Telegram refused sendMessage (403): bot was blocked by the user',
  ],
  [
    refusal(400, 'Bad Request: can\'t parse entities: "secret"'),
    'PLATFORM_REFUSED',
    "Telegram refused sendMessage (400): can't parse entities",
  ],
  [refusal(500, 'Internal Server Error'), 'PLATFORM_LOST', 'Telegram failed at sendMessage (500)'],
  [broken('ECONNRESET'), 'PLATFORM_LOST', 'The connection to Telegram broke (ECONNRESET)'],
  [broken('ECONNREFUSED'), 'PLATFORM_LIMITED', 'Telegram cannot be reached (ECONNREFUSED)'],
  [new HttpError('failed', new Error('at /bot1:A/sendMessage')), 'PLATFORM_LOST', 'The connection to Telegram broke'],
  [new Error('at /bot1:A/sendMessage'), 'PLATFORM_LOST', 'A call to Telegram failed'],
])('%s is %s', (error, code, message) => {
  const known = platformError(error)
  expect(known).toMatchObject({ code, message })
  expect(known.cause).toBeUndefined()
})

test.each([
  [refusal(403, "Forbidden: bot can't initiate conversation with a user"), true],
  [refusal(400, 'Bad Request: chat not found'), true],
  [refusal(400, 'Bad Request: message text is empty'), false],
  [broken('ECONNRESET'), false],
])('%s: nobody can be written to there: %s', (error, closed) => {
  expect(isClosed(error)).toBe(closed)
})

test('a limit says for how long', () => {
  const limit = platformError(refusal(429, 'Too Many Requests', { retry_after: 7 }))
  expect(limit).toBeInstanceOf(RateLimited)
  expect((limit as RateLimited).retryAfterMs).toBe(7_000)
})

import { type Logger, LogLevel, webApi } from '@slack/bolt'
import { ClawError, hasCode, RateLimited } from '../../core/errors.ts'
import { unsent } from '../limited.ts'

/** Slack has not done it, and says why in a word of its own. */
export class Refused extends ClawError {
  /** `channel_not_found`; never text of a person. */
  readonly answer: string

  constructor(method: string, answer: string) {
    super('PLATFORM_REFUSED', `Slack refused ${method}: ${answer}`)
    this.answer = answer
  }
}

/** Milliseconds that an answer may take. */
const TIMEOUT = 30_000
/** Where Slack does not say how long it wants to be left alone. [ms] */
const A_MOMENT = 2_000

/** Bolt's own lines quote what they are about; whatever matters comes as an error. */
const SILENT: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
}

/**
 * How every client of Slack's Web API is made here: it sends each call once. Each takes a new object, because clients
 * write into it; and it never has `headers`, because there the first client would leave its token for all others.
 */
export function clientOptions(apiUrl: string): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT,
    logger: SILENT,
  }
}

export { SILENT }

/**
 * Runs one call of the Web API. Throws Refused where it was not done, RateLimited where it was not done and may be tried
 * again, PLATFORM_LOST where nobody knows. Nothing of the request is in what it throws.
 */
export async function call<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translated(method, error)
  }
}

export function translated(method: string, error: unknown): ClawError {
  if (error instanceof ClawError) return error
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return new RateLimited(`Slack takes no more of ${method} just now`, error.retryAfter * 1_000)
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const { error: answer } = error.data
    if (answer === 'ratelimited') return new RateLimited(`Slack takes no more of ${method} just now`, A_MOMENT)
    // Where Slack answers with no JSON, the SDK takes the whole page for the reason.
    return new Refused(method, /^\w{1,60}$/.test(answer) ? answer : 'an answer that is no JSON')
  }
  if (error instanceof webApi.WebAPIHTTPError) {
    if (error.statusCode < 500) return new Refused(method, `status_${error.statusCode}`)
    return new ClawError('PLATFORM_LOST', `Slack answered ${method} with status ${error.statusCode}`)
  }
  return unsent('Slack', codesOf(error)) ?? new ClawError('PLATFORM_LOST', `Slack's answer to ${method} did not arrive`)
}

/** Whether Slack has refused for one of these reasons. */
export function refusedFor(error: unknown, answers: readonly string[]): boolean {
  return hasCode(error, 'PLATFORM_REFUSED') && error instanceof Refused && answers.includes(error.answer)
}

/** What Slack says to a token that it will never take again. */
export const REVOKED = ['account_inactive', 'invalid_auth', 'not_authed', 'token_revoked'] as const

/** What Slack says to an app token while the app's Socket Mode is turned off. */
export const SOCKET_MODE_OFF = ['forbidden', 'socket_mode_not_enabled'] as const

/** The codes of an error and of what caused it, down to the socket. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = []
  for (let at: unknown = error; at instanceof Error && codes.length < 8; ) {
    codes.push('code' in at ? String(at.code) : '')
    at = 'original' in at ? at.original : at.cause
  }
  return codes
}

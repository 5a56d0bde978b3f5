import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js'
import { ClawError, RateLimited } from '../../core/errors.ts'
import { unsent } from '../limited.ts'
import { TOKEN } from './refusals.ts'

/** What the API's codes mean to an operator. */
const CODES: Readonly<Record<number, readonly [message: string, remedy?: string]>> = {
  10003: ['Discord no longer has that channel'],
  10008: ['Discord no longer has that message'],
  10062: ['Discord no longer waits for an answer to that command'],
  40060: ['That command has been answered already'],
  50001: ['Discord does not let the bot see that channel', 'Give its role "View Channel" there.'],
  50007: ['That person takes no direct messages from the bot'],
  50083: ['That thread is archived and locked'],
  160002: [
    'Discord does not let the bot answer a message in that channel',
    'Give its role "Read Message History" there.',
  ],
  200000: ["The server's AutoMod does not let that message through", 'Allow its role in Server Settings, AutoMod.'],
  50013: [
    'Discord does not let the bot do that in this channel',
    'Give its role "Send Messages", "Send Messages in Threads" and "Read Message History" there.',
  ],
}

/**
 * A failed call in the contract's words: PLATFORM_REFUSED when it was not done, `RateLimited` when it was not done and
 * may be tried later, PLATFORM_LOST when nobody knows. Nothing of the call is quoted.
 */
export function platformError(error: unknown): ClawError {
  if (error instanceof ClawError) return error
  if (error instanceof RateLimitError) {
    return new RateLimited('Discord asks the bot to wait', Math.max(error.retryAfter, error.timeToReset))
  }
  if (error instanceof DiscordAPIError) {
    if (error.status === 401 && error.code === 0) {
      return new ClawError('PLATFORM_REFUSED', 'Discord does not know the token', { remedy: TOKEN })
    }
    const [message, remedy] = CODES[Number(error.code)] ?? [`Discord refused a call (${error.status}, ${error.code})`]
    return new ClawError('PLATFORM_REFUSED', message, remedy === undefined ? {} : { remedy })
  }
  if (error instanceof HTTPError) return new ClawError('PLATFORM_LOST', `Discord has a fault (${error.status})`)
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (typeof code !== 'string') return new ClawError('PLATFORM_LOST', 'Discord did not answer')
  return unsent('Discord', [code]) ?? new ClawError('PLATFORM_LOST', `Discord did not answer (${code})`)
}

/** Awaits a call and says what went wrong in the contract's words. */
export async function asked<T>(call: Promise<unknown>): Promise<T> {
  try {
    return (await call) as T
  } catch (error) {
    throw platformError(error)
  }
}

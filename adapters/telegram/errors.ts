import { GrammyError, HttpError } from 'grammy'
import { ClawError, RateLimited } from '../../core/errors.ts'
import { unsent } from '../limited.ts'

/**
 * What a call to Telegram threw, in words that hold nothing of what was sent and no address: the token is part of it. So
 * what grammY threw is no `cause` either.
 */
export function platformError(error: unknown): ClawError {
  if (error instanceof ClawError) return error
  if (error instanceof GrammyError) return answered(error)
  if (!(error instanceof HttpError)) return new ClawError('PLATFORM_LOST', 'A call to Telegram failed')
  const code = codeOf(error)
  const broken = `The connection to Telegram broke${code === null ? '' : ` (${code})`}`
  return unsent('Telegram', code === null ? [] : [code]) ?? new ClawError('PLATFORM_LOST', broken)
}

function answered({ error_code: code, description, method, parameters }: GrammyError): ClawError {
  if (code === 429) {
    const seconds = parameters.retry_after ?? 1
    return new RateLimited(`Telegram wants ${seconds} s between calls of ${method}`, seconds * 1_000)
  }
  // A server that failed may have done it before.
  if (code >= 500) return new ClawError('PLATFORM_LOST', `Telegram failed at ${method} (${code})`)
  return new ClawError('PLATFORM_REFUSED', `Telegram refused ${method} (${code}): ${short(description)}`)
}

/** Telegram's own words may quote what was sent after a colon or in quotation marks; a few of them are enough. */
function short(description: string): string {
  return description
    .replace(/^[\w ]+: /, '')
    .split(/[:"]/, 1)[0]!
    .slice(0, 80)
}

function codeOf({ error }: HttpError): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : null
}

/** Whether it went wrong on the way to Telegram or there. */
export const isPlatforms = (error: unknown): boolean => error instanceof GrammyError || error instanceof HttpError

/** Telegram's answer, where it gave one. */
const answer = (error: unknown): GrammyError | null => (error instanceof GrammyError ? error : null)

export const isUnauthorized = (error: unknown): boolean => [401, 404].includes(answer(error)?.error_code ?? 0)

export const isConflict = (error: unknown): boolean => answer(error)?.error_code === 409

export const isUnparsable = (error: unknown): boolean => /can't parse|entit/i.test(answer(error)?.description ?? '')

export const isUnmodified = (error: unknown): boolean => /is not modified/.test(answer(error)?.description ?? '')

/** Nobody can be written to there: the person never started the bot, blocked it, or is gone. */
export const isClosed = (error: unknown): boolean =>
  answer(error)?.error_code === 403 ||
  /chat not found|user not found|PEER_ID_INVALID/.test(answer(error)?.description ?? '')

/** The id under which the chat goes on; null where it did not move. */
export const movedTo = (error: unknown): number | null => answer(error)?.parameters.migrate_to_chat_id ?? null

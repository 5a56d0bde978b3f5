import { mask } from './mask.ts'

/** Stable codes: documented, matched by scripts, never renamed. The prefix says whose fault it is. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'MODEL_UNKNOWN'
  | 'MODEL_MISSING'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_CORRUPT'
  | 'MODEL_UNSUPPORTED'
  | 'POLICY_UNKNOWN'
  | 'POLICY_CORRUPT'
  | 'ENGINE_STOPPED'
  | 'ENGINE_FAILED'
  | 'REQUEST_INVALID'
  | 'REQUEST_ABORTED'
  | 'STORE_UNUSABLE'
  | 'STORE_UNREACHABLE'
  | 'QUEUE_UNREACHABLE'
  | 'QUEUE_UNUSABLE'
  | 'TRAINER_FAILED'
  | 'JUDGE_FAILED'
  | 'WISH_INVALID'
  | 'SERVER_UNAVAILABLE'
  | 'SERVER_LOST'
  | 'PLATFORM_REFUSED'
  | 'PLATFORM_LIMITED'
  | 'PLATFORM_LOST'

/**
 * The one error class. `message` is one line for a person and holds no user text and no secret;
 * `remedy` says what to do next. Callers branch on `code`.
 */
export class ClawError extends Error {
  readonly code: ErrorCode
  readonly remedy: string | undefined

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ClawError'
    this.code = code
    this.remedy = options.remedy
  }
}

/** A platform has not done what it was asked to, and may be asked again after a while. */
export class RateLimited extends ClawError {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number, options: { cause?: unknown } = {}) {
    super('PLATFORM_LIMITED', message, options)
    this.retryAfterMs = retryAfterMs
  }
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof ClawError && error.code === code
}

/** The message of anything thrown, in one line and without secrets. */
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return mask(text.split('\n', 1)[0] ?? '')
}

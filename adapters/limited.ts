import { RateLimited } from '../core/errors.ts'

/** Waits, and no longer when `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', done)
  })
}

/** Failures before anything was sent: nothing can have happened. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** How long a network that is down is left alone. [ms] */
const UNREACHED_MS = 2_000

/** What is thrown where a call failed with these codes before it was sent; null where it may have been. */
export function unsent(platform: string, codes: readonly string[]): RateLimited | null {
  const code = codes.find((one) => UNSENT.has(one))
  return code === undefined ? null : new RateLimited(`${platform} cannot be reached (${code})`, UNREACHED_MS)
}

/** How long something waits altogether for a platform that wants fewer requests. [ms] */
const PATIENCE = 600_000

/**
 * Asks again when the platform says that it may be asked again, and throws RateLimited where that takes too long or
 * `signal` aborts. Whatever else goes wrong is for the caller: only a refusal that names a time is known to have done
 * nothing.
 */
export async function limited<T>(verb: () => Promise<T>, patience = PATIENCE, signal?: AbortSignal): Promise<T> {
  let waited = 0
  for (;;) {
    try {
      return await verb()
    } catch (error) {
      if (!(error instanceof RateLimited) || waited + error.retryAfterMs > patience) throw error
      waited += error.retryAfterMs
      await sleep(error.retryAfterMs, signal)
      if (signal?.aborted) throw error
    }
  }
}

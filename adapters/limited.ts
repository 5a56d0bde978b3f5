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

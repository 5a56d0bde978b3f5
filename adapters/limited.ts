import { RateLimited } from '../core/errors.ts'

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long something waits altogether for a platform that wants fewer requests. [ms] */
const PATIENCE = 600_000

/**
 * Asks again when the platform says that it may be asked again, and throws RateLimited where that takes too long.
 * Whatever else goes wrong is for the caller: only a refusal that names a time is known to have done nothing.
 */
export async function limited<T>(verb: () => Promise<T>, patience = PATIENCE): Promise<T> {
  let waited = 0
  for (;;) {
    try {
      return await verb()
    } catch (error) {
      if (!(error instanceof RateLimited) || waited + error.retryAfterMs > patience) throw error
      waited += error.retryAfterMs
      await sleep(error.retryAfterMs)
    }
  }
}

import { RateLimited } from '../core/errors.ts'

/**
 * Says again and again that the bot is writing, until it is stopped and takes that back where it does not go by itself.
 * Nothing depends on it, so nothing is said of it.
 */
export function keepTyping(
  say: () => Promise<void>,
  everyMs: number,
  takeBack: () => Promise<void> = async () => {},
): { stop(): void } {
  let timer: NodeJS.Timeout | null = null
  let stopped = false
  let saying = Promise.resolve()
  const again = (): void => {
    saying = sayOnce()
  }
  const sayOnce = async (): Promise<void> => {
    let wait = everyMs
    try {
      await say()
    } catch (error) {
      if (error instanceof RateLimited) wait = Math.max(wait, error.retryAfterMs)
    }
    if (!stopped) timer = setTimeout(again, wait)
  }
  again()
  return {
    stop() {
      if (timer !== null) clearTimeout(timer)
      if (!stopped) void saying.then(takeBack).catch(() => {})
      stopped = true
    },
  }
}

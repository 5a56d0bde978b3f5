import { RateLimited } from '../core/errors.ts'

/** Says again and again that the bot is writing, until it is stopped. Nothing depends on it, so nothing is said of it. */
export function keepTyping(say: () => Promise<void>, everyMs: number): { stop(): void } {
  let timer: NodeJS.Timeout | null = null
  let stopped = false
  const again = async (): Promise<void> => {
    let wait = everyMs
    try {
      await say()
    } catch (error) {
      if (error instanceof RateLimited) wait = Math.max(wait, error.retryAfterMs)
    }
    if (!stopped) timer = setTimeout(again, wait)
  }
  void again()
  return {
    stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

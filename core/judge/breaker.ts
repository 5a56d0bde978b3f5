/** Failures in a row that open the circuit. */
const FAILURES = 3
const OPEN_MS = 10_000
const LONGEST_MS = 300_000
const MINUTE_MS = 60_000
/** Whoever tries may find that there is nothing to ask: after this long another may. */
const TRYING_MS = 60_000

/** How long to wait before asking again: `budget` questions a minute, and fewer while nobody answers. */
export interface Breaker {
  /** Milliseconds until `questions` more may be asked; 0 takes them off the budget. */
  admit(questions: number, now: number): number
  /** They were answered. */
  succeeded(): void
  /** They were not; `waitMs` is what the other side asked for, if it did. */
  failed(now: number, waitMs: number | null): void
}

/**
 * A budget a minute and a circuit breaker. After three failures in a row nothing is asked for ten seconds, then one
 * question tries; each failure doubles the time, up to five minutes.
 */
export function createBreaker(budget: number): Breaker {
  let left = budget
  let refilledAt: number | null = null
  let failures = 0
  let openUntil = 0
  let tryingUntil = 0

  return {
    admit(questions, now) {
      if (now < openUntil) return openUntil - now
      if (failures >= FAILURES && now < tryingUntil) return Math.min(OPEN_MS, tryingUntil - now)
      left = Math.min(budget, left + ((now - (refilledAt ?? now)) * budget) / MINUTE_MS)
      refilledAt = now
      // One turn may need more questions than a minute has: then it takes the whole minute.
      const needed = Math.min(questions, budget)
      if (left < needed) return Math.ceil(((needed - left) * MINUTE_MS) / budget)
      left -= needed
      tryingUntil = now + TRYING_MS
      return 0
    },
    succeeded() {
      failures = 0
      tryingUntil = 0
    },
    failed(now, waitMs) {
      tryingUntil = 0
      failures++
      const open = failures < FAILURES ? 0 : Math.min(LONGEST_MS, OPEN_MS * 2 ** (failures - FAILURES))
      openUntil = Math.max(openUntil, now + Math.max(open, waitMs ?? 0))
    },
  }
}

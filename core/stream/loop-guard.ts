import type { Event } from '../types.ts'

/** Most messages of one other bot that are answered within a span, in milliseconds. */
const LIMITS = [
  { count: 20, ms: 60_000 },
  { count: 100, ms: 3_600_000 },
] as const

const LONGEST = LIMITS[1]

/** Bots that are remembered before those are let go that have been quiet for long. */
const REMEMBERED = 1_000

/**
 * Whether one more message may be answered. `before`: when earlier ones came, oldest first. Those that were not answered
 * count as well, so a pair that keeps talking is left alone until it has been quiet.
 */
export function mayGoOn(before: readonly number[], now: number): boolean {
  return LIMITS.every(({ count, ms }) => before.filter((at) => at > now - ms).length < count)
}

/** Remembers how often each other bot has spoken to this one, in this process. */
export function loopGuard(): (event: Event, now: number) => boolean {
  const heard = new Map<string, { readonly id: string; readonly at: number }[]>()
  return ({ platform, workspace, person, id }, now) => {
    const pair = JSON.stringify([platform, workspace, person.id])
    // What is delivered again was said once.
    const before = (heard.get(pair) ?? []).filter((one) => one.at > now - LONGEST.ms && one.id !== id)
    // The one that spoke last is at the end.
    heard.delete(pair)
    heard.set(pair, [...before, { id, at: now }].slice(-LONGEST.count))
    if (heard.size > REMEMBERED) {
      for (const [other, said] of heard) {
        if ((said.at(-1)?.at ?? 0) > now - LONGEST.ms) break
        heard.delete(other)
      }
    }
    return mayGoOn(
      before.map(({ at }) => at),
      now,
    )
  }
}

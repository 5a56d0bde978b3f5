import type { Config } from '../config/config.ts'

/** Nobody chats when nobody has said anything for this long. */
const QUIET = 5 * 60_000

/**
 * Milliseconds until weights may be trained; 0 is now. Hours are those of the machine's clock, may cross midnight, and
 * are the whole day where they end as they begin. `chattedAt` is when anyone last said anything.
 */
export function untilAllowed(when: Config['trainer']['when'], now: number, chattedAt: number): number {
  if (when === 'always') return 0
  if (when === 'idle') return Math.max(0, chattedAt + QUIET - now)
  const [begin, end] = when.split('-').map(minutes) as [number, number]
  const date = new Date(now)
  const minute = date.getHours() * 60 + date.getMinutes()
  const inside = begin < end ? minute >= begin && minute < end : minute >= begin || minute < end
  if (inside) return 0
  // By the calendar, so that a day of 23 or 25 hours begins its hours on time.
  const opens = new Date(date)
  opens.setHours(Math.floor(begin / 60), begin % 60, 0, 0)
  if (opens.getTime() <= now) opens.setDate(opens.getDate() + 1)
  return opens.getTime() - now
}

/** `22:30` as minutes since midnight. */
function minutes(clock: string): number {
  const [hours = 0, rest = 0] = clock.split(':').map(Number)
  return hours * 60 + rest
}

import { expect, test } from 'vitest'
import { untilAllowed } from '../../trainer/when.ts'

const at = (clock: string) => new Date(`2026-03-10T${clock}`).getTime()
const minutes = (count: number) => count * 60_000

test.each([
  ['always', '12:00', 0],
  ['22:00-06:00', '12:00', 600],
  ['22:00-06:00', '21:59', 1],
  ['22:00-06:00', '22:00', 0],
  ['22:00-06:00', '23:59', 0],
  ['22:00-06:00', '00:00', 0],
  ['22:00-06:00', '05:59', 0],
  ['22:00-06:00', '06:00', 960],
  ['09:00-17:30', '08:00', 60],
  ['09:00-17:30', '17:29', 0],
  ['09:00-17:30', '17:30', 930],
  ['08:00-08:00', '03:00', 0],
])('%s at %s: in %d minutes', (when, clock, wait) => {
  expect(untilAllowed(when, at(clock), at(clock))).toBe(minutes(wait))
})

test('idle is five minutes after the last word', () => {
  expect(untilAllowed('idle', 1_000_000, 1_000_000)).toBe(minutes(5))
  expect(untilAllowed('idle', 1_000_000, 1_000_000 - minutes(4))).toBe(minutes(1))
  expect(untilAllowed('idle', 1_000_000, 1_000_000 - minutes(5))).toBe(0)
  expect(untilAllowed('idle', 1_000_000, 0)).toBe(0)
})

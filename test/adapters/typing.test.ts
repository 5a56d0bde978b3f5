import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepTyping } from '../../adapters/typing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what is said while it stops is taken back after that', async () => {
  const said: string[] = []
  const say = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    said.push('typing')
  }
  const typing = keepTyping(say, 1_000, async () => void said.push('taken back'))
  await vi.advanceTimersByTimeAsync(1_400)
  typing.stop()
  typing.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(said).toEqual(['typing', 'typing', 'taken back'])
})

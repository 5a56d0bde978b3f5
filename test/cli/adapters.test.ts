import { expect, test } from 'vitest'
import type { Adapter, Health } from '../../adapters/adapter.ts'
import { sideBySide } from '../../cli/adapters.ts'
import { ClawError } from '../../core/errors.ts'
import { fakePlatform } from '../core/loop.ts'

function adapter(platform: string, over: Partial<Adapter> = {}): Adapter {
  const health: Health = { state: 'connected', since: 1, detail: null }
  return { ...fakePlatform(platform), start: async () => {}, stop: async () => {}, health: () => health, ...over }
}

test('one that cannot start says why, and the others are at work', async () => {
  const faults: unknown[] = []
  const delivered: string[] = []
  const refused = new ClawError('PLATFORM_REFUSED', 'the token is not known there')
  const told: Health = { state: 'refused', since: 5, detail: 'an intent is off' }
  const { start, stop, health, all } = sideBySide(
    [
      adapter('slack', { start: () => Promise.reject(refused) }),
      adapter('discord', { start: () => Promise.reject(refused), health: () => told }),
      adapter('telegram', { start: async (deliver) => deliver({} as never), stop: () => Promise.reject(refused) }),
    ],
    (fault) => faults.push(fault),
    () => 9,
  )
  expect(all.map(({ platform }) => platform)).toEqual(['slack', 'discord', 'telegram'])
  start(async () => void delivered.push('event'))
  await stop()
  expect(delivered).toEqual(['event'])
  expect(faults).toEqual([refused, refused, refused])
  expect(health()).toEqual({
    slack: { state: 'refused', since: 9, detail: 'the token is not known there' },
    discord: told,
    telegram: { state: 'connected', since: 1, detail: null },
  })
})

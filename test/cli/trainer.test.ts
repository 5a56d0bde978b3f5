import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startTrainer } from '../../cli/trainer.ts'
import { loadConfig } from '../../config/config.ts'
import { scratch } from '../scratch.ts'

const dir = scratch()
afterAll(() => rmSync(dir, { recursive: true }))

test('a trainer that has died is not started again once the bot has been closed', async () => {
  const told: string[] = []
  let died = () => {}
  const dead = new Promise<void>((resolve) => {
    died = resolve
  })
  const link = startTrainer(loadConfig({ dataDir: dir }, {}), join(dir, 'nowhere'), {
    state: died,
    version: () => {},
    failed: (code) => told.push(code),
  })
  await dead
  link.wake()
  await link.close()
  expect(told).toHaveLength(1)
  await sleep(5_000)
  expect(told).toHaveLength(1)
}, 30_000)

import { expect, test } from 'vitest'
import { soak } from './soak.ts'

test('three platforms with random faults: nobody is left without an answer, nobody gets two', {
  timeout: 180_000,
}, async () => {
  const { platforms } = await soak({ events: 240, rate: 20 })
  for (const [name, { asked, lost, doubled }] of Object.entries(platforms)) {
    expect(asked, name).toBeGreaterThan(40)
    expect({ name, lost, doubled }).toEqual({ name, lost: 0, doubled: 0 })
  }
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop
let whispers: string[]

const LEARNED = 'learned: Answer in one short sentence of at most 20 words.'
const bob = { id: 'bob', kind: 'human' } as const
const shared = { channel: 'c', conversation: 'c' } as const

beforeEach(async () => {
  loop = await startLoop()
  whispers = []
})

afterEach(() => loop.close())

function whispering(): void {
  loop.platform.whisper = async (_to, person, text) => void whispers.push(`${person}: ${text}`)
}

describe('what was learned is said', () => {
  test('where a person talks with the bot alone', async () => {
    whispering()
    await loop.ask('How do I make tea?')
    await loop.ask('shorter please')
    expect([loop.platform.notices, whispers]).toEqual([[LEARNED], []])
  })

  test('in a channel to who taught it and to nobody else', async () => {
    whispering()
    const message = await loop.ask('How do I make tea?', shared)
    await loop.send('correction', { ...shared, message, text: 'shorter please', person: bob })
    await loop.runtime.idle()
    expect([loop.platform.notices, whispers]).toEqual([[], [`bob: ${LEARNED}`]])
  })

  test('in a channel to nobody where the platform has no way to tell one person there', async () => {
    await loop.ask('How do I make tea?', shared)
    await loop.ask('shorter please', shared)
    expect(loop.platform.notices).toEqual([])
    expect(await loop.store.workspaceNotes(home)).toHaveLength(1)
  })

  test('and harms nothing where it cannot be', async () => {
    loop.platform.whisper = () => Promise.reject(new Error('away'))
    await loop.ask('How do I make tea?', shared)
    await loop.ask('shorter please', shared)
    expect(loop.platform.replies.size).toBe(2)
    expect(loop.faults).toHaveLength(1)
  })
})

test('that a version is live is said once where someone alone with the bot has taught it, and nowhere else', async () => {
  await loop.close()
  loop = await startLoop({ platform: 'slack' })
  whispering()
  const team = { platform: 'slack', workspace: 'home' }
  await loop.ask('hello', { conversation: 'other' })
  await loop.store.db.updateTable('workspaces').set({ learning: 1 }).execute()
  for (const text of ['hello', 'thanks, perfect', 'hello', 'thanks, perfect']) {
    await loop.ask(text, { conversation: 'ann' })
    await loop.ask(text, shared)
  }
  const samples = (await loop.store.batch(team, 9)).map(({ id }) => id)
  expect(samples.length).toBeGreaterThan(2)
  const told: string[] = []
  loop.platform.notify = async ({ conversation }, { text }) => void told.push(`${conversation}: ${text}`)
  const made = { ref: team, parent: 0, reason: null, directory: `${loop.dir}/v`, metrics: {} }
  await loop.store.recordVersion({ ...made, version: 1, state: 'served', samples })
  await loop.runtime.policyPublished(team, 1)
  expect(told).toEqual([`ann: version 1 is live (learned from ${samples.length} replies)`])
  await loop.store.recordVersion({ ...made, version: 2, parent: 1, state: 'served', samples: [] })
  await loop.runtime.policyPublished(team, 2)
  expect(told).toHaveLength(1)
  expect(whispers).toEqual([])
})

test('where only the owner of the machine talks, every version is news', async () => {
  await loop.ask('hello')
  const made = { ref: home, version: 1, parent: 0, reason: null, directory: `${loop.dir}/v`, metrics: {}, samples: [] }
  await loop.store.recordVersion({ ...made, state: 'served' })
  await loop.runtime.policyPublished(home, 1)
  expect(loop.platform.notices).toEqual(['version 1 is live (rehearsed)'])
})

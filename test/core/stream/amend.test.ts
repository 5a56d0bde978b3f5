import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Sample } from '../../../core/types.ts'
import { home, type Loop, startLoop } from '../loop.ts'
import { readIds } from '../parrot.ts'

let loop: Loop
/** The reply that is praised and blamed here. */
let message: string

beforeEach(async () => {
  loop = await startLoop()
  message = await loop.ask('hello')
})

afterEach(() => loop.close())

const batch = () => loop.store.batch(home, 100)
const state = async () =>
  (await loop.store.db.selectFrom('turns').select('state').orderBy('position').execute())[0]?.state
const standing = (samples: readonly Sample[]) =>
  samples.map(({ reward, weight, learned }) => ({ effect: reward * weight, learned }))

async function react(emoji: string, type: 'reaction' | 'reaction_removed' = 'reaction') {
  await loop.send(type, { message, emoji })
  await loop.runtime.idle()
}

async function train(samples?: readonly Sample[], state: 'served' | 'rejected' = 'served') {
  const learned = samples ?? (await batch())
  const version = await loop.store.nextVersion(home)
  await loop.store.recordVersion({
    ref: home,
    version,
    parent: await loop.store.servingVersion(home),
    state,
    reason: null,
    directory: `${loop.dir}/v${version}`,
    metrics: {},
    samples: learned.map((sample) => sample.id),
  })
  return version
}

/** What the weights have learned of the turn in all. */
async function learnedInAll(): Promise<number> {
  const rows = await loop.store.db
    .selectFrom('samples')
    .select(['reward', 'weight', 'learned'])
    .where('state', '=', 'trained')
    .execute()
  return rows.reduce((sum, { reward, weight, learned }) => sum + reward * weight - learned, 0)
}

async function why(): Promise<string> {
  await loop.send('command', { text: '/claw why' })
  await loop.runtime.idle()
  return loop.platform.notices.at(-1) ?? ''
}

const audited = async () =>
  (await loop.store.db.selectFrom('audit').selectAll().where('action', '=', 'amended').orderBy('seq').execute()).map(
    (row) => JSON.parse(row.detail),
  )

test('what was not trained is replaced', async () => {
  await react('👍')
  await react('👎')
  expect(await batch()).toEqual([])
  await react('👍', 'reaction_removed')
  expect(standing(await batch())).toEqual([{ effect: -1, learned: 0 }])
})

describe('praise that was trained', () => {
  beforeEach(async () => {
    await react('👍')
    await train()
  })

  test('and taken back is pushed back once', async () => {
    await react('👍', 'reaction_removed')
    expect(await state()).toBe('amended')
    expect(standing(await batch())).toEqual([{ effect: 0, learned: 1 }])
    expect(await why()).toMatch(/the next version makes up for it/)
    await train()
    expect(await learnedInAll()).toBe(0)
    expect(await state()).toBe('trained')
    expect(await why()).toMatch(/version 2 learned from it/)
    expect(await audited()).toMatchObject([{ from: 1, to: 0, sample: true }])
  })

  test('and turned into blame pushes twice, and teaches the hint', async () => {
    await react('👍', 'reaction_removed')
    await loop.say({ text: 'shorter please', replyTo: message })
    await loop.runtime.idle()
    const [sample] = await batch()
    expect(sample).toMatchObject({ reward: -1, learned: 1 })
    expect(readIds(sample!.teacherPromptIds!)).toMatch(/hello\n\nAnswer in one short sentence/)
    await train()
    expect(await learnedInAll()).toBe(-1)
  })

  test('and given again after it was taken back leaves nothing to make up for', async () => {
    await react('👍', 'reaction_removed')
    await react('👍')
    expect(await batch()).toEqual([])
    expect(await state()).toBe('trained')
    expect(await audited()).toMatchObject([
      { from: 1, to: 0, sample: true },
      { from: 0, to: 1, sample: false },
    ])
  })

  test('and taken back and given a hundred times counts at most once', async () => {
    for (let i = 0; i < 50; i++) {
      await react('👍', 'reaction_removed')
      if (i % 10 === 0) await train()
      await react('👍')
      if (i % 15 === 0) await train()
      expect((await batch()).length).toBeLessThanOrEqual(1)
      expect([0, 1]).toContain(await learnedInAll())
    }
    await train()
    expect(await learnedInAll()).toBe(1)
    expect(await batch()).toEqual([])
  })

  test('where learning is off is left as it is, on record', async () => {
    await loop.store.db.updateTable('workspaces').set({ learning: 0 }).execute()
    await react('👎')
    await react('👍', 'reaction_removed')
    expect(await batch()).toEqual([])
    expect(await state()).toBe('amended')
    expect((await audited()).at(-1)).toMatchObject({ to: -1, sample: false })
  })

  test('stands once in what is learned again, as it stands now', async () => {
    await react('👍', 'reaction_removed')
    await react('👎')
    const version = await train()
    expect(standing(await loop.store.pool(home, [1, version]))).toEqual([{ effect: -1, learned: 0 }])
  })
})

test('blame that was trained and turned into praise pushes twice', async () => {
  await react('👎')
  await train()
  await loop.send('button', { message, value: 'up' })
  await loop.runtime.idle()
  expect(standing(await batch())).toEqual([{ effect: 1, learned: -1 }])
  await train()
  expect(await learnedInAll()).toBe(1)
})

describe('a vote that is given again after the same person voted otherwise counts again', () => {
  test('as a reaction, after a button', async () => {
    await react('👍')
    await loop.send('button', { message, value: 'down' })
    await loop.runtime.idle()
    expect(standing(await batch())).toEqual([{ effect: -1, learned: 0 }])
    // That it was taken back in between has not reached the bot.
    await react('👍')
    expect(standing(await batch())).toEqual([{ effect: 1, learned: 0 }])
  })

  test('as a button, after a reaction', async () => {
    await loop.send('button', { message, value: 'down' })
    await react('👍')
    expect(standing(await batch())).toEqual([{ effect: 1, learned: 0 }])
    await loop.send('button', { message, value: 'down' })
    await loop.runtime.idle()
    expect(standing(await batch())).toEqual([{ effect: -1, learned: 0 }])
  })
})

test('a version that learned from what was taken back while it was trained is made up for', async () => {
  await react('👍')
  const taken = await batch()
  await react('👍', 'reaction_removed')
  await react('👎')
  await train(taken)
  expect(await batch()).toEqual([])
  await loop.restart()
  await loop.runtime.idle()
  expect(standing(await batch())).toEqual([{ effect: -1, learned: 1 }])
  await train()
  expect(await learnedInAll()).toBe(-1)
})

test('a lesson of a version that the gate refused stands in the pool, and so is made up for', async () => {
  await react('👍')
  await train(undefined, 'rejected')
  await react('👍', 'reaction_removed')
  expect(standing(await batch())).toEqual([{ effect: 0, learned: 1 }])
  await train()
  expect(standing(await loop.store.pool(home, [2]))).toEqual([{ effect: 0, learned: 0 }])
})

test('what was rolled back is not made up for', async () => {
  await react('👍')
  await train()
  await loop.send('command', { text: '/claw rollback' })
  await react('👍', 'reaction_removed')
  expect(await batch()).toEqual([])
  await react('👎')
  expect(standing(await batch())).toEqual([{ effect: -1, learned: 0 }])
})

test("what the workspace's weights learned, a person's own do not make up for", async () => {
  await react('👍')
  await train()
  await loop.send('command', { text: '/claw scope person' })
  await react('👍', 'reaction_removed')
  await react('👎')
  expect(await batch()).toEqual([])
  expect(standing(await loop.store.batch({ ...home, scope: 'ann' }, 9))).toEqual([{ effect: -1, learned: 0 }])
})

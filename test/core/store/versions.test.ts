import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { insertSample, withdrawSamples } from '../../../core/store/samples.ts'
import type { Store } from '../../../core/store/store.ts'
import { listVersions, serve } from '../../../core/store/versions.ts'
import type { Sample } from '../../../core/types.ts'
import { newPlace, type Place } from '../../stores.ts'

const ref = { platform: 'terminal', workspace: 'home' }
let place: Place
let store: Store

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  await store.db
    .insertInto('workspaces')
    .values({ ...ref, learning: 1, method: null, serving_version: 0, created_at: 0 })
    .execute()
})

afterEach(async () => {
  await store.close()
  place.remove()
})

/** A sampled turn with one ready sample of the same id. */
async function lesson(id: string, at: number, promptIds = [1, 2]): Promise<Sample> {
  const empty = new Uint8Array()
  await store.db
    .insertInto('turns')
    .values({
      ...ref,
      id,
      conversation: 'c',
      person: 'ann',
      kind: 'main',
      state: 'sampled',
      message: id,
      asked: 'why?',
      position: at,
      request: JSON.stringify([{ role: 'user', content: 'why?' }]),
      notes: '[]',
      prompt_ids: empty,
      response_ids: empty,
      logprobs: empty,
      text: 'so',
      policy_version: 0,
      sampling: '{}',
      finish: 'stop',
      created_at: at,
      visible_at: at,
      evidence: 1,
      judged: 1,
    })
    .execute()
  const sample: Sample = {
    id,
    turn: id,
    promptIds,
    responseIds: [3, 4, 70_000],
    learned: 0,
    logprobs: Float32Array.of(-0.5, -1.25, -3),
    teacherPromptIds: at % 2 === 0 ? [1, 9, 2] : null,
    reward: -1,
    weight: 0.75,
  }
  await insertSample(store.db, ref, sample, 1, at)
  return sample
}

const stateOf = async (id: string) =>
  (await store.db.selectFrom('turns').select('state').where('id', '=', id).executeTakeFirst())?.state

const finished = { ref, parent: 0, reason: null, directory: '/policies/v', metrics: { drift: 0.1 } } as const

describe('samples', () => {
  test('come back as they were written, oldest first', async () => {
    const later = await lesson('b', 2)
    const first = await lesson('a', 1)
    expect(await store.readySamples()).toEqual([{ ref, count: 2, oldestAt: 1 }])
    expect(await store.batch(ref, 9)).toMatchObject([first, later])
    expect(await store.batch(ref, 1)).toMatchObject([first])
    expect(await store.batch({ ...ref, workspace: 'other' }, 9)).toEqual([])
  })

  test('wait while learning is off', async () => {
    await lesson('a', 1)
    await store.db.updateTable('workspaces').set({ learning: 0 }).execute()
    expect(await store.readySamples()).toEqual([])
  })

  test('give their prompts for rehearsal once, with the notes that stand today', async () => {
    await lesson('a', 1, [5])
    await lesson('b', 2, [6])
    await lesson('c', 3, [5])
    const note = { ...ref, person: 'ann', wish: null, group: null, turn: 'a' }
    await store.db
      .insertInto('notes')
      .values([
        { ...note, id: 'n2', text: 'Be kind.', state: 'active', at: 2 },
        { ...note, id: 'n1', text: 'Be short.', state: 'active', at: 1 },
        { ...note, id: 'n0', text: 'Be long.', state: 'replaced', at: 0 },
      ])
      .execute()
    const questions = await store.recentQuestions(ref, 5)
    expect(questions.map((q) => q.promptIds)).toEqual([[5], [6]])
    expect(questions[0]).toMatchObject({ person: 'ann', notes: ['Be short.', 'Be kind.'] })
  })
})

describe('a version', () => {
  test('takes its samples and the pointer with it', async () => {
    const samples = [await lesson('a', 1), await lesson('b', 2)]
    expect(await store.nextVersion(ref)).toBe(1)
    const state = await store.recordVersion({ ...finished, version: 1, state: 'served', samples: ['a', 'b'] })
    expect(state).toBe('served')
    expect(await store.servingVersion(ref)).toBe(1)
    expect(await store.nextVersion(ref)).toBe(2)
    expect(await store.readySamples()).toEqual([])
    expect(await store.pool(ref, [1])).toMatchObject(samples)
    expect([await stateOf('a'), await stateOf('b')]).toEqual(['trained', 'trained'])
    expect(await listVersions(store.db, ref)).toMatchObject([{ version: 1, lessons: 2, metrics: { drift: 0.1 } }])
  })

  test('that the gate refused is not served, its lessons stay in the pool', async () => {
    const sample = await lesson('a', 1)
    await store.recordVersion({ ...finished, version: 1, state: 'rejected', reason: 'drift', samples: ['a'] })
    expect(await store.servingVersion(ref)).toBe(0)
    expect(await store.pool(ref, await store.lineage(ref, 0))).toMatchObject([sample])
    await store.recordVersion({ ...finished, version: 2, state: 'served', samples: [] })
    expect(await store.pool(ref, await store.lineage(ref, 2))).toMatchObject([sample])
  })

  test('knows its ancestors, and not the branch that was rolled back', async () => {
    const steps = [
      { version: 1, parent: 0 },
      { version: 2, parent: 1 },
      { version: 3, parent: 1 },
      { version: 4, parent: 3 },
    ]
    for (const step of steps) {
      await serve(store.db, ref, step.parent)
      await store.recordVersion({ ...finished, ...step, state: 'served', samples: [] })
    }
    expect(await store.lineage(ref, 4)).toEqual([4, 3, 1])
    expect(await store.lineage(ref, 2)).toEqual([2, 1])
    expect(await store.lineage(ref, 0)).toEqual([])
  })

  test('whose parent was rolled back while it was trained does not undo that', async () => {
    await store.recordVersion({ ...finished, version: 1, state: 'served', samples: [] })
    await serve(store.db, ref, 0)
    const sample = await lesson('a', 1)
    expect(await store.recordVersion({ ...finished, version: 2, parent: 1, state: 'served', samples: ['a'] })).toBe(
      'rejected',
    )
    expect(await store.servingVersion(ref)).toBe(0)
    expect(await store.batch(ref, 9)).toMatchObject([sample])
    expect(await stateOf('a')).toBe('sampled')
  })

  test('written twice changes nothing the second time', async () => {
    await lesson('a', 1)
    await store.recordVersion({ ...finished, version: 1, state: 'served', samples: [] })
    await expect(store.recordVersion({ ...finished, version: 1, state: 'served', samples: ['a'] })).rejects.toThrow()
    expect(await stateOf('a')).toBe('sampled')
  })

  test('that the gate refused takes no lesson from one that was served meanwhile', async () => {
    await lesson('a', 1)
    await store.recordVersion({ ...finished, version: 1, state: 'served', samples: ['a'] })
    await store.recordVersion({ ...finished, version: 2, state: 'rejected', samples: ['a'] })
    expect(await store.pool(ref, [1])).toHaveLength(1)
    expect(await store.db.selectFrom('samples').select('version').execute()).toEqual([{ version: 1 }])
    expect(await stateOf('a')).toBe('trained')
  })

  test('trained on a sample that was withdrawn meanwhile has its turn judged again', async () => {
    await lesson('a', 1)
    await withdrawSamples(store.db, 'a')
    await store.db.updateTable('turns').set({ state: 'closed' }).execute()
    await store.recordVersion({ ...finished, version: 1, state: 'served', samples: ['a'] })
    expect(await stateOf('a')).toBe('amended')
    expect(await store.db.selectFrom('turns').select(['evidence', 'judged']).execute()).toEqual([
      { evidence: 2, judged: 1 },
    ])
    const log = await store.db.selectFrom('audit').select('action').orderBy('seq').execute()
    expect(log.map((entry) => entry.action)).toEqual(['trained-withdrawn', 'version-served'])
  })
})

test('hint potency is kept with its sample', async () => {
  await lesson('a', 1)
  await store.recordPotency('a', 0.42)
  const row = await store.db.selectFrom('samples').select('potency').executeTakeFirst()
  expect(row?.potency).toBe(0.42)
})

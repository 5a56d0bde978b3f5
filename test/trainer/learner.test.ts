import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig, type Method } from '../../config/config.ts'
import { withNotes } from '../../core/memory/notes.ts'
import { type ModelFiles, openModel } from '../../core/model/files.ts'
import { startEngine } from '../../core/policy/embedded.ts'
import type { PolicyEngine } from '../../core/policy/engine.ts'
import { pathOf } from '../../core/policy/version.ts'
import { audit } from '../../core/store/audit.ts'
import { insertSample } from '../../core/store/samples.ts'
import type { LessonStore, Store } from '../../core/store/store.ts'
import { transact } from '../../core/store/transact.ts'
import { insertTurn } from '../../core/store/turns.ts'
import { serve } from '../../core/store/versions.ts'
import type { ChatMessage, PolicyRef, Turn } from '../../core/types.ts'
import type { TrainerEngine, TrainItem } from '../../trainer/engines/engine.ts'
import { createOnnxTrainer, type OnnxTrainer } from '../../trainer/engines/onnx.ts'
import { Learner } from '../../trainer/learner.ts'
import { newPlace, onPostgres, type Place } from '../stores.ts'
import { folderFiles, writeFolder } from '../tiny-model.ts'

const home = { platform: 'terminal', workspace: 'home' }
const ann: PolicyRef = { ...home, scope: 'ann' }
const bob: PolicyRef = { ...home, scope: 'bob' }
const wishes = { ann: 'Answer in one short sentence.', bob: 'Explain in detail.' } as const

let place: Place
let store: Store
let model: ModelFiles
let engine: OnnxTrainer
let policy: PolicyEngine
/** What the teacher was shown, as token ids joined. */
let taught: Set<string>
let asked: string[]
/** The items of each step, with what the weights of that step said of their candidates. */
let stepped: { readonly item: TrainItem; readonly logprobs: Float32Array }[][]

beforeAll(async () => {
  place = await newPlace()
  const path = writeFolder(join(place.dir, 'model'))
  const config = { ...(folderFiles()['config.json'] as object), max_position_embeddings: 1024 }
  writeFileSync(join(path, 'config.json'), JSON.stringify(config))
  model = await openModel(path)
  const cacheDir = join(place.dir, 'cache')
  engine = await createOnnxTrainer({ model, rank: 8, alpha: 16, threads: 1, cacheDir })
  policy = await startEngine({ model: path, weights: 'f32', threads: 1, context: 1024, cacheDir })
  store = await place.open()
}, 60_000)

afterAll(async () => {
  await store.close()
  await policy.close()
  await engine.close()
  await model.close()
  place.remove()
})

beforeEach(async () => {
  taught = new Set()
  asked = []
  stepped = []
  for (const table of [
    'notes',
    'audit',
    'samples',
    'version_files',
    'versions',
    'turns',
    'people',
    'workspaces',
  ] as const) {
    await store.db.deleteFrom(table).execute()
  }
  await store.db
    .insertInto('workspaces')
    .values({ ...home, learning: 1, method: null, scope: null, serving_version: 0, created_at: 0 })
    .execute()
  await store.db
    .insertInto('people')
    .values(['ann', 'bob'].map((person) => ({ ...home, person, name: null })))
    .execute()
})

function learner(method: Method = 'combined', over: Partial<LessonStore> = {}): Learner {
  const config = loadConfig({ dataDir: place.dir, trainer: { method } }, {})
  const watched: TrainerEngine = {
    forward(items, weights) {
      if (weights === 'base') asked.push(...items.map(({ ids }) => ids.join(' ')))
      return engine.forward(items, weights)
    },
    async forwardBackward(items) {
      const result = await engine.forwardBackward(items)
      stepped.push(items.map((item, i) => ({ item, logprobs: result.logprobs[i]! })))
      return result
    },
    optimStep: (parameters) => engine.optimStep(parameters),
    saveState: () => engine.saveState(),
    loadState: (directory) => engine.loadState(directory),
    exportPolicy: () => engine.exportPolicy(),
    close: async () => {},
  }
  return new Learner({ config, store: { ...store, ...over }, model, engine: watched, policy })
}

/** A corrected reply of one person, who keeps the wish as a note. */
async function lesson(ref: PolicyRef, number: number): Promise<void> {
  const person = (ref.scope ?? 'ann') as keyof typeof wishes
  const request: ChatMessage[] = [{ role: 'user', content: `Question ${number}?` }]
  const promptIds = model.tokenizer.prompt(request)
  const responseIds = [70 + number, 80, 90 + number, 75, 2]
  const id = `${person}-${number}`
  const turn: Turn = {
    ...home,
    id,
    conversation: 'c',
    person,
    kind: 'main',
    state: 'sampled',
    request,
    notes: [],
    promptIds,
    responseIds,
    logprobs: new Float32Array(5).fill(-5),
    text: 'so',
    policyVersion: 0,
    sampling: { temperature: 1, topP: 1, maxTokens: 9, seed: 1 },
    finish: 'stop',
    createdAt: number,
  }
  await insertTurn(store.db, turn, { message: id, text: 'why?', at: number, position: number })
  const teacherPromptIds = model.tokenizer.prompt(withNotes(request, [wishes[person]]))
  taught.add(teacherPromptIds.join(' '))
  const { logprobs } = turn
  const sample = {
    id,
    turn: id,
    promptIds,
    responseIds,
    logprobs,
    teacherPromptIds,
    reward: -1 as const,
    weight: 1,
    learned: 0,
  }
  await insertSample(store.db, ref, sample, 1, number, { people: [person], groups: ['length'] })
  if (number > 1) return
  const note = { ...home, id: `note-${person}`, person, text: wishes[person], wish: null, group: 'length', turn: id }
  await store.db
    .insertInto('notes')
    .values({ ...note, state: 'active', at: 1 })
    .execute()
}

/** The bytes of every file of a version. */
async function bytes(version: number): Promise<Record<string, string>> {
  const { directory } = (await store.findVersion(home, version))!
  return Object.fromEntries(
    readdirSync(directory).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]),
  )
}

const WEIGHTS = 'adapter_model.safetensors'

test('two people with opposite wishes have weights of their own, and neither changes a byte of the other’s', async () => {
  const each = learner()
  for (const ref of [ann, bob]) for (const number of [1, 2, 3]) await lesson(ref, number)
  expect(await each.learn(ann)).toMatchObject({ ref: ann, version: 1, state: 'served', lessons: 3 })
  const first = await bytes(1)
  expect(await each.learn(bob)).toMatchObject({ ref: bob, version: 2, state: 'served', lessons: 3 })
  expect(await bytes(1)).toEqual(first)
  expect((await bytes(2))[WEIGHTS]).not.toBe(first[WEIGHTS])
  expect((await store.findVersion(home, 2))?.parent).toBe(0)
  const second = await bytes(2)
  await lesson(ann, 4)
  expect(await each.learn(ann)).toMatchObject({ version: 3, state: 'served' })
  expect(await each.rehearse(bob)).toMatchObject({ ref: bob, version: 4 })
  expect((await store.findVersion(home, 3))?.parent).toBe(1)
  expect((await store.findVersion(home, 4))?.parent).toBe(2)
  expect(await bytes(1)).toEqual(first)
  expect(await bytes(2)).toEqual(second)
  const serving = await Promise.all([ann, bob, home].map((ref) => store.servingVersion(ref)))
  expect(serving).toEqual([3, (await store.findVersion(home, 4))?.state === 'served' ? 4 : 2, 0])
}, 60_000)

test.skipIf(onPostgres)(
  'what one person learns is the same to the byte whoever learns beside them',
  async () => {
    for (const number of [1, 2, 3]) await lesson(ann, number)
    await learner().learn(ann)
    const alone = (await bytes(1))[WEIGHTS]
    for (const table of ['notes', 'samples', 'versions', 'turns'] as const) await store.db.deleteFrom(table).execute()
    await store.db.updateTable('people').set({ serving_version: 0 }).execute()
    for (const ref of [ann, bob]) for (const number of [1, 2, 3]) await lesson(ref, number)
    const both = learner()
    await both.learn(ann)
    await both.learn(bob)
    expect((await bytes(1))[WEIGHTS]).toBe(alone)
  },
  60_000,
)

test.each<[Method, boolean]>([
  ['combined', true],
  ['opd', true],
  ['binary', false],
])(
  'the method %s asks the teacher: %s',
  async (method, asks) => {
    for (const number of [1, 2, 3]) await lesson(home, number)
    const outcome = (await learner(method).learn(home))!
    // Nothing is left to learn: a second trainer that was told of it too makes no version of nothing.
    expect(await learner(method).learn(home)).toBeNull()
    expect(outcome.reason).toBeNull()
    const prompts = [...taught]
    expect(asked.some((ids) => prompts.some((prompt) => ids.startsWith(prompt)))).toBe(asks)
    expect((await learner(method).rehearse(home)) === null).toBe(!asks)
  },
  60_000,
)

test('a workspace chooses its method', async () => {
  await store.db.updateTable('workspaces').set({ method: 'binary' }).execute()
  for (const number of [1, 2, 3]) await lesson(home, number)
  await learner('combined').learn(home)
  expect(asked.some((ids) => [...taught].some((prompt) => ids.startsWith(prompt)))).toBe(false)
}, 60_000)

test('a note is compared with its absence once a version, and stays while it makes a difference', async () => {
  for (let number = 1; number <= 5; number++) await lesson(home, number)
  const one = learner()
  await one.learn(home)
  const version = await store.servingVersion(home)
  expect(await store.uncheckedNote(home, version)).toMatchObject({ id: 'note-ann' })
  await one.checkNote(home)
  expect(await store.uncheckedNote(home, version)).toBeNull()
  const [note] = await store.workspaceNotes(home)
  expect(note).toMatchObject({ id: 'note-ann', retired: false })
}, 60_000)

test('what was read before something was forgotten is not served', async () => {
  for (const number of [1, 2]) await lesson(home, number)
  const forgets: Partial<LessonStore> = {
    async batch(ref, limit) {
      const samples = await store.batch(ref, limit)
      await audit(store.db, home, null, 'forgotten', {}, Date.now())
      await sleep(5)
      return samples
    },
  }
  expect(await learner('combined', forgets).learn(home)).toMatchObject({ state: 'rejected' })
  expect(await store.servingVersion(home)).toBe(0)
  expect(await store.batch(home, 9)).toHaveLength(2)
}, 60_000)

test('a ratio is to what the line that learns said at first sight, not to a version that is gone', async () => {
  const one = learner()
  for (const number of [1, 2, 3, 4]) await lesson(home, number)
  expect(await one.learn(home)).toMatchObject({ version: 1, state: 'served' })
  await lesson(home, 5)
  expect(await one.learn(home)).toMatchObject({ version: 2, state: 'served' })
  await transact(store.db, (tx) => serve(tx, home, 0))
  await store.db.updateTable('samples').set({ state: 'ready', version: null }).where('id', '=', 'ann-5').execute()
  stepped = []
  await one.learn(home)
  const [fresh] = stepped[0]!
  const { old } = fresh!.item
  expect(Math.max(...old.map((logprob, i) => Math.abs(logprob - fresh!.logprobs[i]!)))).toBeLessThan(1e-4)
}, 60_000)

test.each<[Method, Method, number]>([
  ['combined', 'opd', -1],
  ['combined', 'binary', -1],
  ['opd', 'combined', 0],
])(
  'praise learned by %s and taken back is undone by %s: %d',
  async (before, after, sign) => {
    await lesson(home, 1)
    await store.db.updateTable('samples').set({ reward: 1 }).execute()
    expect(await learner(before).learn(home)).toMatchObject({ version: 1, state: 'served' })
    const row = await store.db.selectFrom('samples').selectAll().executeTakeFirstOrThrow()
    const taken = { reward: 0, weight: 0, learned: 1, state: 'ready', version: null } as const
    await store.db
      .insertInto('samples')
      .values({ ...row, id: 'taken', revision: 2, ...taken })
      .execute()
    stepped = []
    await learner(after).learn(home)
    const { item } = stepped[0]![0]!
    const width = item.candidates.length / item.rows.length
    // The sampled token comes before those that a teacher weighs.
    expect(width).toBe(after === 'binary' ? 1 : 5)
    expect(Math.sign(item.advantages[0]!) + 0).toBe(sign)
  },
  60_000,
)

test('a folder is named after its workspace, however long that is called', () => {
  const of = (workspace: string) => pathOf({ platform: 'playground', workspace })
  expect(of('../home')).toBe('playground-..%2Fhome')
  const long = ['界', '世'].map((last) => of(`${'仕事'.repeat(60)}${last}`))
  expect(new Set(long).size).toBe(2)
  for (const name of long) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120)
})

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClawError, RateLimited } from '../../../core/errors.ts'
import type { Tables } from '../../../core/store/schema.ts'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

/** Names that no id of anything else contains. */
const OLD = '-100777'
const NEW = '-200888'
const old = { platform: 'telegram', workspace: OLD, conversation: OLD, channel: OLD } as const
const fresh = { platform: 'telegram', workspace: NEW, conversation: NEW, channel: NEW } as const
const bob = { id: 'bob', kind: 'human' } as const

beforeEach(async () => {
  loop = await startLoop({ platform: 'telegram' })
})

afterEach(() => loop.close())

/** Where a workspace's name or a word still is: in any column of any table, or in a file or its name. */
async function traces(...words: string[]): Promise<string[]> {
  const found: string[] = []
  const holds = (text: string) => words.some((word) => text.includes(word))
  for (const { name, columns } of await loop.store.db.introspection.getTables()) {
    for (const row of await loop.store.db
      .selectFrom(name as keyof Tables)
      .selectAll()
      .execute()) {
      const values = Object.values(row).map((value) => (value instanceof Uint8Array ? '' : String(value)))
      if (values.some(holds)) found.push(`${name} ${JSON.stringify(row)}`)
    }
    const owned = columns.some((column) => column.name === 'workspace')
    expect(
      owned || ['verdicts', 'judging', 'leases', 'migrations', 'commits', 'installations'].includes(name),
      name,
    ).toBe(true)
  }
  for (const entry of readdirSync(loop.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const text = entry.isFile() ? readFileSync(path, 'latin1') : ''
    if (holds(path) || holds(text)) found.push(path)
  }
  return found
}

/** The tables that hold anything of a workspace. */
async function owned(workspace: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, columns } of await loop.store.db.introspection.getTables()) {
    if (!columns.some((column) => column.name === 'workspace')) continue
    const rows = await loop.store.db
      .selectFrom(name as 'turns')
      .select('workspace')
      .execute()
    if (rows.some((row) => row.workspace === workspace)) found.push(name)
  }
  return found
}

/** A workspace with something in everything that can hold anything. */
async function lived(ref: Omit<typeof old, 'workspace'> & { readonly workspace: string }, word: string) {
  await loop.store.db.updateTable('workspaces').set({ learning: 1 }).execute()
  await loop.ask(`What is ${word} tea?`, { ...ref, message: 'm1', id: 'q1' })
  await loop.store.db.updateTable('workspaces').set({ learning: 1 }).execute()
  await loop.ask(`call me ${word}, and be brief`, { ...ref, message: 'm2', id: 'q2' })
  await loop.ask('thanks, perfect', { ...ref, message: 'm3', id: 'q3' })
  await loop.send('command', { ...ref, text: '/claw export', id: 'c1' })
  await loop.runtime.idle()
  const folder = join(loop.dir, 'policies', `telegram-${ref.workspace}`)
  const directory = join(folder, 'v000001')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'weights'), word)
  const policy = { platform: ref.platform, workspace: ref.workspace }
  const samples = (await loop.store.batch(policy, 9)).map(({ id }) => id)
  expect(samples.length).toBeGreaterThan(0)
  const made = { ref: policy, version: 1, parent: 0, reason: null, directory, metrics: {}, samples }
  expect(await loop.store.recordVersion({ ...made, state: 'served' })).toBe('served')
  const row = { platform: ref.platform, workspace: ref.workspace }
  await loop.store.db
    .insertInto('channels')
    .values({ ...row, channel: ref.channel, speak: 'all' })
    .execute()
  await loop.store.db
    .insertInto('deliveries')
    .values({ ...row, position: Number.parseInt(ref.workspace, 36) || 1, part: 0, message: 'm', at: 0 })
    .execute()
}

describe('leaving', () => {
  test('takes everything of the workspace and nothing of another with the same ids', async () => {
    const other = { ...old, workspace: 'other' }
    await lived(old, 'xylophonic')
    await lived(other, 'rhubarb')
    const empty = ['version_files', 'migrations', 'commits', 'moves', 'leases', 'installations', 'verdicts', 'judging']
    const all = (await loop.store.db.introspection.getTables()).map(({ name }) => name)
    expect((await owned(OLD)).sort()).toEqual(all.filter((name) => !empty.includes(name)).sort())
    const before = await loop.store.db.selectFrom('turns').select('id').execute()
    await loop.send('left', { ...old })
    await loop.runtime.idle()
    expect(loop.faults).toEqual([])
    expect(await traces(`telegram-${OLD}`, 'xylophonic')).toEqual([])
    expect(await owned(OLD)).toEqual([])
    expect(await loop.store.db.selectFrom('turns').select('id').execute()).toHaveLength(before.length / 2)
    expect(await loop.store.batch({ platform: 'telegram', workspace: 'other' }, 9)).toEqual([])
    expect(await loop.store.servingVersion({ platform: 'telegram', workspace: 'other' })).toBe(1)
    expect(await traces('rhubarb')).not.toEqual([])
    expect(readdirSync(join(loop.dir, 'exports'))).toHaveLength(1)
  })

  test('waits for what is under way, and a version that is being trained meanwhile is not recorded', async () => {
    let release = () => {}
    loop.platform.sending = () => new Promise((resolve) => (release = resolve))
    await loop.say({ ...old, text: 'xylophonic' })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    await loop.send('left', { ...old, conversation: 'about' })
    await new Promise((resolve) => setTimeout(resolve, 60))
    release()
    await loop.runtime.idle()
    expect(await traces(OLD, 'xylophonic')).toEqual([])
    const policy = { platform: 'telegram', workspace: OLD }
    const made = {
      ref: policy,
      version: 1,
      parent: 0,
      state: 'served',
      reason: null,
      directory: '/v',
      metrics: {},
    } as const
    expect(await loop.store.recordVersion({ ...made, samples: [] })).toBe('rejected')
    expect(await traces(OLD)).toEqual([])
  })

  test('that fails is tried again until it is done', async () => {
    await loop.close()
    let broken = false
    loop = await startLoop({
      platform: 'telegram',
      beforeStatement() {
        if (broken) throw new Error('the store is away')
      },
    })
    let release = () => {}
    loop.platform.sending = () => new Promise((resolve) => (release = resolve))
    await loop.say({ ...old, text: 'xylophonic' })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    await loop.send('left', { ...old, conversation: 'about' })
    broken = true
    await expect.poll(() => loop.faults.length).toBeGreaterThan(0)
    broken = false
    release()
    await expect.poll(() => owned(OLD), { timeout: 8_000 }).toEqual([])
  })

  test('that was interrupted is done by the next start', async () => {
    await lived(old, 'xylophonic')
    await loop.runtime.close()
    const about = { ...old, id: 'left', at: loop.now(), person: { id: 'x', kind: 'human' } } as const
    const event = { ...about, type: 'left' } as const
    const row = { event: 'left', conversation: OLD, type: 'left', message: null, body: JSON.stringify(event) } as const
    const state = { state: 'received', answer: null, error: null, received_at: 0 } as const
    const place = { platform: 'telegram', workspace: OLD }
    await loop.store.db
      .insertInto('inbox')
      .values({ ...place, ...row, ...state })
      .execute()
    await loop.restart()
    await loop.runtime.idle()
    expect(await traces(OLD, 'xylophonic')).toEqual([])
  })
})

describe('moving', () => {
  const moved = (over: object = {}) => ({ ...old, to: NEW, ...over })

  test('telegraph#692: gives everything the new name, once, whichever side says it', async () => {
    await lived(old, 'xylophonic')
    const [reply] = [...loop.platform.replies.keys()]
    await loop.say({ ...fresh, text: 'we are here now', message: 'm9', id: 'q9', overheard: true })
    await loop.ask('hello from here', { ...fresh, message: 'm10', id: 'q10', person: bob })
    await loop.send('moved', moved({ id: 'one' }))
    await loop.send('moved', moved({ id: 'two', conversation: 'elsewhere' }))
    await loop.runtime.idle()
    await loop.runtime.deliver({ ...moved(), id: 'one', at: 0, person: bob, type: 'moved' })
    await loop.runtime.idle()
    expect(loop.faults).toEqual([])
    const left = (await traces(OLD)).filter((trace) => !trace.startsWith('moves') && !trace.startsWith(loop.dir))
    expect(left).toEqual([])
    expect(existsSync(join(loop.dir, 'policies', `telegram-${OLD}`))).toBe(false)
    const policy = { platform: 'telegram', workspace: NEW }
    expect(await loop.store.servingVersion(policy)).toBe(1)
    const version = await loop.store.findVersion(policy, 1)
    expect(readFileSync(join(version!.directory, 'weights'), 'utf8')).toBe('xylophonic')
    await loop.send('reaction', { ...fresh, message: `${reply}/0`, emoji: '👎', overheard: true })
    await loop.ask('and now?', { ...fresh, overheard: true })
    expect(loop.engine.prompts.at(-1)).toContain('thanks, perfect')
    const signals = await loop.store.db.selectFrom('signals').select('content').where('type', '=', 'reaction').execute()
    expect(signals).toEqual([{ content: '👎' }])
  })

  test('follows what still comes under the old name, and knows it again', async () => {
    const first = await loop.say({ ...old, text: 'hello' })
    await loop.runtime.idle()
    await loop.send('moved', moved())
    await loop.runtime.idle()
    await loop.runtime.deliver(first)
    await loop.ask('late', { ...old, message: 'late' })
    await loop.runtime.idle()
    expect([...loop.platform.replies.values()]).toEqual(['re: hello', 're: late'])
    expect(loop.engine.prompts.at(-1)).toContain('re: hello')
    const turns = await loop.store.db.selectFrom('turns').select(['workspace', 'conversation']).execute()
    expect(turns).toEqual([
      { workspace: NEW, conversation: NEW },
      { workspace: NEW, conversation: NEW },
    ])
  })

  test('waits for what is under way, and takes with it what waits behind', async () => {
    let release = () => {}
    loop.platform.sending = () => new Promise((resolve) => (release = resolve))
    await loop.say({ ...old, text: 'hello' })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    await loop.send('moved', moved())
    await loop.say({ ...old, text: 'behind' })
    loop.platform.sending = async () => {}
    release()
    await loop.runtime.idle()
    await expect
      .poll(() => [...loop.platform.replies.values()], { timeout: 5_000 })
      .toEqual(['re: hello', 're: behind'])
    expect(loop.engine.prompts.at(-1)).toContain('re: hello')
    expect((await traces(OLD)).filter((trace) => !trace.startsWith('moves') && !trace.startsWith(loop.dir))).toEqual([])
  })

  test('keeps who has opted out under the new name before the old one was given up', async () => {
    const message = await loop.ask('hello', old)
    await loop.store.db.updateTable('workspaces').set({ learning: 1 }).execute()
    await loop.send('reaction', { ...old, message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await loop.store.batch({ platform: 'telegram', workspace: OLD }, 9)).toHaveLength(1)
    await loop.send('command', { ...old, workspace: NEW, conversation: NEW, text: '/claw optout' })
    await loop.runtime.idle()
    await loop.send('moved', moved())
    await loop.runtime.idle()
    const people = await loop.store.db.selectFrom('people').select(['workspace', 'opted_out']).execute()
    expect(people).toEqual([{ workspace: NEW, opted_out: 1 }])
    expect(await loop.store.batch({ platform: 'telegram', workspace: NEW }, 9)).toEqual([])
  })

  test('a channel of it keeps its threads, and what was heard in them', async () => {
    const root = { ...old, channel: 'C1', conversation: 'C1:1', message: 'C1:1', id: 'message:C1:1' }
    await loop.ask('hello', root)
    await loop.send('reaction', { ...root, id: 'r1', emoji: '👍' })
    await loop.send('moved', { ...old, conversation: 'C1', channel: 'C1', from: 'C1', to: 'C9' })
    await loop.runtime.idle()
    const there = { ...old, channel: 'C9', conversation: 'C9:1', overheard: true as const }
    await loop.say({ ...there, text: 'hello', message: 'C9:1', id: 'message:C9:1' })
    await loop.ask('and now?', { ...there, message: 'C9:2', id: 'message:C9:2' })
    expect([...loop.platform.replies.values()]).toEqual(['re: hello', 're: and now?'])
    expect(loop.engine.prompts.at(-1)).toContain('re: hello')
    expect(loop.faults).toEqual([])
  })

  test('does nothing where both have learned', async () => {
    await lived(old, 'xylophonic')
    await lived({ ...old, workspace: NEW }, 'rhubarb')
    await loop.send('moved', moved())
    await loop.runtime.idle()
    for (const workspace of [OLD, NEW]) {
      expect(await loop.store.servingVersion({ platform: 'telegram', workspace })).toBe(1)
    }
  })
})

describe('joining', () => {
  test('is greeted once, and not again in another channel, after a restart or when it comes twice', async () => {
    const event = await loop.send('joined', { ...old })
    await loop.runtime.idle()
    expect(loop.platform.notices).toHaveLength(1)
    expect(loop.platform.notices[0]).toMatch(
      /keep.*off until an admin turns it on: \/claw learn on.*optout.*forget me/s,
    )
    await loop.restart()
    await loop.runtime.deliver(event)
    await loop.send('joined', { ...old, conversation: 'another' })
    await loop.runtime.idle()
    expect(loop.platform.notices).toHaveLength(1)
    expect(await loop.store.db.selectFrom('people').selectAll().execute()).toEqual([])
    await loop.send('joined', { ...old, workspace: 'other' })
    await loop.runtime.idle()
    expect(loop.platform.notices).toHaveLength(2)
  })

  test.each([
    new ClawError('PLATFORM_REFUSED', 'no right to post there'),
    new RateLimited('too much is said there', 1_000),
  ])('where it cannot speak is greeted in the next channel: $message', async (error) => {
    const { notify } = loop.platform
    loop.platform.notify = () => Promise.reject(error)
    await loop.send('joined', { ...old })
    await loop.runtime.idle()
    loop.platform.notify = notify
    await loop.send('joined', { ...old, conversation: 'another' })
    await loop.runtime.idle()
    expect(loop.platform.notices).toHaveLength(1)
  })
})

test('two workspaces with the same people, channels, messages, times and ids: nothing crosses', async () => {
  const places = [
    { platform: 'telegram', workspace: 'one' },
    { platform: 'telegram', workspace: 'two' },
  ]
  for (const place of places) {
    const at = 1_000_000
    const about = { ...place, conversation: 'c', channel: 'c', person: bob }
    const word = `secret of ${place.workspace}`
    await loop.play({ ...about, id: 'e1', at, type: 'message', message: 'm1', text: `I am the ${word}` })
    const overheard = { ...about, overheard: true } as const
    await loop.play({
      ...overheard,
      id: 'e2',
      at: at + 9e4,
      type: 'message',
      message: 'm2',
      text: `not for you, ${word}`,
    })
    await loop.play({ ...about, id: 'e3', at: at + 1e5, type: 'message', message: 'm3', text: 'call me bobby' })
    await loop.play({ ...about, id: 'e4', at: at + 2e5, type: 'command', text: 'channel all' })
  }
  const texts = loop.engine.prompts.map((prompt) => ['one', 'two'].filter((name) => prompt.includes(`of ${name}`)))
  expect(texts.every((names) => names.length <= 1)).toBe(true)
  for (const table of ['turns', 'messages', 'signals', 'notes', 'inbox', 'people', 'outbound'] as const) {
    const rows = await loop.store.db.selectFrom(table).select('workspace').execute()
    const of = (name: string) => rows.filter(({ workspace }) => workspace === name).length
    expect([table, of('one')]).toEqual([table, of('two')])
  }
})

test('the old name of a workspace that has moved is known to the database alone', async () => {
  await loop.ask('hello', { ...old })
  await loop.send('moved', { ...old, to: NEW })
  await loop.runtime.idle()
  await loop.send('left', { ...fresh })
  await loop.runtime.idle()
  expect((await traces(OLD, NEW)).filter((trace) => !trace.startsWith(loop.dir))).toEqual([])
  expect(home.platform).toBe('terminal')
})

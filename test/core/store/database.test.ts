import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../core/store/database.ts'
import { transact } from '../../../core/store/transact.ts'

const run = promisify(execFile)

let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claw-database-'))
  file = join(dir, 'deep', 'claw.sqlite')
})

afterEach(() => rmSync(dir, { recursive: true }))

const workspace = (name: string) => ({
  platform: 'terminal',
  workspace: name,
  learning: 1 as const,
  method: null,
  serving_version: 0,
  created_at: 0,
})

describe('the database', () => {
  test('with much to do lets the process hear what comes in', async () => {
    const db = await openDatabase(file)
    let heard = 0
    const hear = () => {
      heard += 1
      listening = setImmediate(hear)
    }
    let listening = setImmediate(hear)
    await Promise.all(Array.from({ length: 1_000 }, () => db.selectFrom('workspaces').selectAll().execute()))
    clearImmediate(listening)
    expect(heard).toBeGreaterThan(1)
    await db.destroy()
  })

  test('what was said in the terminal belongs to the playground, unless that has such a workspace already', async () => {
    const db = await openDatabase(file)
    const taken = { ...workspace('taken'), platform: 'playground' }
    await db
      .insertInto('workspaces')
      .values([workspace('home'), workspace('taken'), taken])
      .execute()
    const person = { platform: 'terminal', person: 'ada', name: null, serving_version: 0, opted_out: 0 } as const
    await db
      .insertInto('people')
      .values([
        { ...person, workspace: 'home' },
        { ...person, workspace: 'taken' },
      ])
      .execute()
    await db.deleteFrom('migrations').where('name', '=', '008-one-playground').execute()
    await db.destroy()
    const again = await openDatabase(file)
    const where = (table: 'workspaces' | 'people') =>
      again.selectFrom(table).select(['platform', 'workspace']).orderBy('workspace').orderBy('platform').execute()
    const moved = { platform: 'playground', workspace: 'home' }
    const stays = { platform: 'terminal', workspace: 'taken' }
    expect(await where('people')).toEqual([moved, stays])
    expect(await where('workspaces')).toEqual([moved, { ...stays, platform: 'playground' }, stays])
    await again.destroy()
  })

  test('is made where it is missing, and survives a power cut by its settings', async () => {
    const db = await openDatabase(file)
    await db.insertInto('workspaces').values(workspace('home')).execute()
    await db.destroy()
    const again = await openDatabase(file)
    expect(await again.selectFrom('workspaces').select('workspace').execute()).toEqual([{ workspace: 'home' }])
    await again.destroy()
    const raw = new Database(file)
    expect(raw.pragma('journal_mode', { simple: true })).toBe('wal')
    raw.close()
  })

  test.skipIf(process.platform === 'win32')('is for its owner’s eyes', async () => {
    const db = await openDatabase(file)
    await db.insertInto('workspaces').values(workspace('home')).execute()
    const files = readdirSync(dirname(file))
    expect(files).toContain('claw.sqlite-wal')
    for (const name of files) expect(statSync(join(dirname(file), name)).mode & 0o777).toBe(0o600)
    await db.destroy()
  })

  test('is made and written by several processes at once', async () => {
    const script = join(import.meta.dirname, 'grow.ts')
    const grow = () => run(process.execPath, ['--import', 'tsx', script, file, '20'])
    await Promise.all([grow(), grow(), grow()])
    const db = await openDatabase(file)
    const row = await db.selectFrom('workspaces').select('serving_version').executeTakeFirst()
    expect(row?.serving_version).toBe(60)
    await db.destroy()
  })

  test('undoes a transaction that throws', async () => {
    const db = await openDatabase(file)
    const broken = transact(db, async (tx) => {
      await tx.insertInto('workspaces').values(workspace('half')).execute()
      throw new Error('stop')
    })
    await expect(broken).rejects.toThrow('stop')
    expect(await db.selectFrom('workspaces').selectAll().execute()).toEqual([])
    await db.destroy()
  })

  test('keeps to its references', async () => {
    const db = await openDatabase(file)
    const verdict = { turn: 'nowhere', revision: 1, score: 1, weight: 1, hint: null, wish: null, basis: '', judge: '' }
    await expect(
      db
        .insertInto('verdicts')
        .values({ ...verdict, created_at: 0 })
        .execute(),
    ).rejects.toThrow(/FOREIGN KEY/)
    await db.destroy()
  })

  test('of a newer program is left alone', async () => {
    const db = await openDatabase(file)
    await db.insertInto('migrations').values({ name: '999-later', at: 0 }).execute()
    await db.destroy()
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'STORE_UNUSABLE', message: /newer version/ })
  })

  test('that is no database says so in one line', async () => {
    const text = join(dir, 'notes.txt')
    writeFileSync(text, 'dear diary, '.repeat(1_000))
    const remedy = expect.stringMatching(/backup/)
    await expect(openDatabase(text)).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: /cannot be used/,
      remedy,
    })
  })
})

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from '../../../core/policy/library.ts'
import { readManifest, versionName, writeVersion } from '../../../core/policy/version.ts'
import type { Store } from '../../../core/store/store.ts'
import { findVersion, type NewVersion, recordVersion } from '../../../core/store/versions.ts'
import { scratch } from '../../scratch.ts'
import { newPlace, type Place } from '../../stores.ts'

const ref = { platform: 'playground', workspace: 'home' }

let place: Place
let store: Store
let elsewhere: string

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  elsewhere = scratch()
  const workspace = { ...ref, learning: 1, method: null, serving_version: 0, created_at: 0 } as const
  await store.db.insertInto('workspaces').values(workspace).execute()
})

afterEach(async () => {
  await store.close()
  place.remove()
  rmSync(elsewhere, { recursive: true })
})

/** Makes and records a version as a trainer with `place.dir` for its data folder would. */
async function publish(version: number, bytes = 10): Promise<void> {
  const directory = join(place.dir, 'policies', 'playground-home', versionName(version))
  const pairs = new Map([['layer', { a: new Float32Array(8).fill(version), b: new Float32Array(4) }]])
  const about = { version, parent: version - 1, base: 'b', samples: [], metrics: {}, createdAt: 'today' }
  await writeVersion(directory, { rank: 1, alpha: 2, pairs }, about, { 'state.bin': Buffer.alloc(bytes, version) })
  const made = { ref, version, parent: version - 1, state: 'served', reason: null, directory, metrics: {}, samples: [] }
  const { keep } = createLibrary(store.db, place.dir)
  await recordVersion(store.db, { ...made, startedAt: 0 } as NewVersion, 0, keep)
}

const record = async (version: number) => (await findVersion(store.db, ref, version))!

describe('a version made on another machine', () => {
  test('comes here whole, and once', async () => {
    await publish(1, 5 << 20)
    const library = createLibrary(store.db, elsewhere)
    const [here, again] = await Promise.all([library.here(await record(1)), library.here(await record(1))])
    expect(here.directory.startsWith(elsewhere)).toBe(true)
    expect(again.directory).toBe(here.directory)
    expect((await readManifest(here.directory)).version).toBe(1)
    expect(readFileSync(join(here.directory, 'state.bin'))).toHaveLength(5 << 20)
    expect(readdirSync(join(here.directory, '..'))).toEqual(['v000001'])
    expect((await library.here(await record(1))).directory).toBe(here.directory)
  })

  test('takes the place of one of the same number that never was', async () => {
    await publish(1)
    const library = createLibrary(store.db, elsewhere)
    const { directory } = await library.here(await record(1))
    const manifest = readFileSync(join(directory, 'manifest.json'), 'utf8')
    writeFileSync(join(directory, 'manifest.json'), manifest.replace('today', 'later'))
    await library.here(await record(1))
    expect(readFileSync(join(directory, 'manifest.json'), 'utf8')).toBe(manifest)
  })

  test('is refused when a byte of it changed on the way', async () => {
    await publish(1)
    await store.db
      .updateTable('version_files')
      .set({ data: new Uint8Array(8) })
      .where('name', '=', 'state.bin')
      .execute()
    const library = createLibrary(store.db, elsewhere)
    await expect(library.here(await record(1))).rejects.toMatchObject({ code: 'POLICY_CORRUPT' })
    expect(existsSync(join(elsewhere, 'policies'))).toBe(false)
  })

  test('is kept for a while: old ones go, the one that is served stays', async () => {
    for (let version = 1; version <= 5; version++) await publish(version)
    await store.db.updateTable('workspaces').set({ serving_version: 2 }).execute()
    // It is refused, as its parent is served no longer, and nothing of it is kept.
    await publish(6)
    await store.db
      .insertInto('people')
      .values({ ...ref, person: 'ann', name: null, serving_version: 2 })
      .execute()
    await store.db.updateTable('workspaces').set({ serving_version: 6 }).execute()
    for (let version = 7; version <= 9; version++) await publish(version)
    const rows = await store.db.selectFrom('version_files').select('version').distinct().orderBy('version').execute()
    expect(rows.map((row) => row.version)).toEqual([2, 5, 7, 8, 9])
    const library = createLibrary(store.db, elsewhere)
    expect((await library.here(await record(1))).directory).toBe((await record(1)).directory)
  })
})

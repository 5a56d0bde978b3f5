import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packFloats } from '../../../core/store/codec.ts'
import { openPostgres } from '../../../core/store/postgres.ts'
import { transact } from '../../../core/store/transact.ts'
import { hasPostgres, newDatabase, type PostgresServer, startPostgres } from '../../services/postgres.ts'

const run = promisify(execFile)

let server: PostgresServer

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres()
})

afterAll(async () => server?.close())

const workspace = (name: string) => ({
  platform: 'playground',
  workspace: name,
  learning: 1 as const,
  method: null,
  serving_version: 0,
  created_at: Date.now(),
})

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  test('is made and written by several processes at once', async () => {
    const url = await newDatabase(server.url)
    const script = join(import.meta.dirname, 'grow.ts')
    const grow = () => run(process.execPath, ['--import', 'tsx', script, url, '20'])
    await Promise.all([grow(), grow(), grow()])
    const db = await openPostgres(url)
    const row = await db.selectFrom('workspaces').select('serving_version').executeTakeFirst()
    expect(row?.serving_version).toBe(60)
    await db.destroy()
  })

  test('keeps numbers, bytes and any text as they are', async () => {
    const db = await openPostgres(await newDatabase(server.url))
    const at = 1_900_000_000_123
    const text = 'nul \0, half a pair \ud800, “quotes” and \\ backslash'
    await db
      .insertInto('workspaces')
      .values({ ...workspace(text), created_at: at })
      .execute()
    const row = await db.selectFrom('workspaces').select(['workspace', 'created_at']).executeTakeFirstOrThrow()
    expect(row.created_at).toBe(at)
    expect(row.workspace).toBe('nul \ufffd, half a pair \ufffd, “quotes” and \\ backslash')
    const data = packFloats(Float32Array.of(-0.5, 1e-30))
    const file = { platform: 'p', workspace: 'w', version: 1, name: 'n', part: 0, data }
    await db.insertInto('version_files').values(file).execute()
    const stored = await db.selectFrom('version_files').select('data').executeTakeFirstOrThrow()
    expect(stored.data).toEqual(data)
    await db.destroy()
  })

  test('of a newer program is left alone', async () => {
    const url = await newDatabase(server.url)
    const db = await openPostgres(url)
    await db.insertInto('migrations').values({ name: '999-later', at: 0 }).execute()
    await db.destroy()
    await expect(openPostgres(url)).rejects.toMatchObject({ code: 'STORE_UNUSABLE', message: /newer version/ })
  })

  test('keeps its address out of every error', async () => {
    const password = ['correct', 'horse'].join('-')
    const nowhere = `postgres://claw:${password}@127.0.0.1:1/claw`
    const missing = server.url.replace('claw@', `claw:${password}@`).replace(/\/\w+$/, '/nowhere')
    for (const [url, code] of [
      [nowhere, 'STORE_UNREACHABLE'],
      [missing, 'STORE_UNUSABLE'],
    ] as const) {
      const error = await openPostgres(url).catch((fault: unknown) => fault)
      expect(error).toMatchObject({ code })
      expect(JSON.stringify(error) + (error as Error).stack).not.toContain(password)
    }
  })

  test('may go and come back during a transaction, which is then done once', async () => {
    const db = await openPostgres(await newDatabase(server.url))
    await db.insertInto('workspaces').values(workspace('home')).execute()
    const count = () =>
      transact(db, async (tx) => {
        const { serving_version } = await tx.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
        await tx
          .updateTable('workspaces')
          .set({ serving_version: serving_version + 1 })
          .execute()
      })
    const counting = (async () => {
      for (let i = 0; i < 60; i++) await count()
    })()
    for (let i = 0; i < 2; i++) {
      await server.stop('SIGQUIT')
      await server.start()
    }
    await counting
    const row = await db.selectFrom('workspaces').select('serving_version').executeTakeFirst()
    expect(row?.serving_version).toBe(60)
    await db.destroy()
  }, 60_000)

  test('that crashes before it has written anything down of a transaction has not kept it', async () => {
    const db = await openPostgres(await newDatabase(server.url))
    const run = (text: string) => db.executeQuery(CompiledQuery.raw(text))
    await run("alter system set wal_writer_delay = '10s'")
    await run('select pg_reload_conf()')
    await run(
      `create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(20); return null; end'`,
    )
    await run(`create constraint trigger slow after insert on workspaces deferrable initially deferred
      for each row execute function dawdle()`)
    const kept = db.transaction().execute((tx) => tx.insertInto('workspaces').values(workspace('home')).execute())
    const outcome = kept.then(
      () => 'kept',
      (error) => error.code,
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    await server.stop('SIGQUIT')
    await server.start()
    expect(await outcome).toBe('STORE_UNREACHABLE')
    await run('alter system reset wal_writer_delay')
    await run('select pg_reload_conf()')
    await db.destroy()
  }, 60_000)

  test('that is not there is waited for, with one line', async () => {
    const url = await newDatabase(server.url)
    await server.stop('SIGQUIT')
    const lines: string[] = []
    const opening = openPostgres(url, (line) => lines.push(line))
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('127.0.0.1')
    await server.start()
    await (await opening).destroy()
  })
})

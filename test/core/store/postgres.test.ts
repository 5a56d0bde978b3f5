import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CompiledQuery } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { packFloats } from '../../../core/store/codec.ts'
import { openPostgres } from '../../../core/store/postgres.ts'
import type { Db } from '../../../core/store/schema.ts'
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

/** A way to a database that breaks when it is shut, and lets nobody through until it is open again. */
async function wayTo(database: string) {
  const { port } = new URL(database)
  let passable = true
  const through = new Set<Socket>()
  const relay = createServer((from) => {
    from.on('error', () => {})
    if (!passable) return void from.destroy()
    through.add(from)
    const to = connect(Number(port), '127.0.0.1')
    to.on('error', () => from.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to).pipe(from)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  return {
    url: Object.assign(new URL(database), { port: String((relay.address() as AddressInfo).port) }).href,
    shut() {
      passable = false
      for (const socket of through) socket.destroy()
    },
    open() {
      passable = true
    },
    async close() {
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}

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

  describe('that is committing', () => {
    let url: string
    let direct: Db
    const run = <Row>(text: string) => direct.executeQuery<Row>(CompiledQuery.raw(text))

    /** How long a commit takes. */
    const dawdling = (seconds: number) =>
      run(`create or replace function dawdle() returns trigger language plpgsql
        as 'begin perform pg_sleep(${seconds}); return null; end'`)

    beforeEach(async () => {
      url = await newDatabase(server.url)
      direct = await openPostgres(url)
      await run("alter system set wal_writer_delay = '10s'")
      await run('select pg_reload_conf()')
      await dawdling(20)
      await run(`create constraint trigger slow after insert on workspaces deferrable initially deferred
        for each row execute function dawdle()`)
    })

    afterEach(async () => {
      await run('alter system reset wal_writer_delay')
      await run('select pg_reload_conf()')
      await direct.destroy()
    })

    /** Resolves while the transaction commits. */
    async function committing(db: Db): Promise<{ id: string; outcome: Promise<string> }> {
      const kept = db.transaction().execute((tx) => tx.insertInto('workspaces').values(workspace('home')).execute())
      const outcome = kept.then(
        () => 'kept',
        (error) => error.code,
      )
      for (;;) {
        const { rows } = await run<{ id: string }>(
          `select backend_xid::text as id from pg_stat_activity where wait_event = 'PgSleep'`,
        )
        if (rows[0] !== undefined) return { id: rows[0].id, outcome }
      }
    }

    test('and crashes before it has written anything down has kept nothing', async () => {
      const { outcome } = await committing(direct)
      await server.stop('SIGQUIT')
      await server.start()
      expect(await outcome).toBe('STORE_UNREACHABLE')
    })

    test('and crashes so has kept nothing either when another transaction got the same identifier and was kept', async () => {
      const way = await wayTo(url)
      const db = await openPostgres(way.url)
      const { id, outcome } = await committing(db)
      way.shut()
      await server.stop('SIGQUIT')
      await server.start()
      const status = async () => {
        const { rows } = await run<{ status: string }>(
          `select case when pg_snapshot_xmax(pg_current_snapshot()) > '${id}'::xid8
             then pg_xact_status('${id}'::xid8) else 'to come' end as status`,
        )
        return rows[0]?.status
      }
      expect(await status()).toBe('to come')
      while ((await status()) === 'to come') await run('create temporary table another () on commit drop')
      expect(await status()).toBe('committed')
      way.open()
      expect(await outcome).toBe('STORE_UNREACHABLE')
      await db.destroy()
      await way.close()
    })

    test('is asked again when the connection breaks, and has kept it once', async () => {
      const way = await wayTo(url)
      const db = await openPostgres(way.url)
      await dawdling(1)
      const { outcome } = await committing(db)
      way.shut()
      way.open()
      expect(await outcome).toBe('kept')
      expect(await db.selectFrom('workspaces').select('workspace').execute()).toEqual([{ workspace: 'home' }])
      await db.destroy()
      await way.close()
    })
  })

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

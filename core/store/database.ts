import { AsyncLocalStorage } from 'node:async_hooks'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers'
import Database from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { ClawError, reason } from '../errors.ts'
import { migrate } from './migrations.ts'
import type { Db, Tables } from './schema.ts'

const URGENT = new AsyncLocalStorage<true>()

/** Runs what somebody outside waits for, and what is short: the database serves it before all that waits already. */
export function first<Result>(work: () => Promise<Result>): Promise<Result> {
  return URGENT.run(true, work)
}

/** How long statements follow each other before whatever else the process has to do gets its turn, in milliseconds. */
const TURN = 5

/**
 * Where statements and transactions wait for the one connection. None of them waits for anything outside the process, so
 * a long line would keep it from hearing anything: it pauses now and then.
 */
class Line {
  readonly #urgent: (() => void)[] = []
  readonly #others: (() => void)[] = []
  #taken = false
  #turnedAt = 0

  async enter(urgent: boolean): Promise<void> {
    if (this.#taken) return new Promise((resolve) => (urgent ? this.#urgent : this.#others).push(resolve))
    this.#taken = true
  }

  leave(): void {
    const pause = this.#others.length > 0 && this.#urgent.length === 0 && performance.now() - this.#turnedAt > TURN
    if (pause) setImmediate(this.#turn)
    else this.#next()
  }

  readonly #turn = (): void => {
    this.#turnedAt = performance.now()
    this.#next()
  }

  #next(): void {
    const next = this.#urgent.shift() ?? this.#others.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}

/** Statements that are kept prepared. */
const PREPARED = 400

/** Prepares each statement once: there are few, and the same ones come again with every event. */
function prepared(sqlite: Database.Database): SqliteDatabase {
  const statements = new Map<string, Database.Statement>()
  return {
    prepare(sql) {
      const known = statements.get(sql)
      if (known !== undefined) return known as unknown as SqliteStatement
      if (statements.size === PREPARED) statements.clear()
      const statement = sqlite.prepare(sql)
      statements.set(sql, statement)
      return statement as unknown as SqliteStatement
    },
    close: () => sqlite.close(),
  }
}

/**
 * Takes the write lock at the start. A transaction that reads first and then finds another process has written cannot
 * be upgraded: it fails at once, whatever the busy timeout.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #line = new Line()

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#line.enter(URGENT.getStore() === true)
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection()
    this.#line.leave()
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config)
  }
}

const RESTORE = 'Put a backup in its place, or move it away to begin anew: nothing that it holds is known then.'

/** How long a write waits for another process's transaction. */
const BUSY_MS = 10_000

/**
 * Opens the database file, made and migrated when needed. Several processes may hold it open, each once: waiting for
 * the write lock blocks the thread, and with it whoever in the same process holds the lock.
 * A commit that has returned survives a power cut. Throws STORE_UNUSABLE.
 */
export async function openDatabase(file: string): Promise<Db> {
  let db: Db | undefined
  try {
    mkdirSync(dirname(file), { recursive: true })
    const sqlite = new Database(file, { timeout: BUSY_MS })
    // What people said; the write-ahead log takes the same permissions.
    chmodSync(file, 0o600)
    db = new Kysely<Tables>({ dialect: new ImmediateDialect({ database: prepared(sqlite) }) })
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    if (await migrate(db)) return db
  } catch (cause) {
    await db?.destroy()
    const broken = /^SQLITE_(?:NOTADB|CORRUPT)/.test(String((cause as { code?: unknown }).code))
    throw new ClawError('STORE_UNUSABLE', `The database ${file} cannot be used: ${reason(cause)}.`, {
      remedy: broken
        ? RESTORE
        : 'Check the free space and the permissions of the data folder, or name another with CLAW_DATA_DIR.',
      cause,
    })
  }
  await db.destroy()
  throw new ClawError('STORE_UNUSABLE', `The database ${file} was written by a newer version of Claw.`, {
    remedy: 'Start that version again, or name another data folder with CLAW_DATA_DIR.',
  })
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely'
import { DatabaseError, Pool, type PoolClient, types } from 'pg'
import { ClawError, reason } from '../errors.ts'
import { migrate } from './migrations.ts'
import type { Db, Tables } from './schema.ts'

/** How long a statement waits for a server that is gone, in milliseconds. */
const PATIENCE = 30_000
const RETRY = 250

/** A transaction whose process hangs is undone after this long, in milliseconds: others wait for its rows. */
const LONGEST_SILENCE = 15_000

const INVALID_PARAMETER = '22023'

/** Nothing for a transaction that has written nothing, which so stays one that only reads. */
const MARK = `insert into commits (connection, number, at)
  select $1, $2::int, $3::bigint where pg_current_xact_id_if_assigned() is not null
  on conflict (connection) do update set number = excluded.number, at = excluded.at
  returning pg_current_xact_id()::text as id`

/** A mark serves for the length of one commit, in milliseconds. */
const LONGEST_COMMIT = 24 * 60 * 60 * 1000

/** int8 and numeric: no value of ours is beyond 2^53. */
const NUMBERS: readonly number[] = [20, 1700]

/**
 * Opens a PostgreSQL database and brings its tables up to this program's. While no server answers it waits, and
 * calls `waiting` once with a line for a person; without `waiting` it gives up at once.
 * Throws STORE_UNREACHABLE, STORE_UNUSABLE; no error names the address, which may hold a password.
 */
export async function openPostgres(url: string, waiting?: (line: string) => void): Promise<Db> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'claw',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    idle_in_transaction_session_timeout: LONGEST_SILENCE,
    // A scan of a whole table conflicts with every write to it, and makes serializable transactions begin again. Where
    // there is no other way it counts as so dear that the server would compile the query, which takes longer than it.
    options: '-c enable_seqscan=off -c jit=off',
    types: {
      getTypeParser: (type, format) => (NUMBERS.includes(type) ? Number : types.getTypeParser(type, format)),
    },
  })
  // An idle connection that breaks is replaced when the next one is asked for.
  pool.on('error', () => {})
  try {
    await answering(pool, waiting)
    const db = new Kysely<Tables>({ dialect: new DurableDialect({ pool: guarded(pool) }) })
    if (await migrate(db)) {
      await db
        .deleteFrom('commits')
        .where('at', '<', Date.now() - LONGEST_COMMIT)
        .execute()
      return db
    }
  } catch (error) {
    await pool.end()
    if (error instanceof ClawError) throw error
    throw new ClawError('STORE_UNUSABLE', `The database of DATABASE_URL cannot be used: ${reason(error)}.`, {
      remedy: 'Check the address, the user and the rights on the database.',
    })
  }
  await pool.end()
  throw new ClawError('STORE_UNUSABLE', 'The database of DATABASE_URL was written by a newer version of Claw.', {
    remedy: 'Start that version again, or name another database.',
  })
}

async function answering(pool: Pool, waiting?: (line: string) => void): Promise<void> {
  for (let told = false; ; told = true) {
    try {
      return (await pool.connect()).release()
    } catch (error) {
      if (!lost(error)) throw error
      if (waiting === undefined) throw unreachable()
      if (!told) waiting('The database of DATABASE_URL does not answer yet; waiting for it.')
      await sleep(RETRY)
    }
  }
}

/** The pool, whose connections wait for a server that restarts and whose faults are told in our own words. */
function guarded(pool: Pool): PostgresPool {
  const clients = new WeakMap<object, PostgresPoolClient>()
  async function connect(): Promise<PostgresPoolClient> {
    const deadline = Date.now() + PATIENCE
    for (;;) {
      try {
        const client = await pool.connect()
        let known = clients.get(client)
        if (known === undefined) {
          // A connection that breaks while it is in use tells its query as well.
          client.on('error', () => {})
          known = guardedClient(client)
          clients.set(client, known)
        }
        return known
      } catch (error) {
        if (!lost(error) || pool.ending) throw error
        if (Date.now() > deadline) throw unreachable()
        await sleep(RETRY)
      }
    }
  }
  return { connect, end: () => pool.end() }
}

function guardedClient(client: PoolClient): PostgresPoolClient {
  const query = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(text, parameters.map(storable))
    } catch (error) {
      throw lost(error) ? unreachable() : error
    }
  }
  // Nothing here reads through a cursor, the other thing that a client can be asked for.
  return { query: query as unknown as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) }
}

/** PostgreSQL's text has no NUL. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

/** The server shut down, starts up, has no room for another connection or ended this one. */
const GONE = /^(?:08|57P0[1-3]$|53300$|25P03$)/

/** Whether it was the connection that failed, and not what was asked. */
function lost(error: unknown): boolean {
  if (error instanceof DatabaseError) return GONE.test(error.code ?? '')
  if (error instanceof ClawError) return error.code === 'STORE_UNREACHABLE'
  return error instanceof Error && !(error instanceof TypeError)
}

function unreachable(): ClawError {
  return new ClawError('STORE_UNREACHABLE', 'The database of DATABASE_URL does not answer', {
    remedy: 'Start it, or check the address. What was unfinished goes on by itself.',
  })
}

type PostgresConnection = Parameters<PostgresDriver['releaseConnection']>[0]

class DurableDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): PostgresDriver {
    return new DurableDriver(this.#config)
  }
}

/** A connection's own row of `commits`, and how many transactions have written there. */
interface Mark {
  readonly connection: string
  number: number
}

/**
 * A connection that breaks during `commit` leaves open whether the transaction was kept. So each writes down its number
 * in a row of its connection as its last deed, which is looked for afterwards. The server's own word on a transaction
 * would not do: a crash may lose one together with its identifier, which the next one is then given.
 * So whatever fails with STORE_UNREACHABLE has left nothing behind and may be tried again.
 */
class DurableDriver extends PostgresDriver {
  readonly #marks = new WeakMap<PostgresConnection, Mark>()

  override async commitTransaction(connection: PostgresConnection): Promise<void> {
    const mark = this.#marks.get(connection) ?? { connection: randomUUID(), number: 0 }
    this.#marks.set(connection, mark)
    mark.number++
    const { rows } = await connection.executeQuery<{ id: string }>(
      CompiledQuery.raw(MARK, [mark.connection, mark.number, Date.now()]),
    )
    try {
      await super.commitTransaction(connection)
    } catch (error) {
      const id = rows[0]?.id
      // One that is not marked has written nothing.
      if (!lost(error) || id === undefined || !(await this.#kept(id, mark))) throw error
    }
  }

  override async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      // The server undoes what a lost connection left open.
      if (!lost(error)) throw error
    }
  }

  async #kept(id: string, mark: Mark): Promise<boolean> {
    const deadline = Date.now() + PATIENCE
    while (Date.now() < deadline) {
      try {
        // In this order: the row may change until the transaction has ended.
        if (await this.#ended(id)) return await this.#marked(mark)
      } catch (error) {
        if (!lost(error)) throw error
      }
      await sleep(RETRY)
    }
    throw new ClawError('STORE_UNUSABLE', 'The database of DATABASE_URL went away during a commit', {
      remedy: 'Start it again: what was unfinished is found there.',
    })
  }

  async #ended(id: string): Promise<boolean> {
    try {
      const status = await this.#ask<{ status: string | null }>('select pg_xact_status($1::text::xid8) as status', [id])
      return status?.status !== 'in progress'
    } catch (error) {
      // An identifier that the server has not given out: it crashed before it wrote down that it had.
      if (error instanceof DatabaseError && error.code === INVALID_PARAMETER) return true
      throw error
    }
  }

  async #marked({ connection, number }: Mark): Promise<boolean> {
    const row = await this.#ask<{ number: number }>('select number from commits where connection = $1', [connection])
    return row?.number === number
  }

  async #ask<Answer>(question: string, parameters: readonly unknown[]): Promise<Answer | undefined> {
    const connection = (await this.acquireConnection()) as PostgresConnection
    try {
      return (await connection.executeQuery<Answer>(CompiledQuery.raw(question, [...parameters]))).rows[0]
    } finally {
      await this.releaseConnection(connection)
    }
  }
}

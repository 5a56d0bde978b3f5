import { sql } from 'kysely'
import { columnsOf, isPostgres } from './columns.ts'
import { createIndexes } from './indexes.ts'
import type { Db } from './schema.ts'
import { createPlatformTables, createTables } from './tables.ts'

/** Forward only: a released migration is never edited, a change is a new one. */
const migrations: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  '001-loop': createTables,
  '002-consent': async (db) => {
    const people = db.schema.alterTable('people')
    await people.addColumn('opted_out', 'integer', (c) => c.notNull().defaultTo(0)).execute()
  },
  '003-late-signals': async (db) => {
    const alter = (name: string) => db.schema.alterTable(name)
    await alter('turns').addColumn('asked_at', 'bigint').execute()
    await alter('messages').addColumn('edit', 'text').execute()
    for (const name of ['event', 'about']) await alter('signals').addColumn(name, 'text').execute()
    await alter('signals').addColumn('worded_at', 'bigint').execute()
    const learned = alter('samples').addColumn('learned', columnsOf(db).real, (c) => c.notNull().defaultTo(0))
    await learned.execute()
    await db.schema.createIndex('signals_about').on('signals').columns(['platform', 'workspace', 'about']).execute()
  },
  '004-judging': async (db) => {
    await db.schema
      .createTable('judging')
      .addColumn('turn', 'text', (c) => c.primaryKey().references('turns.id').onDelete('cascade'))
      .addColumn('evidence', 'integer', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('due_at', 'bigint')
      .addColumn('failure', 'text')
      .execute()
    await db.schema.createIndex('judging_due').on('judging').columns(['due_at']).execute()
    await db.schema.alterTable('verdicts').addColumn('votes', 'text').execute()
    await db.schema.alterTable('verdicts').addColumn('latency_ms', 'integer').execute()
  },
  '005-control': async (db) => {
    const alter = (name: string) => db.schema.alterTable(name)
    const count = (name: string, column: string) =>
      alter(name)
        .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
        .execute()
    const words = (name: string, column: string, otherwise: string) =>
      alter(name)
        .addColumn(column, 'text', (c) => c.notNull().defaultTo(otherwise))
        .execute()
    await count('workspaces', 'paused')
    await alter('workspaces').addColumn('scope', 'text').execute()
    await count('people', 'serving_version')
    await words('samples', 'scope', '')
    await words('samples', 'people', '[]')
    await words('samples', 'groups', '')
    await words('versions', 'scope', '')
    await count('notes', 'shared')
    await count('notes', 'checked')
    await count('notes', 'held')
    await db.schema
      .createIndex('samples_recent')
      .on('samples')
      .columns(['platform', 'workspace', 'created_at'])
      .execute()
  },
  '006-processes': async (db) => {
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('holder', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('leases_holder').on('leases').columns(['holder']).execute()
    await db.schema
      .createTable('version_files')
      .addColumn('platform', 'text', (c) => c.notNull())
      .addColumn('workspace', 'text', (c) => c.notNull())
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('part', 'integer', (c) => c.notNull())
      .addColumn('data', columnsOf(db).blob, (c) => c.notNull())
      .addPrimaryKeyConstraint('version_files_key', ['platform', 'workspace', 'version', 'name', 'part'])
      .execute()
  },
  '007-views': async (db) => {
    // Turns are large rows: neither the last ones nor their count may need a look at all of them.
    await db.schema.createIndex('turns_recent').on('turns').columns(['platform', 'workspace', 'position']).execute()
    await db.schema.createIndex('turns_state').on('turns').columns(['state']).execute()
  },
  '008-one-playground': async (db) => {
    // The terminal is a client of the playground now; what was said in it belongs there.
    const tables = ['people', 'conversations', 'inbox', 'messages', 'turns', 'outbound', 'signals', 'samples'] as const
    const taken = db.selectFrom('workspaces as w').select('w.workspace').where('w.platform', '=', 'playground')
    for (const table of [...tables, 'versions', 'notes', 'audit', 'workspaces'] as const) {
      await db
        .updateTable(table)
        .set({ platform: 'playground' })
        .where('platform', '=', 'terminal')
        .where('workspace', 'not in', taken)
        .execute()
    }
  },
  '009-threads': async (db) => {
    await db.schema.alterTable('conversations').addColumn('root', 'text').execute()
    await db.schema.createIndex('conversations_root').on('conversations').columns(['root']).execute()
  },
  '010-platforms': createPlatformTables,
  '011-installations': async (db) => {
    await db.schema
      .createTable('installations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organisation', 'text')
      .addColumn('sealed', 'text')
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
  },
  '012-shared-places': async (db) => {
    await db.schema.alterTable('conversations').addColumn('channel', 'text').execute()
    await db.schema.alterTable('people').addColumn('taught_at', 'bigint').execute()
    await db.schema
      .createIndex('inbox_messages')
      .on('inbox')
      .columns(['platform', 'workspace', 'conversation'])
      .where(sql.ref('type'), '=', 'message')
      .execute()
  },
  '013-indexes': createIndexes,
  '014-commits': async (db) => {
    if (!isPostgres(db)) return
    await db.schema
      .createTable('commits')
      .addColumn('connection', 'text', (c) => c.primaryKey())
      .addColumn('number', 'integer', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
  },
}

/**
 * Brings the database up to this program's schema in one transaction, so two processes may open a new file at once.
 * Returns false, having changed nothing, when a newer program made it.
 */
export async function migrate(db: Db): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // SQLite has taken its write lock by now. Any number of our own; it is free again when the transaction ends.
    if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7203951)`.execute(tx)
    await tx.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
    const done = new Set((await tx.selectFrom('migrations').select('name').execute()).map((row) => row.name))
    if ([...done].some((name) => !(name in migrations))) return false
    for (const [name, run] of Object.entries(migrations)) {
      if (done.has(name)) continue
      await run(tx)
      await tx.insertInto('migrations').values({ name, at: Date.now() }).execute()
    }
    return true
  })
}

import { sql } from 'kysely'
import { columnsOf, isPostgres } from './columns.ts'
import type { Db } from './schema.ts'

/** Forward only: a released migration is never edited, a change is a new one. */
const migrations: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  '001-loop': async (db) => {
    const { counter, blob, real } = columnsOf(db)
    const table = (name: string) => db.schema.createTable(name)
    const scoped = (name: string) =>
      table(name)
        .addColumn('platform', 'text', (c) => c.notNull())
        .addColumn('workspace', 'text', (c) => c.notNull())
    const index = (name: string, on: string, columns: string[]) =>
      db.schema.createIndex(name).on(on).columns(columns).execute()

    await scoped('workspaces')
      .addColumn('learning', 'integer', (c) => c.notNull())
      .addColumn('method', 'text')
      .addColumn('serving_version', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('workspaces_key', ['platform', 'workspace'])
      .execute()

    await scoped('people')
      .addColumn('person', 'text', (c) => c.notNull())
      .addColumn('name', 'text')
      .addPrimaryKeyConstraint('people_key', ['platform', 'workspace', 'person'])
      .execute()

    await scoped('conversations')
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('active_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('conversations_key', ['platform', 'workspace', 'conversation'])
      .execute()

    await scoped('inbox')
      .addColumn('seq', ...counter)
      .addColumn('event', 'text', (c) => c.notNull())
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('message', 'text')
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('answer', 'text')
      .addColumn('error', 'text')
      .addColumn('received_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('inbox_event', ['platform', 'workspace', 'event'])
      .execute()
    await db.schema
      .createIndex('inbox_unhandled')
      .on('inbox')
      .columns(['platform', 'workspace', 'conversation', 'seq'])
      .where(sql.ref('state'), '<>', 'handled')
      .execute()

    await db.schema
      .createIndex('inbox_changes')
      .on('inbox')
      .columns(['platform', 'workspace', 'message'])
      .where(sql.ref('state'), '<>', 'handled')
      .execute()

    await scoped('messages')
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('person', 'text')
      .addColumn('text', 'text')
      .addColumn('position', 'bigint')
      .addColumn('edited_at', 'bigint')
      .addPrimaryKeyConstraint('messages_key', ['platform', 'workspace', 'message'])
      .execute()
    await index('messages_history', 'messages', ['platform', 'workspace', 'conversation', 'position'])

    await scoped('turns')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('person', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('asked', 'text', (c) => c.notNull())
      .addColumn('position', 'bigint', (c) => c.notNull())
      .addColumn('request', 'text', (c) => c.notNull())
      .addColumn('notes', 'text', (c) => c.notNull())
      .addColumn('prompt_ids', blob, (c) => c.notNull())
      .addColumn('response_ids', blob, (c) => c.notNull())
      .addColumn('logprobs', blob, (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('policy_version', 'integer', (c) => c.notNull())
      .addColumn('sampling', 'text', (c) => c.notNull())
      .addColumn('finish', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('visible_at', 'bigint')
      .addColumn('evidence', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('judged', 'integer', (c) => c.notNull().defaultTo(0))
      .execute()
    await index('turns_conversation', 'turns', ['platform', 'workspace', 'conversation', 'position'])
    await index('turns_message', 'turns', ['platform', 'workspace', 'message'])
    await db.schema
      .createIndex('turns_unjudged')
      .on('turns')
      .columns(['position'])
      .where(sql.ref('evidence'), '>', sql.ref('judged'))
      .execute()

    await scoped('outbound')
      .addColumn('turn', 'text', (c) => c.notNull().references('turns.id'))
      .addColumn('chunk', 'integer', (c) => c.notNull())
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('message', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('outbound_key', ['turn', 'chunk'])
      .addUniqueConstraint('outbound_message', ['platform', 'workspace', 'message'])
      .execute()

    await scoped('signals')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('conversation', 'text', (c) => c.notNull())
      .addColumn('turn', 'text', (c) => c.references('turns.id'))
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('person', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('active', 'integer', (c) => c.notNull())
      .execute()
    await index('signals_turn', 'signals', ['turn'])
    await index('signals_message', 'signals', ['platform', 'workspace', 'message'])

    await table('verdicts')
      .addColumn('turn', 'text', (c) => c.notNull().references('turns.id'))
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('score', 'integer', (c) => c.notNull())
      .addColumn('weight', real, (c) => c.notNull())
      .addColumn('hint', 'text')
      .addColumn('wish', 'text')
      .addColumn('basis', 'text', (c) => c.notNull())
      .addColumn('judge', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('verdicts_key', ['turn', 'revision'])
      .execute()

    await scoped('samples')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('turn', 'text', (c) => c.notNull().references('turns.id'))
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('prompt_ids', blob, (c) => c.notNull())
      .addColumn('response_ids', blob, (c) => c.notNull())
      .addColumn('logprobs', blob, (c) => c.notNull())
      .addColumn('teacher_prompt_ids', blob)
      .addColumn('reward', 'integer', (c) => c.notNull())
      .addColumn('weight', real, (c) => c.notNull())
      .addColumn('potency', real)
      .addColumn('version', 'integer')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('samples_verdict', ['turn', 'revision'])
      .execute()
    await index('samples_queue', 'samples', ['platform', 'workspace', 'state', 'created_at'])

    await scoped('versions')
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('parent', 'integer', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('directory', 'text', (c) => c.notNull())
      .addColumn('metrics', 'text', (c) => c.notNull())
      .addColumn('lessons', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('versions_key', ['platform', 'workspace', 'version'])
      .execute()

    await scoped('notes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('person', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('wish', 'text')
      .addColumn('group', 'text')
      .addColumn('turn', 'text', (c) => c.notNull().references('turns.id'))
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
    await index('notes_person', 'notes', ['platform', 'workspace', 'person', 'at'])
    await index('notes_turn', 'notes', ['turn'])

    await scoped('audit')
      .addColumn('seq', ...counter)
      .addColumn('person', 'text')
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('detail', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
  },
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

import { sql } from 'kysely'
import type { Db } from './schema.ts'

/**
 * What is asked with every event, reply or lesson must not take longer with everything that was ever said. It is
 * released, and never edited.
 */
export async function createIndexes(db: Db): Promise<void> {
  const index = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).on(on).columns(columns)
  const here = ['platform', 'workspace']
  await index('audit_action', 'audit', ['action', ...here, 'seq']).execute()
  await index('inbox_received', 'inbox', ['platform', 'received_at']).execute()
  await index('inbox_joined', 'inbox', here).where(sql.ref('type'), '=', 'joined').execute()
  await index('conversations_active', 'conversations', ['active_at']).execute()
  await index('people_opted_out', 'people', [...here, 'person'])
    .where(sql.ref('opted_out'), '=', 1)
    .execute()
  await index('messages_person', 'messages', [...here, 'conversation', 'person', 'position'])
    .where(sql.ref('person'), 'is not', null)
    .execute()
  await index('turns_person', 'turns', [...here, 'person', 'position']).execute()
  await index('samples_policy', 'samples', [...here, 'scope', 'state', 'created_at']).execute()
  await index('samples_ready', 'samples', [...here, 'scope', 'groups', 'created_at'])
    .where(sql.ref('state'), '=', 'ready')
    .execute()
  await index('signals_type', 'signals', ['type']).where(sql.ref('active'), '=', 1).execute()
  await index('verdicts_score', 'verdicts', ['score']).execute()
}

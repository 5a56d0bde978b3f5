import { sql } from 'kysely'
import { audit } from './audit.ts'
import { isPostgres } from './columns.ts'
import type { Db } from './schema.ts'

/**
 * What was deleted still lies in free pages and in the log of writes. After something was forgotten, or got too old, they are written
 * anew without it (on PostgreSQL the space is given free, to be overwritten). Costs a copy of the database, so it is
 * done once, when it is due; what is interrupted is due at the next start.
 */
export async function scrub(db: Db, now: number): Promise<void> {
  const last = (...actions: string[]) =>
    db
      .selectFrom('audit')
      .select(['seq', 'platform', 'workspace'])
      .where('action', 'in', actions)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
  const deleted = await last('forgotten', 'expired', 'left')
  if (deleted === undefined || Number(deleted.seq) < Number((await last('scrubbed'))?.seq ?? 0)) return
  await sql`vacuum`.execute(db)
  await audit(db, deleted, null, 'scrubbed', {}, now)
  if (!isPostgres(db)) await sql`pragma wal_checkpoint(truncate)`.execute(db)
}

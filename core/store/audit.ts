import type { WorkspaceRef } from '../types.ts'
import { toJson } from './codec.ts'
import type { Db, Row } from './schema.ts'

/** Records what was decided and by whom; `person` is null for what the program did by itself. */
export async function audit(
  db: Db,
  ref: WorkspaceRef,
  person: string | null,
  action: string,
  detail: unknown,
  at: number,
): Promise<void> {
  await db
    .insertInto('audit')
    .values({ platform: ref.platform, workspace: ref.workspace, person, action, detail: toJson(detail), at })
    .execute()
}

/** Whether something was forgotten in the workspace since then. */
export async function hasForgotten(db: Db, ref: WorkspaceRef, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('audit')
    .select('seq')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('action', '=', 'forgotten')
    .where('at', '>=', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The last thing that decided which version is served. */
export async function lastDecision(db: Db, ref: WorkspaceRef): Promise<Row<'audit'> | undefined> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('action', 'in', ['version-served', 'rollback', 'fallback'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}

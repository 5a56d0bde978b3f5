import type { WorkspaceRef } from '../types.ts'
import { fromJson, toJson } from './codec.ts'
import type { Db, Row } from './schema.ts'

/** Lessons within an hour: of a person, of a workspace. */
export type Limit = 'person' | 'workspace'

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

/** Which limit kept a judged turn from being learned from, if one did. */
export async function limitReached(db: Db, ref: WorkspaceRef, turn: string): Promise<Limit | undefined> {
  const row = await db
    .selectFrom('audit')
    .select('detail')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('action', '=', 'not-learned')
    .where('detail', 'like', `%${turn}%`)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : (fromJson(row.detail) as { limit: Limit }).limit
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

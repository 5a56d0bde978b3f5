import type { WorkspaceRef } from '../types.ts'
import { toJson } from './codec.ts'
import type { Db } from './schema.ts'

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

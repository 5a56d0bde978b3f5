import type { WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/** Bytes of one row. */
const PART = 4 << 20

/** Versions of a workspace whose files are kept, beside those that are served. */
const KEPT = 4

/** Keeps a version's files for the machines that did not make it, and drops old ones. Run it in a transaction. */
export async function keepFiles(
  db: Db,
  ref: WorkspaceRef,
  version: number,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<void> {
  for (const [name, data] of Object.entries(files)) {
    for (let part = 0; part * PART < data.length; part++) {
      const piece = data.subarray(part * PART, (part + 1) * PART)
      const { platform, workspace } = ref
      await db.insertInto('version_files').values({ platform, workspace, version, name, part, data: piece }).execute()
    }
  }
  await dropOldFiles(db, ref)
}

/** Of one version: a file's bytes, or null where it is not kept. */
export async function keptFile(db: Db, ref: WorkspaceRef, version: number, name: string): Promise<Buffer | null> {
  const rows = await filesOf(db, ref, version).select('data').where('name', '=', name).orderBy('part').execute()
  return rows.length === 0 ? null : Buffer.concat(rows.map((row) => row.data))
}

function filesOf(db: Db, ref: WorkspaceRef, version: number) {
  return db
    .selectFrom('version_files')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('version', '=', version)
}

/** Of dropped and refused versions, and of those that many newer ones followed, nothing is kept. */
async function dropOldFiles(db: Db, { platform, workspace }: WorkspaceRef): Promise<void> {
  const newest = db
    .selectFrom('versions')
    .select('version')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('state', '=', 'served')
    .orderBy('version', 'desc')
    .limit(KEPT)
  const shared = db.selectFrom('workspaces').select('serving_version')
  const own = db.selectFrom('people').select('serving_version')
  await db
    .deleteFrom('version_files')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('version', 'not in', newest)
    .where('version', 'not in', shared.where('platform', '=', platform).where('workspace', '=', workspace))
    .where('version', 'not in', own.where('platform', '=', platform).where('workspace', '=', workspace))
    .execute()
}

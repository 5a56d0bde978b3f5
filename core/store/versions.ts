import type { WorkspaceRef } from '../types.ts'
import { audit } from './audit.ts'
import { fromJson, toJson } from './codec.ts'
import type { Db, Row } from './schema.ts'
import { transact } from './transact.ts'
import { advance } from './turns.ts'

/** One version of a workspace's LoRA weights. The base is version 0 and has no record. */
export interface PolicyVersion {
  readonly ref: WorkspaceRef
  readonly version: number
  readonly parent: number
  /** `rejected`: the gate refused it, `reason` says why. */
  readonly state: 'served' | 'rejected'
  readonly reason: string | null
  /** The PEFT directory. */
  readonly directory: string
  readonly metrics: unknown
  /** Samples it learned from. */
  readonly lessons: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

export type NewVersion = Omit<PolicyVersion, 'lessons' | 'createdAt'> & {
  /** Ids of the new samples it learned from. They count as trained whether it is served or not. */
  readonly samples: readonly string[]
}

export async function servingVersion(db: Db, ref: WorkspaceRef): Promise<number> {
  const row = await db
    .selectFrom('workspaces')
    .select('serving_version')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .executeTakeFirst()
  return row?.serving_version ?? 0
}

/** Numbers only grow, rejected versions included. */
export async function nextVersion(db: Db, ref: WorkspaceRef): Promise<number> {
  const row = await versionsOf(db, ref)
    .select((eb) => eb.fn.max('version').as('newest'))
    .executeTakeFirst()
  return (row?.newest ?? 0) + 1
}

/** All versions, newest first. */
export async function listVersions(db: Db, ref: WorkspaceRef): Promise<PolicyVersion[]> {
  return (await versionsOf(db, ref).selectAll().orderBy('version', 'desc').execute()).map(versionOf)
}

export async function findVersion(db: Db, ref: WorkspaceRef, version: number): Promise<PolicyVersion | null> {
  const row = await versionsOf(db, ref).selectAll().where('version', '=', version).executeTakeFirst()
  return row === undefined ? null : versionOf(row)
}

/** The version and its ancestors, newest first, the base left out. */
export async function lineage(db: Db, ref: WorkspaceRef, version: number): Promise<number[]> {
  const rows = await versionsOf(db, ref).select(['version', 'parent']).execute()
  const parents = new Map(rows.map((row) => [row.version, row.parent]))
  const line: number[] = []
  for (let v = version; v !== 0 && parents.has(v); v = parents.get(v) as number) line.push(v)
  return line
}

/**
 * Records a finished version, in one transaction: its row, its samples and their turns as trained, and, when it is
 * served, the workspace's pointer. A version whose parent is no longer served (someone rolled back while it was
 * trained) is rejected. A sample withdrawn while it was being trained keeps its state but knows the version.
 * Returns what became of it.
 */
export async function recordVersion(db: Db, made: NewVersion, now = Date.now()): Promise<PolicyVersion['state']> {
  const { ref, version } = made
  return transact(db, async (tx) => {
    const late = made.state === 'served' && (await servingVersion(tx, ref)) !== made.parent
    const state = late ? 'rejected' : made.state
    const reason = late ? `version ${made.parent}, which it continues, was rolled back meanwhile` : made.reason
    await tx
      .insertInto('versions')
      .values({
        platform: ref.platform,
        workspace: ref.workspace,
        version,
        parent: made.parent,
        state,
        reason,
        directory: made.directory,
        metrics: toJson(made.metrics),
        lessons: made.samples.length,
        created_at: now,
      })
      .execute()
    for (const id of made.samples) {
      const sample = await tx
        .updateTable('samples')
        .set((eb) => ({
          version,
          state: eb
            .case()
            .when('state', '=', 'ready')
            .then('trained' as const)
            .else(eb.ref('state'))
            .end(),
        }))
        .where('id', '=', id)
        .where('platform', '=', ref.platform)
        .where('workspace', '=', ref.workspace)
        .returning(['turn', 'state'])
        .executeTakeFirst()
      if (sample?.state === 'trained') {
        // New signals that no judge has seen yet leave the turn closed: what they change was trained by now.
        if (!(await advance(tx, sample.turn, 'sampled', 'trained'))) await advance(tx, sample.turn, 'closed', 'amended')
      } else if (sample !== undefined) {
        await audit(tx, ref, null, 'trained-withdrawn', { sample: id, version }, now)
      }
    }
    if (state === 'served') await serve(tx, ref, version)
    await audit(tx, ref, null, `version-${state}`, { version, parent: made.parent, reason }, now)
    return state
  })
}

/** Moves the workspace's pointer and nothing else. */
export async function serve(db: Db, ref: WorkspaceRef, version: number): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ serving_version: version })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .execute()
}

function versionsOf(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('versions').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

function versionOf(row: Row<'versions'>): PolicyVersion {
  return {
    ref: { platform: row.platform, workspace: row.workspace },
    version: row.version,
    parent: row.parent,
    state: row.state,
    reason: row.reason,
    directory: row.directory,
    metrics: fromJson(row.metrics),
    lessons: row.lessons,
    createdAt: row.created_at,
  }
}

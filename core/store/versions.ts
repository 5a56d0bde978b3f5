import type { PolicyRef, WorkspaceRef } from '../types.ts'
import { audit, hasForgotten } from './audit.ts'
import { fromJson, policyRef, toJson } from './codec.ts'
import { bringBackNotes } from './notes.ts'
import { withdrawSamples } from './samples.ts'
import type { Db, Row } from './schema.ts'
import { transact } from './transact.ts'
import { judgeAgain, setTrained } from './turns.ts'
import { findWorkspace } from './workspaces.ts'

/** One version of LoRA weights. The base is version 0 and has no record. */
export interface PolicyVersion {
  readonly ref: PolicyRef
  /** Unique in the workspace, whoever's weights they are. */
  readonly version: number
  readonly parent: number
  /** `rejected`: the gate refused it, `reason` says why. `dropped`: it had learned from what was forgotten. */
  readonly state: 'served' | 'rejected' | 'dropped'
  readonly reason: string | null
  /** The PEFT directory. */
  readonly directory: string
  readonly metrics: Readonly<Record<string, number>>
  /** Samples it learned from. */
  readonly lessons: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

export type ListedVersion = PolicyVersion & { readonly state: 'served' | 'rejected' }

export type NewVersion = Omit<PolicyVersion, 'state' | 'lessons' | 'createdAt'> & {
  readonly state: 'served' | 'rejected'
  /** Ids of the new samples it learned from. They count as trained whether the gate lets it be served or not. */
  readonly samples: readonly string[]
  /** Before its training read anything, in milliseconds since the epoch: what was forgotten since then spoils it. */
  readonly startedAt?: number
}

export async function servingVersion(db: Db, ref: PolicyRef): Promise<number> {
  const { platform, workspace, scope } = ref
  const shared = db.selectFrom('workspaces').select('serving_version')
  const own = db.selectFrom('people').select('serving_version')
  const row =
    scope === undefined
      ? await shared.where('platform', '=', platform).where('workspace', '=', workspace).executeTakeFirst()
      : await own
          .where('platform', '=', platform)
          .where('workspace', '=', workspace)
          .where('person', '=', scope)
          .executeTakeFirst()
  return row?.serving_version ?? 0
}

/** Numbers only grow over all weights of the workspace, rejected and dropped versions included. */
export async function nextVersion(db: Db, ref: WorkspaceRef): Promise<number> {
  const row = await versionsOf(db, ref)
    .select((eb) => eb.fn.max('version').as('newest'))
    .executeTakeFirst()
  return (row?.newest ?? 0) + 1
}

/** All versions of these weights that were not dropped, newest first. */
export async function listVersions(db: Db, ref: PolicyRef): Promise<ListedVersion[]> {
  const rows = await versionsOf(db, ref)
    .selectAll()
    .where('scope', '=', ref.scope ?? '')
    .where('state', '<>', 'dropped')
    .orderBy('version', 'desc')
    .execute()
  return rows.map(versionOf) as ListedVersion[]
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
 * served, the pointer. It is rejected when its parent is no longer served (someone rolled back while it was trained),
 * and when something was forgotten meanwhile that it may have learned from: then its samples go on waiting. The turn of a
 * sample that was withdrawn while it was being trained is judged again. `keep` is done with it when it is served. Returns
 * what became of it.
 */
export async function recordVersion(
  db: Db,
  made: NewVersion,
  now = Date.now(),
  keep: (tx: Db, made: NewVersion) => Promise<void> = async () => {},
): Promise<NewVersion['state']> {
  const { ref, version } = made
  return transact(db, async (tx) => {
    // It has left, or goes on under another name and learns there.
    if ((await findWorkspace(tx, ref)) === undefined) return 'rejected'
    const late = made.state === 'served' ? await whyLate(tx, made) : null
    const state = late === null ? made.state : 'rejected'
    const reason = late ?? made.reason
    await tx
      .insertInto('versions')
      .values({
        platform: ref.platform,
        workspace: ref.workspace,
        version,
        scope: ref.scope ?? '',
        parent: made.parent,
        state,
        reason,
        directory: made.directory,
        metrics: toJson(made.metrics),
        lessons: made.samples.length,
        created_at: now,
      })
      .execute()
    // What a version that comes too late has learned is learned again, on what is served by now.
    for (const id of late === null ? made.samples : []) {
      const sample = await tx
        .selectFrom('samples')
        .select(['turn', 'state'])
        .where('id', '=', id)
        .where('platform', '=', ref.platform)
        .where('workspace', '=', ref.workspace)
        .executeTakeFirst()
      // Another trainer was faster, and its version serves or was refused: nothing is learned twice of that.
      if (sample === undefined || (sample.state === 'trained' && state === 'rejected')) continue
      await tx.updateTable('samples').set({ version, state: 'trained' }).where('id', '=', id).execute()
      if (sample.state !== 'withdrawn') {
        await setTrained(tx, sample.turn)
      } else {
        // The weights have learned what no longer stands: judged once more, the turn gets what makes up for it.
        await withdrawSamples(tx, sample.turn)
        await judgeAgain(tx, sample.turn)
        await audit(tx, ref, null, 'trained-withdrawn', { sample: id, version }, now)
      }
    }
    if (state === 'served') {
      await serve(tx, ref, version)
      await keep(tx, made)
    }
    await audit(tx, ref, null, `version-${state}`, { version, parent: made.parent, reason }, now)
    return state
  })
}

/** Why a finished version may not be served any more, or null. */
async function whyLate(db: Db, { ref, parent, startedAt }: NewVersion): Promise<string | null> {
  if ((await servingVersion(db, ref)) !== parent)
    return `version ${parent}, which it continues, was rolled back meanwhile`
  return startedAt !== undefined && (await hasForgotten(db, ref, startedAt))
    ? 'something was forgotten while it was trained'
    : null
}

/** Moves the pointer. Notes that only later versions have learned stand in prompts again. Run it in a transaction. */
export async function serve(db: Db, ref: PolicyRef, version: number): Promise<void> {
  const { platform, workspace, scope } = ref
  if (scope === undefined) {
    await db
      .updateTable('workspaces')
      .set({ serving_version: version })
      .where('platform', '=', platform)
      .where('workspace', '=', workspace)
      .execute()
  } else {
    await db
      .updateTable('people')
      .set({ serving_version: version })
      .where('platform', '=', platform)
      .where('workspace', '=', workspace)
      .where('person', '=', scope)
      .execute()
  }
  await bringBackNotes(db, ref, await lineage(db, ref, version))
}

function versionsOf(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('versions').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

function versionOf(row: Row<'versions'>): PolicyVersion {
  return {
    ref: policyRef(row),
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

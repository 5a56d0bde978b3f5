import { rm } from 'node:fs/promises'
import type { PolicyRef, WorkspaceRef } from '../types.ts'
import { fromJson, policyRef } from './codec.ts'
import { optedOut } from './consent.ts'
import type { Db } from './schema.ts'
import { lineage, serve, servingVersion } from './versions.ts'

/** A sample that is gone: whose weights it may be in, and since when. */
export interface ErasedSample {
  readonly scope: string
  readonly at: number
}

export interface Unlearned {
  readonly dropped: readonly number[]
  /** The version that answers from now on, for weights whose pointer had to move. */
  readonly serving: readonly { readonly ref: PolicyRef; readonly version: number }[]
  /** How many lessons of the dropped versions wait to be learned again. */
  readonly again: number
}

/**
 * Takes erased samples out of the weights. What was made after the first of them existed may have learned from them, in
 * its lessons or in rehearsal, and is dropped; the newest version from before serves; the other samples that the dropped
 * ones had learned from wait for the trainer again, so that it makes those versions anew from what remains. Run it in a
 * transaction; `removeDropped` takes the files.
 */
export async function unlearn(db: Db, ref: WorkspaceRef, erased: readonly ErasedSample[]): Promise<Unlearned> {
  const dropped: number[] = []
  const serving: { ref: PolicyRef; version: number }[] = []
  let again = 0
  for (const scope of new Set(erased.map((sample) => sample.scope))) {
    const since = Math.min(...erased.filter((sample) => sample.scope === scope).map(({ at }) => at))
    const policy = policyRef({ ...ref, scope })
    const before = await servingVersion(db, policy)
    const line = await lineage(db, ref, before)
    const rows = await db
      .updateTable('versions')
      .set({ state: 'dropped', reason: null, metrics: '{}' })
      .where('platform', '=', ref.platform)
      .where('workspace', '=', ref.workspace)
      .where('scope', '=', scope)
      .where('state', '<>', 'dropped')
      .where('created_at', '>=', since)
      .returning('version')
      .execute()
    if (rows.length === 0) continue
    const gone = rows.map(({ version }) => version)
    dropped.push(...gone)
    await db
      .deleteFrom('version_files')
      .where('platform', '=', ref.platform)
      .where('workspace', '=', ref.workspace)
      .where('version', 'in', gone)
      .execute()
    again += await learnAgain(db, ref, scope, gone)
    const version = line.find((candidate) => !gone.includes(candidate)) ?? 0
    if (version === before) continue
    await serve(db, policy, version)
    serving.push({ ref: policy, version })
  }
  return { dropped: dropped.sort((a, b) => a - b), serving, again }
}

/**
 * Of each turn only the last word is learned again, and only where there is something to learn: not what was taken back,
 * nor what is of people who have opted out since.
 */
async function learnAgain(db: Db, ref: WorkspaceRef, scope: string, versions: readonly number[]): Promise<number> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .select([
      's.id',
      's.turn',
      's.state',
      's.version',
      's.reward',
      's.people',
      't.person as asker',
      't.state as turnState',
    ])
    .where('s.platform', '=', ref.platform)
    .where('s.workspace', '=', ref.workspace)
    .where('s.scope', '=', scope)
    .where('s.state', '<>', 'withdrawn')
    .where('s.turn', 'in', (eb) =>
      eb
        .selectFrom('samples')
        .select('turn')
        .where('platform', '=', ref.platform)
        .where('workspace', '=', ref.workspace)
        .where('scope', '=', scope)
        .where('state', '=', 'trained')
        .where('version', 'in', versions),
    )
    .orderBy('s.revision')
    .execute()
  const silent = await optedOut(db, ref)
  const isGone = ({ version }: (typeof rows)[number]) => version !== null && versions.includes(version)
  let again = 0
  for (const turn of new Set(rows.map((row) => row.turn))) {
    const samples = rows.filter((row) => row.turn === turn)
    const last = samples.at(-1)!
    const rest = samples.filter((sample) => sample.state === 'trained' && !isGone(sample))
    const given = [last.asker, ...fromJson(last.people)]
    const teaches = (last.reward !== 0 || rest.length > 0) && !given.some((person) => silent.has(person))
    // Amended without a sample of its own, because learning is off or no judge has seen it yet: what of it is learned is
    // for the next verdict to say.
    const ready = teaches && (last.state === 'ready' || (isGone(last) && last.turnState !== 'amended'))
    if (ready && isGone(last)) again++
    for (const sample of samples.filter((one) => isGone(one) || one.state === 'ready')) {
      const state = ready && sample === last ? 'ready' : 'withdrawn'
      await db.updateTable('samples').set({ state, version: null, potency: null }).where('id', '=', sample.id).execute()
    }
    await db
      .updateTable('turns')
      .set({ state: ready ? 'sampled' : rest.length > 0 ? 'trained' : 'judged' })
      .where('id', '=', turn)
      .where('state', '=', 'trained')
      .execute()
  }
  return again
}

/** Removes the files of dropped versions, and of refused ones that are there yet. What is interrupted is done by the next call. */
export async function removeDropped(db: Db): Promise<void> {
  const dropped = await db
    .selectFrom('versions')
    .select(['platform', 'workspace', 'version', 'directory'])
    .where('state', 'in', ['dropped', 'rejected'])
    .where('directory', '<>', '')
    .execute()
  for (const { platform, workspace, version, directory } of dropped) {
    await rm(directory, { recursive: true, force: true })
    await db
      .updateTable('versions')
      .set({ directory: '' })
      .where('platform', '=', platform)
      .where('workspace', '=', workspace)
      .where('version', '=', version)
      .execute()
  }
}

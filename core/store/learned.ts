import type { PolicyRef, Sample, WorkspaceRef } from '../types.ts'
import { fromJson, sampleOf } from './codec.ts'
import { optedOut } from './consent.ts'
import { inState, type Origin, ofPolicy } from './samples.ts'
import type { Db, Row } from './schema.ts'

/** A sample with whose feedback it is made of. */
export type OwnedSample = Sample & Pick<Origin, 'people'>

/** What weights have learned of a turn. */
export interface Learned extends Pick<Origin, 'people'> {
  /** Reward × weight. */
  readonly effect: number
}

/**
 * The oldest samples that may be trained, for weights whose line of versions is given. What they make up for is what
 * that line has learned, whatever was served when they were made; and it is taken from those who had given it.
 */
export async function batch(
  db: Db,
  ref: PolicyRef,
  versions: readonly number[],
  limit: number,
): Promise<OwnedSample[]> {
  const rows = await (await inState(db, ref, 'ready')).limit(limit).execute()
  const before = await learnedOf(
    db,
    ref,
    rows.map(({ turn }) => turn),
    versions,
  )
  return rows.map((row) => {
    const { effect, people } = before.get(row.turn) ?? { effect: 0, people: [] }
    return { ...ownedOf(row), learned: effect, people: [...new Set([...fromJson(row.people), ...people])] }
  })
}

/** What these weights have learned of turns, as `pool` counts it. */
export async function learnedOf(
  db: Db,
  ref: PolicyRef,
  turns: readonly string[],
  versions: readonly number[],
): Promise<ReadonlyMap<string, Learned>> {
  if (turns.length === 0) return new Map()
  const rows = await ofPolicy(db, ref)
    .select(['turn', 'reward', 'weight', 'people', 'version'])
    .where('turn', 'in', turns)
    .where('state', '=', 'trained')
    .where((eb) => eb.or([eb('version', 'in', [0, ...versions]), eb('version', 'in', rejectedOn(db, ref, versions))]))
    .orderBy('revision')
    .execute()
  const unrewarded = await onlyDistilled(
    db,
    ref,
    rows.map(({ version }) => version ?? 0),
  )
  // The last one of each turn has taken back those before it.
  return new Map(
    rows.map(({ turn, reward, weight, people, version }) => {
      const effect = unrewarded.has(version) ? 0 : reward * weight
      return [turn, { effect, people: fromJson(people) }]
    }),
  )
}

/** Which of these versions learned wishes and no rewards. */
async function onlyDistilled(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  versions: readonly number[],
): Promise<ReadonlySet<number | null>> {
  if (versions.length === 0) return new Set()
  const rows = await db
    .selectFrom('versions')
    .select(['version', 'metrics'])
    .where((on) => on.and({ platform, workspace }))
    .where('version', 'in', [...new Set(versions)])
    .execute()
  return new Set(rows.filter(({ metrics }) => fromJson(metrics).rewarded === 0).map(({ version }) => version))
}

/**
 * What has been learned from on the way to the last of the given versions, oldest first: the samples that they trained
 * and those of versions rejected between them, whose lessons still stand. Of a turn that was amended only the last one
 * does, and what it took back it has taken back. None that people who opted out have asked or said something about.
 */
export async function pool(db: Db, ref: PolicyRef, versions: readonly number[]): Promise<OwnedSample[]> {
  const silent = await optedOut(db, ref)
  const asked = db.selectFrom('turns').select('id').where('platform', '=', ref.platform)
  const theirs = asked.where('workspace', '=', ref.workspace).where('person', 'in', [...silent])
  const trained = await inState(db, ref, 'trained')
  const rows = await (silent.size === 0 ? trained : trained.where('turn', 'not in', theirs))
    .where((eb) => eb.or([eb('version', 'in', [0, ...versions]), eb('version', 'in', rejectedOn(db, ref, versions))]))
    .execute()
  const last = new Map<string, number>()
  for (const { turn, revision } of rows) last.set(turn, Math.max(revision, last.get(turn) ?? 0))
  return rows
    .filter(({ turn, revision }) => revision === last.get(turn))
    .map((row) => ({ ...ownedOf(row), learned: 0 }))
    .filter(({ people }) => !people.some((person) => silent.has(person)))
}

/** Versions that the gate refused on the way to the last of the given ones. */
function rejectedOn(db: Db, { platform, workspace }: WorkspaceRef, versions: readonly number[]) {
  const rejected = db.selectFrom('versions').select('version').where('state', '=', 'rejected')
  const here = rejected.where('platform', '=', platform).where('workspace', '=', workspace)
  return here.where('parent', 'in', [0, ...versions])
}

function ownedOf(row: Row<'samples'>): OwnedSample {
  return { ...sampleOf(row), people: fromJson(row.people) }
}

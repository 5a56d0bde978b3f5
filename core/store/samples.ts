import { sql } from 'kysely'
import type { Scope } from '../../config/config.ts'
import type { PolicyRef, Sample, WorkspaceRef } from '../types.ts'
import { fromJson, packFloats, packIds, policyRef, toJson } from './codec.ts'
import { contestedGroups } from './notes.ts'
import type { Db, SampleState } from './schema.ts'
import { reopen } from './turns.ts'

/** Written out, as in the index of what waits: a parameter would not find that index. */
const READY = sql.lit('ready' as const)

/** What waits for the trainer, for one set of weights. */
export interface ReadySamples {
  readonly ref: PolicyRef
  readonly count: number
  /** When the oldest became ready, in milliseconds since the epoch. */
  readonly oldestAt: number
}

/** Where a sample comes from. */
export interface Origin {
  /** Whose feedback it is made of. */
  readonly people: readonly string[]
  /** The groups of the wishes that its teacher follows. */
  readonly groups: readonly string[]
}

export async function insertSample(
  db: Db,
  ref: PolicyRef,
  sample: Sample,
  revision: number,
  now: number,
  { people, groups }: Origin = { people: [], groups: [] },
): Promise<void> {
  await db
    .insertInto('samples')
    .values({
      platform: ref.platform,
      workspace: ref.workspace,
      id: sample.id,
      turn: sample.turn,
      revision,
      state: 'ready',
      prompt_ids: packIds(sample.promptIds),
      response_ids: packIds(sample.responseIds),
      logprobs: packFloats(sample.logprobs),
      teacher_prompt_ids: sample.teacherPromptIds === null ? null : packIds(sample.teacherPromptIds),
      reward: sample.reward,
      weight: sample.weight,
      learned: sample.learned,
      potency: null,
      version: null,
      scope: ref.scope ?? '',
      people: toJson(people),
      groups: groups.length === 0 ? '' : `,${[...new Set(groups)].sort().join(',')},`,
      created_at: now,
    })
    .execute()
}

/** Takes back what has not been trained of a turn. */
export async function withdrawSamples(db: Db, turn: string): Promise<void> {
  await db
    .updateTable('samples')
    .set({ state: 'withdrawn' })
    .where('turn', '=', turn)
    .where('state', '=', 'ready')
    .execute()
}

/** The same verdict is made of other people's feedback now. */
export async function setPeople(db: Db, sample: string, people: readonly string[]): Promise<void> {
  await db
    .updateTable('samples')
    .set({ people: toJson(people) })
    .where('id', '=', sample)
    .execute()
}

/** Whether a sample of the turn waits for the trainer. */
export async function waits(db: Db, turn: string): Promise<boolean> {
  const ready = db.selectFrom('samples').select('id').where('turn', '=', turn).where('state', '=', 'ready')
  return (await ready.limit(1).executeTakeFirst()) !== undefined
}

/**
 * What may be trained, longest waiting first: where learning is on and not paused. Samples of a wish that the
 * workspace's people disagree about stay aside.
 */
export async function readySamples(db: Db): Promise<ReadySamples[]> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('workspaces as w', (join) =>
      join.onRef('w.platform', '=', 's.platform').onRef('w.workspace', '=', 's.workspace'),
    )
    .where('s.state', '=', READY)
    .where('w.learning', '=', 1)
    .where('w.paused', '=', 0)
    .groupBy(['s.platform', 's.workspace', 's.scope', 's.groups'])
    .select((eb) => [
      's.platform',
      's.workspace',
      's.scope',
      's.groups',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('s.created_at').as('oldestAt'),
    ])
    .orderBy('oldestAt')
    .execute()
  const waiting = new Map<string, { readonly contested: readonly string[]; ready: ReadySamples }>()
  for (const { count, oldestAt, groups, ...row } of rows) {
    const ref = policyRef(row)
    const key = JSON.stringify(Object.values(ref))
    const known = waiting.get(key)
    const contested = known?.contested ?? (await contestedGroups(db, ref))
    if (contested.some((group) => groups.includes(`,${group},`))) continue
    const before = known?.ready ?? { ref, count: 0, oldestAt: Number(oldestAt) }
    waiting.set(key, { contested, ready: { ...before, count: before.count + Number(count) } })
  }
  return [...waiting.values()].map(({ ready }) => ready)
}

/** Whose feedback each of the workspace's lessons since then is made of. */
export async function lessonsSince(db: Db, ref: WorkspaceRef, since: number): Promise<(readonly string[])[]> {
  const rows = await db
    .selectFrom('samples')
    .select('people')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '<>', 'withdrawn')
    .where('created_at', '>', since)
    .execute()
  return rows.map(({ people }) => fromJson(people))
}

/** How many samples wait for the trainer, those that are held included. */
export async function countReady(db: Db, ref: PolicyRef): Promise<number> {
  const row = await ofPolicy(db, ref)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** What became of the turn's newest sample. */
export async function sampleOfTurn(db: Db, turn: string) {
  const row = await db
    .selectFrom('samples')
    .select(['state', 'potency', 'version', 'platform', 'workspace', 'scope', 'groups'])
    .where('turn', '=', turn)
    .where((eb) => eb.or([eb('state', '<>', 'withdrawn'), eb('version', 'is not', null)]))
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { state, potency, version, groups } = row
  const contested = await contestedGroups(db, policyRef(row))
  return { state, potency, version, held: contested.some((group) => groups.includes(`,${group},`)) }
}

/** Those of a contested wish are left out: they wait until the people agree, or each has weights of their own. */
export async function inState(db: Db, ref: PolicyRef, state: SampleState) {
  let query = ofPolicy(db, ref).selectAll().where('state', '=', state).orderBy('created_at').orderBy('id')
  for (const group of await contestedGroups(db, ref)) query = query.where('groups', 'not like', `%,${group},%`)
  return query
}

/** How many samples wait until the workspace's people agree. */
export async function countHeld(db: Db, ref: PolicyRef, groups: readonly string[]): Promise<number> {
  if (groups.length === 0) return 0
  const row = await ofPolicy(db, ref)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'ready')
    .where((eb) => eb.or(groups.map((group) => eb('groups', 'like', `%,${group},%`))))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/**
 * Takes back what waits of a person's feedback and of the replies to them; what undoes a lesson still waits, and only
 * undoes it. Returns how many lessons that were.
 */
export async function withdrawOf(db: Db, ref: WorkspaceRef, person: string): Promise<number> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .select(['s.id', 's.people', 's.reward', 's.learned', 't.person as asker'])
    .where('s.platform', '=', ref.platform)
    .where('s.workspace', '=', ref.workspace)
    .where('s.state', '=', 'ready')
    .execute()
  const theirs = rows.filter(({ people, asker }) => fromJson(people).includes(person) || asker === person)
  const nothing = { reward: 0, weight: 0, teacher_prompt_ids: null, people: toJson([]), groups: '' }
  for (const { id, learned } of theirs) {
    const change = learned === 0 ? ({ state: 'withdrawn' } as const) : nothing
    await db.updateTable('samples').set(change).where('id', '=', id).execute()
  }
  return theirs.filter(({ reward }) => reward !== 0).length
}

/**
 * Samples that wait learn into the weights of the new scope. A person's own learn from nobody else's feedback: what is
 * made of that is judged again. Run it in a transaction.
 */
export async function rescope(db: Db, ref: WorkspaceRef, scope: Scope): Promise<void> {
  if (scope === 'person') {
    const rows = await db
      .selectFrom('samples as s')
      .innerJoin('turns as t', 't.id', 's.turn')
      .select(['s.turn', 's.people', 't.person as asker'])
      .where('s.platform', '=', ref.platform)
      .where('s.workspace', '=', ref.workspace)
      .where('s.state', '=', 'ready')
      .execute()
    for (const { turn, people, asker } of rows) {
      if (fromJson(people).every((person) => person === asker)) continue
      await withdrawSamples(db, turn)
      await reopen(db, turn)
    }
  }
  await db
    .updateTable('samples')
    .set((eb) => ({
      scope:
        scope === 'workspace'
          ? ''
          : eb
              .selectFrom('turns')
              .select('turns.person')
              .whereRef('turns.id', '=', 'samples.turn')
              .$asScalar()
              .$notNull(),
    }))
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '=', 'ready')
    .execute()
}

export function ofPolicy(db: Db, { platform, workspace, scope }: PolicyRef) {
  return db
    .selectFrom('samples')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('scope', '=', scope ?? '')
}

/** Records how strongly the sample's hint speaks against its reply: nats a token lost under the teacher. */
export async function recordPotency(db: Db, sample: string, value: number): Promise<void> {
  await db.updateTable('samples').set({ potency: value }).where('id', '=', sample).execute()
}

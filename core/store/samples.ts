import type { ChatMessage, Sample, WorkspaceRef } from '../types.ts'
import { fromJson, packFloats, packIds, sampleOf, unpackIds } from './codec.ts'
import type { Db, SampleState } from './schema.ts'

/** What waits for the trainer in one workspace. */
export interface ReadySamples {
  readonly ref: WorkspaceRef
  readonly count: number
  /** When the oldest became ready, in milliseconds since the epoch. */
  readonly oldestAt: number
}

/** A question already asked, for rehearsal without a person. */
export interface Question {
  /** The asker. */
  readonly person: string
  /** The request without notes; `promptIds` is its template. */
  readonly request: readonly ChatMessage[]
  readonly promptIds: readonly number[]
  /** The asker's active notes of today, oldest first. */
  readonly notes: readonly string[]
}

export async function insertSample(db: Db, ref: WorkspaceRef, sample: Sample, revision: number, now: number) {
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
      potency: null,
      version: null,
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

/** Every workspace with samples to train, where learning is on; longest waiting first. */
export async function readySamples(db: Db): Promise<ReadySamples[]> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('workspaces as w', (join) =>
      join.onRef('w.platform', '=', 's.platform').onRef('w.workspace', '=', 's.workspace'),
    )
    .where('s.state', '=', 'ready')
    .where('w.learning', '=', 1)
    .groupBy(['s.platform', 's.workspace'])
    .select((eb) => [
      's.platform',
      's.workspace',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('s.created_at').as('oldestAt'),
    ])
    .orderBy('oldestAt')
    .execute()
  return rows.map(({ platform, workspace, count, oldestAt }) => ({ ref: { platform, workspace }, count, oldestAt }))
}

/** How many samples of one workspace wait for the trainer. */
export async function countReady(db: Db, ref: WorkspaceRef): Promise<number> {
  const row = await db
    .selectFrom('samples')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return row?.count ?? 0
}

/** What became of the turn's newest sample. */
export async function sampleOfTurn(db: Db, turn: string) {
  return db
    .selectFrom('samples')
    .select(['state', 'potency', 'version'])
    .where('turn', '=', turn)
    .where((eb) => eb.or([eb('state', '<>', 'withdrawn'), eb('version', 'is not', null)]))
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The workspace's oldest ready samples. */
export async function batch(db: Db, ref: WorkspaceRef, limit: number): Promise<Sample[]> {
  return (await inState(db, ref, 'ready').limit(limit).execute()).map(sampleOf)
}

/**
 * What has been learned from on the way to the last of the given versions, oldest first: the samples that they trained
 * and those of versions rejected between them, whose lessons still stand.
 */
export async function pool(db: Db, ref: WorkspaceRef, versions: readonly number[]): Promise<Sample[]> {
  const rejected = db
    .selectFrom('versions')
    .select('version')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '=', 'rejected')
    .where('parent', 'in', [0, ...versions])
  const rows = await inState(db, ref, 'trained')
    .where((eb) => eb.or([eb('version', 'in', [0, ...versions]), eb('version', 'in', rejected)]))
    .execute()
  return rows.map(sampleOf)
}

function inState(db: Db, ref: WorkspaceRef, state: SampleState) {
  return db
    .selectFrom('samples')
    .selectAll()
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '=', state)
    .orderBy('created_at')
    .orderBy('id')
}

/** The newest `limit` training prompts of the workspace, each once, newest first. */
export async function recentQuestions(db: Db, ref: WorkspaceRef, limit: number): Promise<Question[]> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .where('s.platform', '=', ref.platform)
    .where('s.workspace', '=', ref.workspace)
    .where('s.state', '<>', 'withdrawn')
    .select((eb) => ['s.prompt_ids', 't.person', 't.request', eb.fn.max('s.created_at').as('newest')])
    .groupBy(['s.prompt_ids', 't.person', 't.request'])
    .orderBy('newest', 'desc')
    .limit(limit)
    .execute()
  const people = [...new Set(rows.map((row) => row.person))]
  const notes = people.length === 0 ? [] : await activeNotes(db, ref, people)
  return rows.map((row) => ({
    person: row.person,
    request: fromJson(row.request),
    promptIds: unpackIds(row.prompt_ids),
    notes: notes.filter((note) => note.person === row.person).map((note) => note.text),
  }))
}

function activeNotes(db: Db, ref: WorkspaceRef, people: readonly string[]) {
  return db
    .selectFrom('notes')
    .select(['person', 'text'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', 'in', people)
    .where('state', '=', 'active')
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** Records how strongly the sample's hint speaks against its reply: nats a token lost under the teacher. */
export async function recordPotency(db: Db, sample: string, value: number): Promise<void> {
  await db.updateTable('samples').set({ potency: value }).where('id', '=', sample).execute()
}

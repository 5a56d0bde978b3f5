import type { ConversationRef } from '../stream/outlet.ts'
import type { Event, PolicyRef, WorkspaceRef } from '../types.ts'
import { policyRef } from './codec.ts'
import type { Db, Row } from './schema.ts'
import type { WorkspaceTable } from './talk-schema.ts'

/** Platforms where only the owner of the machine talks: learning is on from the start. Elsewhere an admin turns it on. */
const OWN_PLATFORMS: readonly string[] = ['terminal', 'playground', 'demo']

/** Who let the bot in or took it out has not talked to it. */
const TENANCY: readonly Event['type'][] = ['joined', 'left', 'moved']

/** Knows the events' workspaces, people and conversations from now on. */
export async function meet(db: Db, events: readonly Event[], now: number): Promise<void> {
  const each = <Row>(
    rowOf: (event: Event) => Row,
    keyOf: (event: Event) => string,
    some: readonly Event[] = events,
  ): Row[] => {
    const rows = new Map(some.map((event) => [JSON.stringify([event.platform, event.workspace, keyOf(event)]), event]))
    // In one order everywhere, so that two processes never wait for each other.
    return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => rowOf(event))
  }
  const workspaces = each(
    ({ platform, workspace }) => ({
      platform,
      workspace,
      learning: OWN_PLATFORMS.includes(platform) ? (1 as const) : (0 as const),
      method: null,
      serving_version: 0,
      created_at: now,
    }),
    () => '',
  )
  await db
    .insertInto('workspaces')
    .values(workspaces)
    .onConflict((conflict) => conflict.columns(['platform', 'workspace']).doNothing())
    .execute()
  const people = each(
    ({ platform, workspace, person }) => ({ platform, workspace, person: person.id, name: person.name ?? null }),
    ({ person }) => person.id,
    events.filter(({ person, type }) => person.kind === 'human' && !TENANCY.includes(type)),
  )
  if (people.length > 0) {
    await db
      .insertInto('people')
      .values(people)
      .onConflict((conflict) =>
        conflict.columns(['platform', 'workspace', 'person']).doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })),
      )
      .execute()
  }
  const conversations = each(
    ({ platform, workspace, conversation, channel = null }) => ({
      ...{ platform, workspace, conversation, channel },
      active_at: now,
    }),
    ({ conversation }) => conversation,
  )
  await db
    .insertInto('conversations')
    .values(conversations)
    .onConflict((conflict) =>
      conflict.columns(['platform', 'workspace', 'conversation']).doUpdateSet((eb) => ({
        active_at: now,
        channel: eb.fn.coalesce('excluded.channel', 'conversations.channel'),
      })),
    )
    .execute()
}

export async function findWorkspace(db: Db, ref: WorkspaceRef): Promise<Row<'workspaces'> | undefined> {
  return db
    .selectFrom('workspaces')
    .selectAll()
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .executeTakeFirst()
}

/** Its people are told what the bot keeps. Returns whether they were not before. */
export async function setWelcomed(db: Db, ref: WorkspaceRef, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workspaces')
    .set({ welcomed_at: at })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('welcomed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** They could not be told: the next time they are. */
export async function setUnwelcomed(db: Db, ref: WorkspaceRef): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ welcomed_at: null })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .execute()
}

/** Everyone who has said anything there. */
export async function workspacePeople(db: Db, ref: WorkspaceRef): Promise<string[]> {
  const people = db.selectFrom('people').select('person').where('platform', '=', ref.platform)
  return (await people.where('workspace', '=', ref.workspace).execute()).map(({ person }) => person)
}

/** What a workspace's admins choose. */
export type Choice = Partial<Pick<WorkspaceTable, 'learning' | 'method' | 'scope' | 'retention_days'>> & {
  readonly paused?: 0 | 1
}

export async function choose(db: Db, ref: WorkspaceRef, choice: Choice): Promise<void> {
  await db
    .updateTable('workspaces')
    .set(choice)
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .execute()
}

/** Nothing is learned on a platform any more, until its admins may turn it on again. */
export async function stopLearning(db: Db, platform: string): Promise<void> {
  await db.updateTable('workspaces').set({ learning: 0 }).where('platform', '=', platform).execute()
}

/** All weights that have lessons and may be trained: learning is on and not paused. */
export async function trainedPolicies(db: Db): Promise<PolicyRef[]> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('workspaces as w', (join) =>
      join.onRef('w.platform', '=', 's.platform').onRef('w.workspace', '=', 's.workspace'),
    )
    .where('w.learning', '=', 1)
    .where('w.paused', '=', 0)
    .select(['s.platform', 's.workspace', 's.scope'])
    .distinct()
    .execute()
  return rows.map(policyRef)
}

/** Whether others may read what is said there; null where nothing was ever heard, or all of it was forgotten. */
export async function isShared(
  db: Db,
  { platform, workspace, conversation }: ConversationRef,
): Promise<boolean | null> {
  const row = await db
    .selectFrom('conversations')
    .select('channel')
    .where((on) => on.and({ platform, workspace, conversation }))
    .executeTakeFirst()
  return row === undefined ? null : row.channel !== null
}

/**
 * Where a version is news, if something was said there since then: where someone who talks with the bot alone has taught
 * it, and wherever only the owner of the machine talks.
 */
export async function newsPlaces(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  version: number,
  since: number,
): Promise<ConversationRef[]> {
  const taught = db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .select('t.conversation')
    .where((on) => on.and({ 's.platform': platform, 's.workspace': workspace, 's.version': version }))
  const alone = db
    .selectFrom('conversations')
    .select(['platform', 'workspace', 'conversation'])
    .where((on) => on.and({ platform, workspace, channel: null }))
    .where('active_at', '>=', since)
  return (OWN_PLATFORMS.includes(platform) ? alone : alone.where('conversation', 'in', taught)).execute()
}

/** The names that the workspace's people go by, where they have one. */
export async function personNames(db: Db, ref: WorkspaceRef): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('people')
    .select(['person', 'name'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('name', 'is not', null)
    .execute()
  return new Map(rows.map(({ person, name }) => [person, name ?? person]))
}

/** Nothing that the person says is learned from, or it is again. */
export async function setOptedOut(db: Db, ref: WorkspaceRef, person: string, out: boolean): Promise<void> {
  await db
    .updateTable('people')
    .set({ opted_out: out ? 1 : 0 })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
    .execute()
}

/** When anyone last said anything, in milliseconds since the epoch; 0 for never. */
export async function lastActivity(db: Db): Promise<number> {
  const row = await db
    .selectFrom('conversations')
    .select((eb) => eb.fn.max('active_at').as('at'))
    .executeTakeFirst()
  return Number(row?.at ?? 0)
}

import type { ConversationRef } from '../stream/outlet.ts'
import type { Event, WorkspaceRef } from '../types.ts'
import type { Db, Row } from './schema.ts'

/** Platforms where only the owner of the machine talks: learning is on from the start. Elsewhere an admin turns it on. */
const OWN_PLATFORMS: readonly string[] = ['terminal', 'playground', 'demo']

/** Knows the events' workspaces, people and conversations from now on. */
export async function meet(db: Db, events: readonly Event[], now: number): Promise<void> {
  const each = <Row>(rowOf: (event: Event) => Row, keyOf: (event: Event) => string): Row[] => {
    const rows = new Map(
      events.map((event) => [JSON.stringify([event.platform, event.workspace, keyOf(event)]), event]),
    )
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
  await db
  const people = each(
    ({ platform, workspace, person }) => ({ platform, workspace, person: person.id, name: person.name ?? null }),
    ({ person }) => person.id,
  )
    .insertInto('people')
    .values(people)
    .onConflict((conflict) =>
      conflict.columns(['platform', 'workspace', 'person']).doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })),
    )
    .execute()
  await db
  const conversations = each(
    ({ platform, workspace, conversation }) => ({ platform, workspace, conversation, active_at: now }),
    ({ conversation }) => conversation,
  )
    .insertInto('conversations')
    .values(conversations)
    .onConflict((conflict) =>
      conflict.columns(['platform', 'workspace', 'conversation']).doUpdateSet({ active_at: now }),
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

export async function setLearning(db: Db, ref: WorkspaceRef, on: boolean): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ learning: on ? 1 : 0 })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .execute()
}

/** Every workspace where learning is on. */
export async function learningWorkspaces(db: Db): Promise<WorkspaceRef[]> {
  return db.selectFrom('workspaces').select(['platform', 'workspace']).where('learning', '=', 1).execute()
}

/** The workspace's conversations in which something was said since then. */
export async function activeConversations(db: Db, ref: WorkspaceRef, since: number): Promise<ConversationRef[]> {
  return db
    .selectFrom('conversations')
    .select(['platform', 'workspace', 'conversation'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('active_at', '>=', since)
    .execute()
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

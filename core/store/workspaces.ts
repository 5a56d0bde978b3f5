import type { ConversationRef } from '../stream/outlet.ts'
import type { Event, WorkspaceRef } from '../types.ts'
import type { Db, Row } from './schema.ts'

/** Platforms where only the owner of the machine talks: learning is on from the start. Elsewhere an admin turns it on. */
const OWN_PLATFORMS: readonly string[] = ['terminal', 'playground', 'demo']

/** Knows the event's workspace, person and conversation from now on. */
export async function meet(db: Db, event: Event, now: number): Promise<void> {
  const { platform, workspace, conversation, person } = event
  await db
    .insertInto('workspaces')
    .values({
      platform,
      workspace,
      learning: OWN_PLATFORMS.includes(platform) ? 1 : 0,
      method: null,
      serving_version: 0,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'workspace']).doNothing())
    .execute()
  await db
    .insertInto('people')
    .values({ platform, workspace, person: person.id, name: person.name ?? null })
    .onConflict((conflict) =>
      conflict.columns(['platform', 'workspace', 'person']).doUpdateSet({ name: person.name ?? null }),
    )
    .execute()
  await db
    .insertInto('conversations')
    .values({ platform, workspace, conversation, active_at: now })
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

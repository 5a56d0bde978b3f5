import { sql } from 'kysely'
import type { ConversationRef } from '../stream/outlet.ts'
import type { Signal, Turn, WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/** Whether nothing that the person says may be learned from. */
export async function hasOptedOut(db: Db, ref: WorkspaceRef, person: string): Promise<boolean> {
  const row = await db
    .selectFrom('people')
    .select('opted_out')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
    .executeTakeFirst()
  return row?.opted_out === 1
}

/** When the person was last asked about a reply, in milliseconds since the epoch; 0 for never. */
export async function lastAsked(db: Db, ref: WorkspaceRef, person: string): Promise<number> {
  const row = await db
    .selectFrom('people')
    .select('asked_at')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
    .executeTakeFirst()
  return row?.asked_at ?? 0
}

export async function setAsked(db: Db, ref: WorkspaceRef, person: string, at: number): Promise<void> {
  await db
    .updateTable('people')
    .set({ asked_at: at })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
    .execute()
}

/** Those from whom nothing may be learned: of some people, or of everyone in the workspace. */
export async function optedOut(db: Db, ref: WorkspaceRef, of?: readonly string[]): Promise<ReadonlySet<string>> {
  // Written out, as in the index.
  const people = db
    .selectFrom('people')
    .select('person')
    .where('opted_out', '=', sql.lit(1 as const))
  const here = people.where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
  const rows = await (of === undefined ? here : here.where('person', 'in', of)).execute()
  return new Set(rows.map(({ person }) => person))
}

/** Those of a turn's signals that may be learned from as of today: none where its asker has opted out since. */
export async function learnable(db: Db, turn: Turn, signals: readonly Signal[]): Promise<readonly Signal[]> {
  const silent = await optedOut(db, turn, [turn.person, ...signals.map(({ person }) => person)])
  return silent.has(turn.person) ? [] : signals.filter(({ person }) => !silent.has(person))
}

/** Whether one of the conversation's last `count` messages before a position was said by someone who opted out. */
export async function quotesOptedOut(db: Db, ref: ConversationRef, before: number, count: number): Promise<boolean> {
  const recent = said(db, ref)
    .where('position', '<', before)
    .where('text', 'is not', null)
    .select(['platform', 'workspace', 'person'])
    .orderBy('position', 'desc')
    .orderBy('role')
    .limit(count)
  const row = await db
    .selectFrom(recent.as('m'))
    .innerJoin('people as p', (join) =>
      join
        .onRef('p.platform', '=', 'm.platform')
        .onRef('p.workspace', '=', 'm.workspace')
        .onRef('p.person', '=', 'm.person'),
    )
    .select('p.person')
    .where('p.opted_out', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Forgets what people who opted out have said, and what they were answered, where it no longer belongs to the
 * conversation's last `kept` messages.
 */
export async function forgetOptedOut(db: Db, ref: ConversationRef, kept: number): Promise<void> {
  const silent = [...(await optedOut(db, ref))]
  if (silent.length === 0) return
  const oldest = await said(db, ref)
    .select('position')
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (oldest?.position == null) return
  const theirs = said(db, ref).select('position').where('person', 'in', silent).where('position', '<=', oldest.position)
  await db
    .deleteFrom('messages')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', '=', ref.conversation)
    .where('position', 'in', theirs)
    .execute()
}

function said(db: Db, { platform, workspace, conversation }: ConversationRef) {
  return db
    .selectFrom('messages')
    .where('messages.platform', '=', platform)
    .where('messages.workspace', '=', workspace)
    .where('messages.conversation', '=', conversation)
}

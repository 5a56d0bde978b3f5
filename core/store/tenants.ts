import { basename, dirname, join } from 'node:path'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Event, WorkspaceRef } from '../types.ts'
import { audit } from './audit.ts'
import { fromJson, toJson } from './codec.ts'
import { optedOut } from './consent.ts'
import { withdrawOf } from './samples.ts'
import type { Db, Tables } from './schema.ts'
import { findWorkspace, setOptedOut } from './workspaces.ts'

/** All that a workspace has, in an order in which it can be deleted. What hangs on a turn alone is in two more tables. */
const OWNED = [
  ...(['outbound', 'deliveries', 'signals', 'samples', 'notes', 'turns', 'messages', 'inbox'] as const),
  ...(['version_files', 'versions', 'conversations', 'channels', 'people', 'audit', 'moves', 'workspaces'] as const),
] satisfies (keyof Tables)[]

/** Tables that say in which conversation something was. */
const TALK = ['outbound', 'signals', 'turns', 'messages', 'inbox', 'conversations'] as const

/** Deletes everything of a workspace. Run it in a transaction; `scrub` takes what deleted rows leave behind. */
export async function eraseWorkspace(db: Db, ref: WorkspaceRef, now: number): Promise<void> {
  const { platform, workspace } = ref
  const turns = db.selectFrom('turns').select('id').where('platform', '=', platform).where('workspace', '=', workspace)
  for (const table of ['verdicts', 'judging'] as const) await db.deleteFrom(table).where('turn', 'in', turns).execute()
  for (const table of OWNED) {
    await db.deleteFrom(table).where('platform', '=', platform).where('workspace', '=', workspace).execute()
  }
  await db.deleteFrom('moves').where('platform', '=', platform).where('target', '=', workspace).execute()
  // That something was deleted stays on record, and not whose it was.
  await audit(db, { platform, workspace: '' }, null, 'left', {}, now)
}

/**
 * Whether anything waits or is under way in other conversations of the workspace. Of those that want to be alone (`seq`)
 * the first is.
 */
export async function othersUnderWay(
  db: Db,
  { platform, workspace, conversation }: Event,
  seq: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('inbox')
    .select('seq')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('conversation', '<>', conversation)
    .where('state', '<>', sql.lit('handled' as const))
    .where((eb) => eb.or([eb('type', 'not in', ['moved', 'left']), eb('seq', '<', seq)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A conversation or channel that is named after its workspace is renamed with it. */
export function renamed(name: string, from: string, to: string): string {
  return name === from || name.startsWith(`${from}:`) ? `${to}${name.slice(from.length)}` : name
}

/**
 * Gives everything of a workspace another name. One that is there by that name already and has learned nothing becomes
 * part of it; else nothing is done. `moving` is the event that says so, which keeps its words. Run it in a transaction.
 * Returns whether it was done.
 */
export async function moveWorkspace(
  db: Db,
  ref: WorkspaceRef,
  to: string,
  folder: string,
  moving: number,
  now: number,
): Promise<boolean> {
  const { platform, workspace: from } = ref
  const target = { platform, workspace: to }
  // It has moved already.
  if ((await findWorkspace(db, ref)) === undefined) return false
  const taken = await db
    .selectFrom('versions')
    .select('version')
    .where((eb) => eb.and(target))
    .limit(1)
    .executeTakeFirst()
  if (taken !== undefined) return false
  await renameWaiting(db, ref, to, moving)
  for (const table of TALK) await renameColumn(db, table, 'conversation', ref, to)
  for (const table of ['channels', 'conversations'] as const) await renameColumn(db, table, 'channel', ref, to)
  await makeRoom(db, ref, to)
  const versions = await db
    .selectFrom('versions')
    .select(['version', 'directory'])
    .where((eb) => eb.and({ platform, workspace: from }))
    .where('directory', '<>', '')
    .execute()
  for (const { version, directory } of versions) {
    const there = join(dirname(dirname(directory)), folder, basename(directory))
    await db
      .updateTable('versions')
      .set({ directory: there })
      .where((eb) => eb.and({ platform, workspace: from, version }))
      .execute()
  }
  for (const table of OWNED) {
    if (table === 'moves') continue
    await db
      .updateTable(table)
      .set({ workspace: to })
      .where('platform', '=', platform)
      .where('workspace', '=', from)
      .execute()
  }
  await db
    .updateTable('moves')
    .set({ target: to })
    .where((eb) => eb.and({ platform, target: from }))
    .execute()
  await db
    .deleteFrom('moves')
    .where((eb) => eb.and(target))
    .execute()
  await db.insertInto('moves').values({ platform, workspace: from, target: to }).execute()
  await audit(db, target, null, 'moved', {}, now)
  return true
}

/** What still comes for a workspace that has moved is the new one's, so that its ids meet those that came before. */
export async function followMoves(db: Db, events: readonly Event[]): Promise<Event[]> {
  const names = [...new Set(events.map(({ workspace }) => workspace))]
  const moves = await db.selectFrom('moves').selectAll().where('workspace', 'in', names).execute()
  if (moves.length === 0) return [...events]
  return events.map((event) => {
    const move = moves.find(({ platform, workspace }) => platform === event.platform && workspace === event.workspace)
    return move === undefined ? event : inWorkspace(event, move.target)
  })
}

function inWorkspace(event: Event, to: string): Event {
  const { workspace: from, conversation, channel } = event
  return {
    ...event,
    workspace: to,
    conversation: renamed(conversation, from, to),
    ...(channel !== undefined && { channel: renamed(channel, from, to) }),
  }
}

async function renameWaiting(db: Db, ref: WorkspaceRef, to: string, moving: number): Promise<void> {
  const waiting = await db
    .selectFrom('inbox')
    .select(['seq', 'body'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', '<>', sql.lit('handled' as const))
    .where('seq', '<>', moving)
    .execute()
  for (const { seq, body } of waiting) {
    await db
      .updateTable('inbox')
      .set({ body: toJson(inWorkspace(fromJson(body), to)) })
      .where('seq', '=', seq)
      .execute()
  }
}

async function renameColumn(
  db: Db,
  table: (typeof TALK)[number] | 'channels',
  column: 'conversation' | 'channel',
  { platform, workspace: from }: WorkspaceRef,
  to: string,
): Promise<void> {
  const name = sql.ref<string>(column)
  await sql`
    update ${sql.table(table)} set ${name} = ${to} || substr(${name}, ${sql.lit(from.length + 1)})
    where platform = ${platform} and workspace = ${from}
    and (${name} = ${from} or substr(${name}, 1, ${sql.lit(from.length + 1)}) = ${`${from}:`})
  `.execute(db)
}

/** What both have is the one's that moves. */
async function makeRoom(db: Db, { platform, workspace: from }: WorkspaceRef, to: string): Promise<void> {
  await db
    .deleteFrom('workspaces')
    .where((eb) => eb.and({ platform, workspace: to }))
    .execute()
  // Who has opted out by either name has opted out.
  for (const person of await optedOut(db, { platform, workspace: to })) {
    await setOptedOut(db, { platform, workspace: from }, person, true)
    await withdrawOf(db, { platform, workspace: from }, person)
  }
  const both = [
    ['people', 'person'],
    ['conversations', 'conversation'],
    ['channels', 'channel'],
    ['messages', 'message'],
    ['outbound', 'message'],
  ] as const
  for (const [table, key] of both) {
    await sql`
      delete from ${sql.table(table)} where platform = ${platform} and workspace = ${to} and ${sql.ref(key)} in
      (select ${sql.ref(key)} from ${sql.table(table)} where platform = ${platform} and workspace = ${from})
    `.execute(db)
  }
  const there = (eb: ExpressionBuilder<Tables, 'inbox'>) =>
    eb.selectFrom('inbox').select('event').where('platform', '=', platform).where('workspace', '=', to)
  await db
    .deleteFrom('inbox')
    .where('platform', '=', platform)
    .where('workspace', '=', from)
    .where('state', '=', 'handled')
    .where((eb) => eb('event', 'in', there(eb)))
    .execute()
}

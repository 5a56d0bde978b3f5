import { sql } from 'kysely'
import type { Event, WorkspaceRef } from '../types.ts'
import { fromJson, toJson } from './codec.ts'
import type { Db } from './schema.ts'
import { factId } from './signals.ts'
import { renamed } from './tenants.ts'

/** Columns with names that may begin with a channel's: its conversations and their messages are named after it. */
const NAMES = [
  ['outbound', 'conversation'],
  ['outbound', 'message'],
  ['deliveries', 'message'],
  ['signals', 'conversation'],
  ['signals', 'message'],
  ['signals', 'about'],
  ['turns', 'conversation'],
  ['turns', 'message'],
  ['messages', 'conversation'],
  ['messages', 'message'],
  ['inbox', 'conversation'],
  ['inbox', 'message'],
  ['conversations', 'conversation'],
  ['conversations', 'channel'],
  ['conversations', 'root'],
  ['channels', 'channel'],
] as const

/** Those of which no two rows of a workspace have the same: what is there by the new name already stays. */
const UNIQUE = ['conversations conversation', 'channels channel', 'messages message', 'outbound message']

/**
 * Gives a channel of the workspace another name, so that what was said in it keeps its meaning: its threads, what
 * carries a reply, what was reacted to, what was heard already. Run it in a transaction.
 */
export async function renameChannel(db: Db, ref: WorkspaceRef, from: string, to: string): Promise<void> {
  const { platform, workspace } = ref
  const rest = sql.lit(from.length + 1)
  for (const [table, column] of NAMES) {
    const name = sql.ref(column)
    const free = sql`and not exists (
      select 1 from ${sql.table(table)} as other where other.platform = ${platform} and other.workspace = ${workspace}
      and other.${name} = ${to} || substr(${sql.table(table)}.${name}, ${rest})
    )`
    await sql`
      update ${sql.table(table)} set ${name} = ${to} || substr(${name}, ${rest})
      where platform = ${platform} and workspace = ${workspace}
      and (${name} = ${from} or substr(${name}, 1, ${rest}) = ${`${from}:`})
      ${UNIQUE.includes(`${table} ${column}`) ? free : sql``}
    `.execute(db)
  }
  await renameFacts(db, ref, to)
  await renameEvents(db, ref, from, to)
}

/** A fact that is said again, or taken back, has to meet its row. */
async function renameFacts(db: Db, { platform, workspace }: WorkspaceRef, to: string): Promise<void> {
  const rows = await db
    .selectFrom('signals')
    .selectAll()
    .where((on) => on.and({ platform, workspace }))
    .where(sql<boolean>`substr(message, 1, ${sql.lit(to.length + 1)}) = ${`${to}:`}`)
    .execute()
  for (const row of rows) {
    const id = factId(row)
    if (id !== row.id) await db.updateTable('signals').set({ id }).where('id', '=', row.id).execute()
  }
}

/** What was done is known when it is told again by the new name; what waits is done there, and keeps its id. */
async function renameEvents(db: Db, { platform, workspace }: WorkspaceRef, from: string, to: string): Promise<void> {
  const rows = await db
    .selectFrom('inbox')
    .select(['seq', 'event', 'body', 'state'])
    .where((on) => on.and({ platform, workspace }))
    .where((on) => on.or([on('event', 'like', `%:${from}:%`), on('state', '<>', sql.lit('handled' as const))]))
    .execute()
  const known = new Set(rows.map(({ event }) => event))
  for (const { seq, event, body, state } of rows) {
    const named = event.replace(`:${from}:`, `:${to}:`)
    const change =
      state === 'handled'
        ? known.has(named)
          ? null
          : { event: named }
        : { body: toJson(inChannel(fromJson(body), from, to)) }
    if (change !== null) await db.updateTable('inbox').set(change).where('seq', '=', seq).execute()
  }
}

function inChannel(event: Event, from: string, to: string): Event {
  if (event.type === 'moved') return event
  const { conversation, channel } = event
  return {
    ...event,
    conversation: renamed(conversation, from, to),
    ...(channel !== undefined && { channel: renamed(channel, from, to) }),
    ...('message' in event && { message: renamed(event.message, from, to) }),
    ...('replyTo' in event && event.replyTo !== undefined && { replyTo: renamed(event.replyTo, from, to) }),
  }
}

import { sql } from 'kysely'
import type { ConversationRef } from '../stream/outlet.ts'
import type { Event, EventOf, WorkspaceRef } from '../types.ts'
import { fromJson, toJson } from './codec.ts'
import { first } from './database.ts'
import type { Db, Row } from './schema.ts'
import { followMoves } from './tenants.ts'
import { transact } from './transact.ts'
import { meet } from './workspaces.ts'

/** Written out, as in the index of what is left to do: a parameter would not find that index. */
const HANDLED = sql.lit('handled' as const)

/** An event that is not handled yet. */
export interface Received {
  /** Order of arrival. */
  readonly seq: number
  readonly event: Event
  /** `answering`: everything is done but showing the answer. */
  readonly state: 'received' | 'answering'
  /** What a command or a failure says; null for a reply, which is in its turn. */
  readonly answer: string | null
  /** Why the reply failed. */
  readonly error: string | null
}

/** Makes events durable, all in one transaction. Returns those that were not received before. */
export async function receive(db: Db, given: readonly Event[], now: number): Promise<Event[]> {
  const write = async (tx: Db) => {
    // A workspace may have moved since they were admitted.
    const events = await followMoves(tx, given)
    const rows = await tx
      .insertInto('inbox')
      .values(events.map((event) => rowOf(event, now)))
      .onConflict((conflict) => conflict.columns(['platform', 'workspace', 'event']).doNothing())
      .returning(['platform', 'workspace', 'event'])
      .execute()
    const fresh = new Set(rows.map((row) => JSON.stringify([row.platform, row.workspace, row.event])))
    // Of two with one id in one group only the first was written.
    const received = events.filter(({ platform, workspace, id }) =>
      fresh.delete(JSON.stringify([platform, workspace, id])),
    )
    if (received.length > 0) await meet(tx, received, now)
    return received
  }
  // A platform waits for it.
  return first(() => transact(db, write))
}

function rowOf(event: Event, now: number) {
  return {
    platform: event.platform,
    workspace: event.workspace,
    event: event.id,
    conversation: event.conversation,
    type: event.type,
    message: 'message' in event ? event.message : null,
    body: toJson(event),
    state: 'received' as const,
    answer: null,
    error: null,
    received_at: now,
  }
}

/** The conversation's oldest event that is not handled. */
export async function nextReceived(db: Db, ref: ConversationRef): Promise<Received | undefined> {
  const row = await db
    .selectFrom('inbox')
    .selectAll()
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', '=', ref.conversation)
    .where('state', '<>', HANDLED)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : receivedOf(row)
}

/** Every conversation with an event that is not handled. */
export async function unhandledConversations(db: Db): Promise<ConversationRef[]> {
  return db
    .selectFrom('inbox')
    .select(['platform', 'workspace', 'conversation'])
    .distinct()
    .where('state', '<>', HANDLED)
    .execute()
}

/** The edits and deletions of a message that wait behind it. */
export async function pendingChanges(
  db: Db,
  ref: WorkspaceRef,
  message: string,
): Promise<EventOf<'edit' | 'deletion'>[]> {
  const rows = await db
    .selectFrom('inbox')
    .select('body')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .where('type', 'in', ['edit', 'deletion'])
    .where('state', '<>', HANDLED)
    .execute()
  return rows.map((row) => fromJson(row.body) as EventOf<'edit' | 'deletion'>)
}

/** What a person has pressed last under a message, of what still waits, before this press; undefined where nothing does. */
export async function waitingPress(db: Db, press: EventOf<'button'>): Promise<EventOf<'button'>['value'] | undefined> {
  const { platform, workspace, message } = press
  const rows = await db
    .selectFrom('inbox')
    .select('body')
    .where((on) => on.and({ platform, workspace, message, type: 'button' }))
    .where('state', '<>', HANDLED)
    .where('event', '<>', press.id)
    .orderBy('seq')
    .execute()
  const presses = rows.map((row) => fromJson(row.body) as EventOf<'button'>)
  return presses.findLast(({ person }) => person.id === press.person.id)?.value
}

/**
 * The event's work is done, in this transaction; what is left is to show the answer. Returns false where that was so
 * already, or nobody waits for it any more.
 */
export async function setAnswering(
  db: Db,
  seq: number,
  answer: string | null,
  error: string | null = null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('inbox')
    .set({ state: 'answering', answer, error })
    .where('seq', '=', seq)
    .where('state', '=', 'received')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Whether an event's work is still to be done: not where its person had it forgotten meanwhile, or the bot has left.
 * Ask in the transaction that writes what it says.
 */
export async function isWanted(db: Db, seq: number): Promise<boolean> {
  const waiting = db.selectFrom('inbox').select('seq').where('seq', '=', seq).where('state', '=', 'received')
  return (await waiting.executeTakeFirst()) !== undefined
}

/** What the event said is where it belongs by now; only its key stays, against duplicates. */
export async function setHandled(db: Db, seq: number): Promise<void> {
  await db.updateTable('inbox').set({ state: 'handled', answer: null, body: '' }).where('seq', '=', seq).execute()
}

/** Gives an event up, and says why. What it said and what it was answered is not kept. */
export async function setFailed(db: Db, seq: number, error: string): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ state: 'handled', error, answer: null, body: '' })
    .where('seq', '=', seq)
    .execute()
}

function receivedOf(row: Row<'inbox'>): Received {
  return {
    seq: row.seq,
    event: fromJson(row.body),
    state: row.state === 'answering' ? 'answering' : 'received',
    answer: row.answer,
    error: row.error,
  }
}

/** The workspaces that the bot was let into by an event whose id begins so. */
export async function joinedBy(db: Db, platform: string, beginning: string): Promise<string[]> {
  const rows = await db
    .selectFrom('inbox')
    .select('workspace')
    .distinct()
    .where('platform', '=', platform)
    // Written out, as in the index.
    .where('type', '=', sql.lit('joined' as const))
    .where('event', 'like', `${beginning}%`)
    .execute()
  return rows.map(({ workspace }) => workspace)
}

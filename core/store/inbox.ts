import type { ConversationRef } from '../stream/outlet.ts'
import type { Event, WorkspaceRef } from '../types.ts'
import { fromJson, toJson } from './codec.ts'
import type { Db, Row } from './schema.ts'
import { transact } from './transact.ts'
import { meet } from './workspaces.ts'

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

/** Makes an event durable. Returns false for one that was received before. */
export async function receive(db: Db, event: Event, now: number): Promise<boolean> {
  return transact(db, async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('inbox')
      .values({
        platform: event.platform,
        workspace: event.workspace,
        event: event.id,
        conversation: event.conversation,
        type: event.type,
        message: 'message' in event ? event.message : null,
        body: toJson(event),
        state: 'received',
        answer: null,
        error: null,
        received_at: now,
      })
      .onConflict((conflict) => conflict.columns(['platform', 'workspace', 'event']).doNothing())
      .executeTakeFirst()
    const fresh = numInsertedOrUpdatedRows === 1n
    if (fresh) await meet(tx, event, now)
    return fresh
  })
}

/** The conversation's oldest event that is not handled. */
export async function nextReceived(db: Db, ref: ConversationRef): Promise<Received | undefined> {
  const row = await db
    .selectFrom('inbox')
    .selectAll()
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', '=', ref.conversation)
    .where('state', '<>', 'handled')
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
    .where('state', '<>', 'handled')
    .execute()
}

/** Whether a message that waits to be answered was deleted (null) or reworded meanwhile; undefined when neither. */
export async function pendingText(db: Db, ref: WorkspaceRef, message: string): Promise<string | null | undefined> {
  const rows = await db
    .selectFrom('inbox')
    .select('body')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .where('type', 'in', ['edit', 'deletion'])
    .where('state', '<>', 'handled')
    .execute()
  const changes = rows.map((row) => fromJson(row.body)).sort((a, b) => a.at - b.at)
  if (changes.some((change) => change.type === 'deletion')) return null
  const last = changes.at(-1)
  return last?.type === 'edit' ? last.text : undefined
}

/** The event's work is done, in this transaction; what is left is to show the answer. Once only. */
export async function setAnswering(db: Db, seq: number, answer: string | null, error: string | null = null) {
  await db
    .updateTable('inbox')
    .set({ state: 'answering', answer, error })
    .where('seq', '=', seq)
    .where('state', '=', 'received')
    .execute()
}

/** What the event said is where it belongs by now; only its key stays, against duplicates. */
export async function setHandled(db: Db, seq: number): Promise<void> {
  await db.updateTable('inbox').set({ state: 'handled', answer: null, body: '' }).where('seq', '=', seq).execute()
}

/** Gives an event up, and says why. */
export async function setFailed(db: Db, seq: number, error: string): Promise<void> {
  await db.updateTable('inbox').set({ state: 'handled', error }).where('seq', '=', seq).execute()
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

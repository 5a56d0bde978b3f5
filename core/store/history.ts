import type { ConversationRef } from '../stream/outlet.ts'
import type { ChatMessage, EventOf, WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/** Puts a person's message into the history, unless it was deleted. */
export async function recordMessage(db: Db, event: EventOf<'message'>, text: string, position: number): Promise<void> {
  await db
    .insertInto('messages')
    .values({ ...keyOf(event, event.message), role: 'user', person: event.person.id, text, position, edited_at: null })
    .onConflict((conflict) => conflict.columns(['platform', 'workspace', 'message']).doUpdateSet({ text, position }))
    .execute()
}

/** Puts the bot's reply into the history, right after the message at `position` that it answers. */
export async function recordReply(
  db: Db,
  ref: ConversationRef,
  turn: string,
  text: string,
  position: number,
): Promise<void> {
  await db
    .insertInto('messages')
    .values({ ...keyOf(ref, turn), role: 'assistant', person: null, text, position, edited_at: null })
    .execute()
}

/** What is known of a message, from the message itself or from an edit or deletion that came before it. */
export async function findMessage(db: Db, ref: WorkspaceRef, message: string) {
  return db
    .selectFrom('messages')
    .select(['role', 'person', 'text', 'position', 'edited_at as editedAt'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .executeTakeFirst()
}

/**
 * The newest wording counts, in whatever order edits arrive, and a deletion (null) is for good.
 * Returns whether this is the newest.
 */
export async function changeMessage(
  db: Db,
  event: EventOf<'edit' | 'deletion'>,
  message: string,
  text: string | null,
): Promise<boolean> {
  const about = { ...keyOf(event, message), role: 'user' as const, person: event.person.id, position: null }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('messages')
    .values({ ...about, text, edited_at: event.at })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'workspace', 'message'])
        .doUpdateSet({ text, edited_at: event.at })
        .where((eb) => {
          const later = eb.or([eb('messages.edited_at', 'is', null), eb('messages.edited_at', '<=', event.at)])
          return text === null ? eb.lit(true) : eb.and([eb('messages.text', 'is not', null), later])
        }),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** The last `limit` messages before a position, oldest first; deleted ones are gone. */
export async function history(db: Db, ref: ConversationRef, before: number, limit: number): Promise<ChatMessage[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['role', 'text'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', '=', ref.conversation)
    .where('position', '<', before)
    .where('text', 'is not', null)
    .orderBy('position', 'desc')
    // A reply shares the position of its question and comes after it.
    .orderBy('role')
    .limit(limit)
    .execute()
  return rows.reverse().map(({ role, text }) => ({ role, content: text ?? '' }))
}

function keyOf(ref: ConversationRef, message: string) {
  return { platform: ref.platform, workspace: ref.workspace, conversation: ref.conversation, message }
}

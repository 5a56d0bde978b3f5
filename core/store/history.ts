import type { ConversationRef } from '../stream/outlet.ts'
import { isLater, type Stamp } from '../stream/stamp.ts'
import type { ChatMessage, EventOf, WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

export interface KnownMessage {
  readonly role: 'user' | 'assistant'
  readonly person: string | null
  /** Null once deleted. */
  readonly text: string | null
  /** False while only an edit or deletion of it has come. */
  readonly arrived: boolean
  /** Its last edit or deletion. */
  readonly changed: Stamp | null
}

/** Puts a person's message into the history, unless it was deleted. */
export async function recordMessage(db: Db, event: EventOf<'message'>, text: string, position: number): Promise<void> {
  await db
    .insertInto('messages')
    .values({ ...keyOf(event, event.message), role: 'user', person: event.person.id, text, position, edited_at: null })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'workspace', 'message'])
        .doUpdateSet({ text, position, conversation: event.conversation, person: event.person.id })
        .where('messages.text', 'is not', null),
    )
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
export async function findMessage(db: Db, ref: WorkspaceRef, message: string): Promise<KnownMessage | undefined> {
  const row = await db
    .selectFrom('messages')
    .select(['role', 'person', 'text', 'position', 'edited_at', 'edit'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { role, person, text, position, edited_at: at, edit } = row
  return { role, person, text, arrived: position !== null, changed: at === null ? null : { at, event: edit ?? '' } }
}

/**
 * The newest wording counts, in whatever order edits arrive, and a deletion (null) is for good. Run it in a transaction.
 */
export async function changeMessage(
  db: Db,
  event: EventOf<'edit' | 'deletion'>,
  message: string,
  text: string | null,
): Promise<void> {
  const known = await findMessage(db, event, message)
  if (
    known?.changed &&
    text !== null &&
    (known.text === null || isLater(known.changed, { at: event.at, event: event.id }))
  )
    return
  const changed = { text, edited_at: event.at, edit: event.id }
  const about = { ...keyOf(event, message), role: 'user' as const, person: event.person.id, position: null }
  await db
    .insertInto('messages')
    .values({ ...about, ...changed })
    .onConflict((conflict) => conflict.columns(['platform', 'workspace', 'message']).doUpdateSet(changed))
    .execute()
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

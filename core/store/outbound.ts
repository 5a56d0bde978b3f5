import type { ConversationRef } from '../stream/outlet.ts'
import type { WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'
import { attachWaiting } from './signals.ts'

/** A reply that is written and not delivered yet. */
export async function recordPending(db: Db, ref: ConversationRef, turn: string): Promise<void> {
  const { platform, workspace, conversation } = ref
  await db
    .insertInto('outbound')
    .values({ platform, workspace, conversation, turn, chunk: 0, message: null, state: 'pending' })
    .execute()
}

/**
 * Which messages carry the reply, in order, and since when it can be read. What was said about them before this was
 * known finds its turn now. Run it in a transaction.
 */
export async function recordSent(
  db: Db,
  ref: ConversationRef,
  turn: string,
  messages: readonly string[],
  visibleAt: number,
): Promise<void> {
  const { platform, workspace, conversation } = ref
  await db.deleteFrom('outbound').where('turn', '=', turn).execute()
  const sent = { platform, workspace, conversation, turn, state: 'sent' as const }
  if (messages.length > 0) {
    await db
      .insertInto('outbound')
      .values(messages.map((message, chunk) => ({ ...sent, message, chunk })))
      .execute()
  }
  const { kind } = await db
    .updateTable('turns')
    .set({ visible_at: visibleAt })
    .where('id', '=', turn)
    .returning('kind')
    .executeTakeFirstOrThrow()
  if (kind === 'main' && messages.length > 0) await attachWaiting(db, ref, turn, messages)
}

/** The turn whose reply a message carries. */
export async function findCarried(db: Db, ref: WorkspaceRef, message: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('outbound')
    .select('turn')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .executeTakeFirst()
  return row?.turn
}

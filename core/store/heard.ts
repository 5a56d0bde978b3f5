import type { ConversationRef } from '../stream/outlet.ts'
import type { WorkspaceRef } from '../types.ts'
import { first } from './database.ts'
import type { Db } from './schema.ts'

/** When anything was last heard from a platform; null for never. */
export async function lastHeard(db: Db, platform: string): Promise<number | null> {
  const row = await db
    .selectFrom('inbox')
    .select('received_at')
    .where('platform', '=', platform)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : Number(row.received_at)
}

/** A platform's conversations in which something was said since then, the latest first. */
export async function conversationsSince(
  db: Db,
  platform: string,
  since: number,
  limit: number,
): Promise<ConversationRef[]> {
  return db
    .selectFrom('conversations')
    .select(['platform', 'workspace', 'conversation'])
    .where('platform', '=', platform)
    .where('active_at', '>=', since)
    .orderBy('active_at', 'desc')
    .limit(limit)
    .execute()
}

/** The conversation that a reply is in; null where no reply is carried by the message. */
export async function conversationOfReply(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  message: string,
): Promise<string | null> {
  const carried = db.selectFrom('outbound').select('conversation').where('platform', '=', platform)
  // A platform waits for it.
  const row = await first(() =>
    carried.where('workspace', '=', workspace).where('message', '=', message).executeTakeFirst(),
  )
  return row?.conversation ?? null
}

/** Whether anything was heard in a conversation before. */
export async function isKnown(db: Db, { platform, workspace, conversation }: ConversationRef): Promise<boolean> {
  const known = db.selectFrom('conversations').select('conversation').where('platform', '=', platform)
  const row = await first(() =>
    known.where('workspace', '=', workspace).where('conversation', '=', conversation).executeTakeFirst(),
  )
  return row !== undefined
}

import type { ConversationRef } from '../stream/outlet.ts'
import type { ChatMessage, EventOf, WorkspaceRef } from '../types.ts'
import { findCarried } from './outbound.ts'
import type { Db } from './schema.ts'

/** What a thread hangs on, as its replies hear it, and whose words those are. */
export interface Root {
  readonly messages: readonly ChatMessage[]
  readonly people: readonly string[]
}

/** A conversation whose first message answers one of another conversation is a thread that hangs on it. */
export async function hang(db: Db, event: EventOf<'message'>, position: number): Promise<void> {
  const { platform, workspace, conversation, replyTo } = event
  if (replyTo === undefined) return
  const message = (await findCarried(db, event, replyTo)) ?? replyTo
  const inWorkspace = db.selectFrom('messages').where('platform', '=', platform).where('workspace', '=', workspace)
  const root = await inWorkspace.select('conversation').where('message', '=', message).executeTakeFirst()
  if (root === undefined || root.conversation === conversation) return
  const before = await inWorkspace
    .select('message')
    .where('conversation', '=', conversation)
    .where('position', '<', position)
    .limit(1)
    .executeTakeFirst()
  if (before !== undefined) return
  await db
    .updateTable('conversations')
    .set({ root: message })
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('conversation', '=', conversation)
    .where('root', 'is', null)
    .execute()
}

/** The message that the thread hangs on; for a reply, its question too. Nothing where it is no thread, or it is gone. */
export async function rootOf(db: Db, { platform, workspace, conversation }: ConversationRef): Promise<Root> {
  const row = await db
    .selectFrom('conversations as c')
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.platform', '=', 'c.platform')
        .onRef('m.workspace', '=', 'c.workspace')
        .onRef('m.message', '=', 'c.root'),
    )
    .leftJoin('turns as t', 't.id', 'm.message')
    .select(['m.role', 'm.text', 'm.person', 't.asked', 't.person as asker'])
    .where('c.platform', '=', platform)
    .where('c.workspace', '=', workspace)
    .where('c.conversation', '=', conversation)
    .executeTakeFirst()
  const people = [row?.person, row?.asker].filter((person) => person != null)
  if (row?.text == null) return { messages: [], people }
  const asked = row.asked ? [{ role: 'user', content: row.asked } as const] : []
  if (row.role === 'assistant' && asked.length === 0) return { messages: [], people }
  return { messages: [...asked, { role: row.role, content: row.text }], people }
}

/** Threads whose message was erased are conversations like any other. */
export async function letGo(db: Db, { platform, workspace }: WorkspaceRef): Promise<void> {
  const there = db.selectFrom('messages').select('message').where('platform', '=', platform)
  await db
    .updateTable('conversations')
    .set({ root: null })
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('root', 'is not', null)
    .where('root', 'not in', there.where('workspace', '=', workspace))
    .execute()
}

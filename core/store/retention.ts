import { sql } from 'kysely'
import type { WorkspaceRef } from '../types.ts'
import { audit } from './audit.ts'
import { fromJson } from './codec.ts'
import { eraseTurn } from './forget.ts'
import type { Db } from './schema.ts'
import { letGo } from './threads.ts'

const DAY = 24 * 3_600_000

/** Workspaces that keep what was said only for some days. `otherwise` is for those whose admins have not said. */
export async function limitedWorkspaces(
  db: Db,
  otherwise: number | null,
): Promise<{ readonly ref: WorkspaceRef; readonly days: number }[]> {
  const rows = await db.selectFrom('workspaces').select(['platform', 'workspace', 'retention_days']).execute()
  return rows.flatMap(({ platform, workspace, retention_days }) => {
    const days = retention_days ?? otherwise ?? 0
    return days > 0 ? [{ ref: { platform, workspace }, days }] : []
  })
}

/**
 * Deletes what was said more than some days ago: messages, and replies with their prompts, tokens, feedback, verdicts and
 * samples. A reply goes with the oldest message that stood in its prompt. Notes stay, which their people see and drop, and
 * so do versions. Run it in a transaction; `scrub` takes what deleted rows leave behind. Returns how much went.
 */
export async function expire(
  db: Db,
  ref: WorkspaceRef,
  days: number,
  now: number,
): Promise<{ readonly messages: number; readonly replies: number }> {
  const { platform, workspace } = ref
  const before = now - days * DAY
  const arrived = await db
    .selectFrom('inbox')
    .select((eb) => eb.fn.max('seq').as('last'))
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('received_at', '<', before)
    .executeTakeFirst()
  const last = Number(arrived?.last ?? 0)
  const gone = await db
    .deleteFrom('messages')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where((eb) =>
      eb.or([eb('position', '<=', last), eb.and([eb('position', 'is', null), eb('edited_at', '<', before)])]),
    )
    .returning(['message', 'conversation', 'text'])
    .execute()
  const old = await inWorkspace(db, ref).select('id').where('position', '<=', last).execute()
  const ids = new Set(old.map(({ id }) => id))
  for (const id of await quoting(db, ref, gone)) ids.add(id)
  for (const id of ids) await eraseTurn(db, id, null)
  await letGo(db, ref)
  // What waited so long is not answered any more.
  await db
    .updateTable('inbox')
    .set({ state: 'handled', body: '', answer: null })
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('seq', '<=', last)
    .where('state', '<>', sql.lit('handled' as const))
    .execute()
  const found = { messages: gone.length, replies: ids.size }
  if (gone.length + ids.size > 0) await audit(db, ref, null, 'expired', found, now)
  return found
}

/** Replies whose prompts hold one of the messages: in their conversations, and in the threads that hang on them. */
async function quoting(
  db: Db,
  ref: WorkspaceRef,
  gone: readonly { readonly message: string; readonly conversation: string; readonly text: string | null }[],
): Promise<string[]> {
  const texts = new Set(gone.flatMap(({ text }) => text ?? []))
  const roots = new Set(gone.map(({ message }) => message))
  const hanging = await db
    .selectFrom('conversations')
    .select(['conversation', 'root'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('root', 'is not', null)
    .execute()
  const threads = hanging.filter(({ root }) => root !== null && roots.has(root))
  const found: string[] = []
  for (const conversation of new Set([...gone, ...threads].map((row) => row.conversation))) {
    const turns = await inWorkspace(db, ref)
      .select(['id', 'request'])
      .where('conversation', '=', conversation)
      .execute()
    for (const { id, request } of turns) if (fromJson(request).some(({ content }) => texts.has(content))) found.push(id)
  }
  return found
}

function inWorkspace(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('turns').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

import { sql } from 'kysely'
import type { WorkspaceRef } from '../types.ts'
import { audit } from './audit.ts'
import { fromJson } from './codec.ts'
import { eraseTurn } from './forget.ts'
import type { Db, Row } from './schema.ts'
import { letGo } from './threads.ts'

const DAY = 24 * 3_600_000

/** A message that is deleted. */
type Gone = Pick<Row<'messages'>, 'message' | 'conversation' | 'text' | 'person'>

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
    .select('seq')
    .where('platform', '=', platform)
    .where('received_at', '<', before)
    .orderBy('received_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const last = Number(arrived?.seq ?? 0)
  const gone = await db
    .deleteFrom('messages')
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where((eb) =>
      eb.or([eb('position', '<=', last), eb.and([eb('position', 'is', null), eb('edited_at', '<', before)])]),
    )
    .returning(['message', 'conversation', 'text', 'person'])
    .execute()
  const old = await inWorkspace(db, ref).select('id').where('position', '<=', last).execute()
  const ids = new Set(old.map(({ id }) => id))
  for (const id of await quoting(db, ref, gone)) ids.add(id)
  await rememberTaught(db, ref, [...ids], gone)
  for (const id of ids) await eraseTurn(db, ref, id, null)
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

/**
 * Versions have learned from replies that go now, or rehearsed their questions. Since when that may be so is kept of
 * everyone who asked, said something about them, or was heard in their prompts: forgetting them later has to find those
 * versions.
 */
async function rememberTaught(db: Db, ref: WorkspaceRef, ids: readonly string[], gone: readonly Gone[]): Promise<void> {
  const since = new Map<string, number>()
  for (const id of ids) {
    const lessons = await db.selectFrom('samples').select(['people', 'created_at']).where('turn', '=', id).execute()
    if (lessons.length === 0) continue
    const at = Math.min(...lessons.map(({ created_at }) => Number(created_at)))
    const people = [...lessons.flatMap(({ people }) => fromJson(people)), ...(await heardBy(db, ref, id, gone))]
    for (const person of people) since.set(person, Math.min(since.get(person) ?? at, at))
  }
  for (const [person, at] of since) {
    await db
      .updateTable('people')
      .set({ taught_at: at })
      .where((on) => on.and({ platform: ref.platform, workspace: ref.workspace, person }))
      .where((on) => on.or([on('taught_at', 'is', null), on('taught_at', '>', at)]))
      .execute()
  }
}

/**
 * Whose words may have stood in a reply's prompt: the asker's, those of its conversation and of what that hangs on, and
 * those of notes.
 */
async function heardBy(db: Db, ref: WorkspaceRef, id: string, gone: readonly Gone[]): Promise<string[]> {
  const { platform, workspace } = ref
  const turn = await inWorkspace(db, ref)
    .select(['person', 'conversation', 'notes'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { conversation } = turn
  const thread = await db
    .selectFrom('conversations')
    .select('root')
    .where((on) => on.and({ platform, workspace, conversation }))
    .executeTakeFirst()
  const root = thread?.root ?? ''
  const said = await db
    .selectFrom('messages')
    .select('person')
    .where((on) => on.and({ platform, workspace }))
    .where((on) => on.or([on('conversation', '=', conversation), on('message', '=', root)]))
    .execute()
  const asked = await inWorkspace(db, ref).select('person').where('id', '=', root).execute()
  const notes = ['', ...fromJson(turn.notes).map((note) => note.id)]
  const wished = await db.selectFrom('notes').select('person').where('id', 'in', notes).execute()
  const before = gone.filter((row) => row.conversation === conversation || row.message === root)
  return [turn, ...said, ...asked, ...wished, ...before].flatMap(({ person }) => person ?? [])
}

/** Replies whose prompts hold one of the messages: in their conversations, and in the threads that hang on them. */
async function quoting(db: Db, ref: WorkspaceRef, gone: readonly Gone[]): Promise<string[]> {
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

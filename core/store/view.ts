import type { ConversationRef } from '../stream/outlet.ts'
import type { Score, WorkspaceRef } from '../types.ts'
import type { ConversationView, MessageView, ReactionView, TurnView, VersionView, WorkspaceView } from '../view.ts'
import { countReady } from './samples.ts'
import type { Db } from './schema.ts'
import { activeSignals } from './signals.ts'
import { listVersions } from './versions.ts'
import { findWorkspace, personNames } from './workspaces.ts'

/** Names of a platform's workspaces, in order. */
export async function viewWorkspaces(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('workspace')
    .where('platform', '=', platform)
    .orderBy('workspace')
    .execute()
  return rows.map((row) => row.workspace)
}

/** The workspace's conversations, the most recently active first. */
export async function viewConversations(db: Db, ref: WorkspaceRef, limit: number): Promise<ConversationView[]> {
  const rows = await db
    .selectFrom('conversations as c')
    .select((eb) => [
      'c.conversation',
      'c.active_at',
      eb
        .selectFrom('messages as m')
        .select('m.text')
        .whereRef('m.platform', '=', 'c.platform')
        .whereRef('m.workspace', '=', 'c.workspace')
        .whereRef('m.conversation', '=', 'c.conversation')
        .where('m.position', 'is not', null)
        .where('m.text', 'is not', null)
        .where('m.role', '=', 'user')
        .orderBy('m.position')
        .limit(1)
        .as('title'),
    ])
    .where('c.platform', '=', ref.platform)
    .where('c.workspace', '=', ref.workspace)
    .orderBy('c.active_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ conversation, active_at, title }) => ({
    conversation,
    title: title === null ? null : title.slice(0, 80),
    activeAt: Number(active_at),
  }))
}

/** The last messages of a conversation, oldest first; deleted ones are gone. */
export async function viewMessages(db: Db, ref: ConversationRef, limit: number): Promise<MessageView[]> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('inbox as i', 'i.seq', 'm.position')
    .leftJoin('turns as t', 't.id', 'm.message')
    .select(['m.message', 'm.role', 'm.person', 'm.text', 'm.edited_at', 'i.received_at', 't.created_at'])
    .select('t.policy_version')
    .where('m.platform', '=', ref.platform)
    .where('m.workspace', '=', ref.workspace)
    .where('m.conversation', '=', ref.conversation)
    .where('m.position', 'is not', null)
    .where('m.text', 'is not', null)
    .orderBy('m.position', 'desc')
    // A reply shares the position of its question and comes after it.
    .orderBy('m.role')
    .limit(limit)
    .execute()
  const replies = rows.flatMap((row) => (row.role === 'assistant' ? [row.message] : []))
  const reactions = await reactionsOf(db, replies)
  return rows.reverse().map((row) => ({
    message: row.message,
    role: row.role,
    person: row.person,
    text: row.text ?? '',
    at: Number(row.created_at ?? row.received_at ?? 0),
    edited: row.edited_at !== null,
    version: row.policy_version,
    reactions: reactions.get(row.message) ?? [],
  }))
}

/** How many messages each of the conversations has. */
export async function conversationLengths(
  db: Db,
  ref: WorkspaceRef,
  conversations: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (conversations.length === 0) return new Map()
  const rows = await db
    .selectFrom('messages')
    .select((eb) => ['conversation', eb.fn.countAll<number>().as('count')])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', 'in', conversations)
    .where('position', 'is not', null)
    .where('text', 'is not', null)
    .groupBy('conversation')
    .execute()
  return new Map(rows.map(({ conversation, count }) => [conversation, Number(count)]))
}

/** The workspace with its last `limit` turns and versions; one that nobody has spoken in yet is empty. */
export async function viewWorkspace(db: Db, ref: WorkspaceRef, limit: number): Promise<WorkspaceView> {
  const workspace = await findWorkspace(db, ref)
  const names = await personNames(db, ref)
  return {
    workspace: ref.workspace,
    learning: workspace === undefined || workspace.learning === 1,
    method: workspace?.method ?? null,
    serving: workspace?.serving_version ?? 0,
    waiting: await countReady(db, ref),
    people: [...names].map(([person, name]) => ({ person, name })),
    turns: await viewTurns(db, ref, limit),
    versions: (await listVersions(db, ref)).slice(0, limit).map(
      ({ version, parent, state, reason, lessons, createdAt }): VersionView => ({
        version,
        parent,
        state,
        reason,
        lessons,
        at: Number(createdAt),
      }),
    ),
  }
}

/** The workspace's last delivered turns, newest first. */
export async function viewTurns(db: Db, ref: WorkspaceRef, limit: number): Promise<TurnView[]> {
  const ids = await db
    .selectFrom('turns')
    .select('id')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('kind', '=', 'main')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()
  const turns = await findTurnViews(
    db,
    ids.map((row) => row.id),
  )
  return ids.flatMap(({ id }) => turns.get(id) ?? [])
}

export async function findTurnViews(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, TurnView>> {
  if (ids.length === 0) return new Map()
  const turns = await db
    .selectFrom('turns')
    .select(['id', 'conversation', 'person', 'asked', 'text', 'finish', 'policy_version', 'state', 'created_at'])
    .where('id', 'in', ids)
    .execute()
  const signals = new Map<string, TurnView['signals']>()
  for (const id of ids)
    signals.set(
      id,
      (await activeSignals(db, id)).map(({ type, person, content }) => ({ type, person, content })),
    )
  const verdicts = await db
    .selectFrom('verdicts')
    .select(['turn', 'score', 'weight', 'basis', 'judge', 'hint'])
    .where('turn', 'in', ids)
    // Of several the last one stays in the map.
    .orderBy('revision')
    .execute()
  const samples = await db
    .selectFrom('samples')
    .select(['turn', 'state', 'version'])
    .where('turn', 'in', ids)
    .where('state', '<>', 'withdrawn')
    .orderBy('revision')
    .execute()
  const verdict = new Map(verdicts.map(({ turn, ...row }) => [turn, { ...row, score: row.score as Score }]))
  const lesson = new Map(samples.map(({ turn, state, version }) => [turn, state === 'ready' ? 'waiting' : version]))
  return new Map(
    turns.map(({ id, policy_version, created_at, ...row }): [string, TurnView] => [
      id,
      {
        ...row,
        turn: id,
        version: policy_version,
        at: Number(created_at),
        signals: signals.get(id) ?? [],
        verdict: verdict.get(id) ?? null,
        lesson: (lesson.get(id) ?? null) as TurnView['lesson'],
      },
    ]),
  )
}

async function reactionsOf(db: Db, turns: readonly string[]): Promise<ReadonlyMap<string, readonly ReactionView[]>> {
  if (turns.length === 0) return new Map()
  const rows = await db
    .selectFrom('signals')
    .select(['turn', 'person', 'content'])
    .where('turn', 'in', turns)
    .where('type', '=', 'reaction')
    .where('active', '=', 1)
    .orderBy('at')
    .execute()
  const reactions = new Map<string, ReactionView[]>()
  for (const { turn, person, content } of rows) {
    const known = reactions.get(turn as string) ?? []
    reactions.set(turn as string, [...known, { emoji: content, person }])
  }
  return reactions
}

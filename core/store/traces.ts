import type { WorkspaceRef } from '../types.ts'
import type { Db, Row } from './schema.ts'

/** What is to be forgotten: everything of a person, or one of their exchanges. */
export interface Forgetting {
  readonly person: string
  /** The turn of the exchange; null for everything. */
  readonly turn: string | null
  /** The event that asks for it, which still needs its answer. */
  readonly asking: number
}

/** A turn that the person asked. */
export type OwnTurn = Pick<Row<'turns'>, 'id' | 'conversation' | 'position' | 'message' | 'asked'>

export async function ownTurns(db: Db, ref: WorkspaceRef, { person, turn }: Forgetting): Promise<OwnTurn[]> {
  const all = inWorkspace(db, ref).where('person', '=', person)
  return (turn === null ? all : all.where('id', '=', turn))
    .select(['id', 'conversation', 'position', 'message', 'asked'])
    .execute()
}

/** Everything the person has said that is to be forgotten, as it may stand in other turns. */
export async function wordsOf(
  db: Db,
  ref: WorkspaceRef,
  what: Forgetting,
  own: readonly OwnTurn[],
): Promise<Set<string>> {
  const messages = await messagesOf(db, ref, what, own).select('text').execute()
  const signals = await signalsOf(db, ref, what, own)
    .where('type', 'in', ['message', 'edit'])
    .select('content')
    .execute()
  const all = [
    ...messages.map(({ text }) => text ?? ''),
    ...signals.map(({ content }) => content),
    ...own.map(({ asked }) => asked),
  ]
  return new Set(all.filter((text) => text.trim() !== ''))
}

export function messagesOf(db: Db, ref: WorkspaceRef, { person, turn }: Forgetting, own: readonly OwnTurn[]) {
  const all = db
    .selectFrom('messages')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
  return turn === null ? all : all.where('message', 'in', keys(own))
}

export function signalsOf(db: Db, ref: WorkspaceRef, { person, turn }: Forgetting, own: readonly OwnTurn[]) {
  const all = db
    .selectFrom('signals')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
  return turn === null ? all : all.where('message', 'in', keys(own))
}

/** `in ()` is no SQL. */
function keys(own: readonly OwnTurn[]): string[] {
  return own.length === 0 ? [''] : own.map(({ message }) => message)
}

/**
 * Replies that had the person's words in their prompt: later ones in the same conversations and in the threads that hang
 * on them, those that asked a question of the person's once more because another had corrected its answer, and those
 * that a note of theirs was said with.
 */
export async function hearing(db: Db, ref: WorkspaceRef, what: Forgetting, own: readonly OwnTurn[]): Promise<string[]> {
  const found = new Set<string>()
  const since = new Map<string, number>()
  const spoke = await messagesOf(db, ref, what, own).select(['conversation', 'position', 'message']).execute()
  for (const { conversation, position } of [...spoke, ...own]) {
    const at = Number(position ?? 0)
    since.set(conversation, Math.min(since.get(conversation) ?? at, at))
  }
  for (const [conversation, position] of since) {
    const later = await inWorkspace(db, ref)
      .select('id')
      .where('conversation', '=', conversation)
      .where('position', '>=', position)
      .execute()
    for (const { id } of later) found.add(id)
  }
  const open = [...found, ...own.map(({ id }) => id), ...spoke.map(({ message }) => message)]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const about = db.selectFrom('signals').select('message').where('turn', '=', id)
    const threads = db
      .selectFrom('conversations')
      .select('conversation')
      .where('platform', '=', ref.platform)
      .where('workspace', '=', ref.workspace)
      .where('root', '=', id)
    const next = await inWorkspace(db, ref)
      .select('id')
      .where((eb) => eb.or([eb('message', 'in', about), eb('conversation', 'in', threads)]))
      .execute()
    for (const turn of next) {
      if (found.has(turn.id)) continue
      found.add(turn.id)
      open.push(turn.id)
    }
  }
  if (what.turn !== null) return [...found]
  const shared = await inNotes(db, ref).where('person', '=', what.person).where('shared', '=', 1).select('id').execute()
  for (const { id } of shared) {
    const said = await inWorkspace(db, ref).select('id').where('notes', 'like', `%${id}%`).execute()
    for (const turn of said) found.add(turn.id)
  }
  return [...found]
}

function inWorkspace(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('turns').where('turns.platform', '=', ref.platform).where('turns.workspace', '=', ref.workspace)
}

function inNotes(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('notes').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

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

/** A note that is to go. */
export interface OwnNote {
  readonly id: string
  readonly person: string
  /** Whose feedback it came from. */
  readonly turn: string
  readonly shared: boolean
  /** The first verdict that it may have come from, in milliseconds since the epoch. */
  readonly since: number
}

/** The person's notes that are to be forgotten: all, or those that came from the exchange or from what it said. */
export async function notesOf(
  db: Db,
  ref: WorkspaceRef,
  { person, turn }: Forgetting,
  from: readonly string[],
): Promise<OwnNote[]> {
  const all = inNotes(db, ref).where('person', '=', person)
  const rows = await (turn === null ? all : all.where('turn', 'in', ['', ...from])).select('id').execute()
  return found(
    db,
    rows.map(({ id }) => id),
  )
}

async function found(db: Db, ids: readonly string[]): Promise<OwnNote[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('notes')
    .select(['id', 'person', 'turn', 'shared', 'at'])
    .select((eb) =>
      eb
        .selectFrom('verdicts as v')
        .select((of) => of.fn.min('v.created_at').as('since'))
        .whereRef('v.turn', '=', 'notes.turn')
        .as('since'),
    )
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ shared, at, since, ...note }) => ({ ...note, shared: shared === 1, since: Number(since ?? at) }))
}

/**
 * Turns whose lessons the notes may have taught: a teacher's prompt holds what the weights have learned as well, which
 * no served prompt says any more.
 */
export async function taughtBy(db: Db, ref: WorkspaceRef, notes: readonly OwnNote[]): Promise<string[]> {
  if (notes.length === 0) return []
  const taught = db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .select('t.id')
    .distinct()
    .where('s.platform', '=', ref.platform)
    .where('s.workspace', '=', ref.workspace)
    .where('s.teacher_prompt_ids', 'is not', null)
    .where('s.created_at', '>=', Math.min(...notes.map(({ since }) => since)))
  const [people, turns] = [notes.map(({ person }) => person), notes.map(({ turn }) => turn)]
  const rows = await (notes.some(({ shared }) => shared)
    ? taught
    : taught.where((on) => on.or([on('t.person', 'in', people), on('t.id', 'in', turns)]))
  ).execute()
  return rows.map(({ id }) => id)
}

/**
 * Notes whose person wishes otherwise by now are taught no more, neither by what waits nor by what is learned from again.
 * What else such lessons would have taught, rehearsal does. Run it in a transaction, while they are there.
 */
export async function stopTeaching(db: Db, ref: WorkspaceRef, notes: readonly string[]): Promise<void> {
  const gone = await found(db, notes)
  const turns = await taughtBy(db, ref, gone)
  if (turns.length === 0) return
  await db
    .updateTable('samples')
    .set({ teacher_prompt_ids: null })
    .where('turn', 'in', turns)
    .where('created_at', '>=', Math.min(...gone.map(({ since }) => since)))
    .execute()
}

/**
 * Replies that had the person's words in their prompt: later ones in the same conversations and in the threads that hang
 * on them, those that asked a question of the person's once more because another had corrected its answer, and those
 * that a note of theirs was said with.
 */
export async function hearing(
  db: Db,
  ref: WorkspaceRef,
  what: Forgetting,
  own: readonly OwnTurn[],
  notes: readonly OwnNote[],
): Promise<string[]> {
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
  for (const { id } of notes) {
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

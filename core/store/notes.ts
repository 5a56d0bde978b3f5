import { createHash } from 'node:crypto'
import { conflicts, direction, type KeptNote, notesFor, standing } from '../memory/notes.ts'
import type { Hint, PolicyRef, WorkspaceRef } from '../types.ts'
import { optedOut } from './consent.ts'
import type { Db, Row } from './schema.ts'
import { stopTeaching } from './traces.ts'

/** Versions in a row that have to do without a note before it is retired. */
const HELD_TO_RETIRE = 2

/** All notes of the workspace that stand, retired ones included, oldest first. */
export async function workspaceNotes(db: Db, ref: WorkspaceRef): Promise<KeptNote[]> {
  const rows = await inWorkspace(db, ref)
    .where('state', 'in', ['active', 'retired'])
    .selectAll()
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(noteOf)
}

/** What the teacher's prompt holds for a person: their notes and the workspace's, oldest first. */
export async function taughtNotes(db: Db, ref: WorkspaceRef, person: string): Promise<KeptNote[]> {
  return notesFor(person, await workspaceNotes(db, ref))
}

/** What the served prompt holds for a person: of those, what the weights have not learned yet. */
export async function activeNotes(db: Db, ref: WorkspaceRef, person: string): Promise<KeptNote[]> {
  return (await taughtNotes(db, ref, person)).filter((note) => !note.retired)
}

/** What people disagree about, and so these weights leave alone. A person's own weights have nobody to disagree with. */
export async function contestedGroups(db: Db, ref: PolicyRef): Promise<string[]> {
  return ref.scope === undefined ? conflicts(await workspaceNotes(db, ref)).map(({ group }) => group) : []
}

export interface NewNote {
  readonly person: string
  readonly hint: Hint
  readonly group: string | null
  /** When its words were said. */
  readonly at: number
}

/**
 * What the person's feedback on one turn is remembered as: this note, or nothing. What an earlier verdict on that turn
 * left is dropped, unless it has become the workspace's or its person has opted out since; what the person has forgotten
 * stays forgotten. Run it in a transaction. Returns whether there is a new note.
 */
export async function noteFromTurn(db: Db, ref: WorkspaceRef, turn: string, note: NewNote | null): Promise<boolean> {
  const id = note === null ? '' : noteId(turn, note)
  const before = await db
    .selectFrom('notes')
    .select(['id', 'person'])
    .where('turn', '=', turn)
    .where('id', '<>', id)
    .where('state', '<>', 'removed')
    .where('shared', '=', 0)
    .execute()
  const silent =
    before.length === 0
      ? new Set()
      : await optedOut(
          db,
          ref,
          before.map(({ person }) => person),
        )
  const dropped = before.filter(({ person }) => !silent.has(person))
  if (dropped.length > 0) {
    const ids = dropped.map((row) => row.id)
    await stopTeaching(db, ref, ids)
    await db.deleteFrom('notes').where('id', 'in', ids).execute()
  }
  let fresh = false
  if (note !== null) {
    const { hint, ...rest } = note
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('notes')
      .values({ ...key(ref), ...rest, id, turn, text: hint.text, wish: hint.wish, state: 'active' })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    fresh = numInsertedOrUpdatedRows === 1n
  }
  const people = new Set([...dropped.map((row) => row.person), ...(fresh && note !== null ? [note.person] : [])])
  for (const person of people) await settle(db, ref, person)
  return fresh
}

/** What became of the note that a turn left. */
export async function noteOfTurn(db: Db, turn: string) {
  return db
    .selectFrom('notes')
    .select(['person', 'text', 'state'])
    .where('turn', '=', turn)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Forgets a note, with those it had replaced. Run it in a transaction. */
export async function forgetNote(db: Db, ref: WorkspaceRef, note: KeptNote): Promise<void> {
  const { shared, person } = note
  const forgotten = db
    .updateTable('notes')
    .set({ state: 'removed' })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('shared', '=', shared ? 1 : 0)
  const rows = await (shared ? forgotten : forgotten.where('person', '=', person))
    .where((eb) => eb.or([eb('text', '=', note.text), ...(note.group === null ? [] : [eb('group', '=', note.group)])]))
    .returning('id')
    .execute()
  await stopTeaching(
    db,
    ref,
    rows.map(({ id }) => id),
  )
  await settle(db, ref, note.shared ? null : note.person)
}

/** Makes a person's note the workspace's. Run it in a transaction. */
export async function shareNote(db: Db, ref: WorkspaceRef, note: KeptNote): Promise<void> {
  await db.updateTable('notes').set({ shared: 1, checked: 0, held: 0 }).where('id', '=', note.id).execute()
  await settle(db, ref, note.person)
  await settle(db, ref, null)
}

/** A note that stands in prompts and has not been compared with the replies of the served version yet. */
export async function uncheckedNote(db: Db, ref: PolicyRef, version: number): Promise<KeptNote | null> {
  const open = inWorkspace(db, ref).where('state', '=', 'active').where('checked', '<>', version)
  const row = await (ref.scope === undefined ? open : open.where('person', '=', ref.scope).where('shared', '=', 0))
    .selectAll()
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : noteOf(row)
}

/** Records whether a version's replies without the note were as good as with it. Run it in a transaction. */
export async function recordCheck(db: Db, id: string, version: number, held: boolean): Promise<void> {
  const note = await db
    .updateTable('notes')
    .set((eb) => ({ checked: version, held: held ? eb('held', '+', 1) : 0 }))
    .where('id', '=', id)
    .where('state', '=', 'active')
    .returningAll()
    .executeTakeFirst()
  if (note !== undefined) await settle(db, note, note.shared === 1 ? null : note.person)
}

/**
 * Notes that only versions outside the line have learned stand in prompts again, and what such versions could do without
 * counts no longer. Run it in a transaction.
 */
export async function bringBackNotes(db: Db, ref: PolicyRef, line: readonly number[]): Promise<void> {
  const held = await inWorkspace(db, ref)
    .where('state', 'in', ['active', 'retired'])
    .where('held', '>', 0)
    .where('checked', 'not in', [0, ...line])
    .selectAll()
    .execute()
  for (const note of held) {
    if (ref.scope !== undefined && ref.scope !== note.person) continue
    await db.updateTable('notes').set({ checked: 0, held: 0 }).where('id', '=', note.id).execute()
    await settle(db, ref, note.shared === 1 ? null : note.person)
  }
}

/** Writes down which notes of a person, or of the workspace (null), stand. Run it in a transaction. */
export async function settle(db: Db, ref: WorkspaceRef, person: string | null): Promise<void> {
  const rows = await (person === null
    ? inWorkspace(db, ref).where('shared', '=', 1)
    : inWorkspace(db, ref).where('shared', '=', 0).where('person', '=', person)
  )
    .where('state', '<>', 'removed')
    .selectAll()
    .execute()
  const stands = standing(rows)
  const kept = new Set(stands.map((note) => note.id))
  const contradicted: string[] = []
  for (const row of rows) {
    const state = !kept.has(row.id) ? 'replaced' : row.held >= HELD_TO_RETIRE ? 'retired' : 'active'
    if (row.state === state) continue
    await db.updateTable('notes').set({ state }).where('id', '=', row.id).execute()
    const newer = row.group === null ? undefined : stands.find(({ group }) => group === row.group)
    if (state === 'replaced' && newer !== undefined && direction(newer) !== direction(row)) contradicted.push(row.id)
  }
  await stopTeaching(db, ref, contradicted)
}

function inWorkspace(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('notes').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

function noteOf({ id, text, group, at, person, wish, shared, state }: Row<'notes'>): KeptNote {
  return { id, text, group, at, person, wish, shared: shared === 1, retired: state === 'retired' }
}

function key(ref: WorkspaceRef) {
  return { platform: ref.platform, workspace: ref.workspace }
}

function noteId(turn: string, note: NewNote): string {
  const about = JSON.stringify([turn, note.person, note.hint.text])
  return createHash('sha256').update(about).digest('base64url').slice(0, 22)
}

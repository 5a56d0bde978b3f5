import { createHash } from 'node:crypto'
import { type MemoryNote, standing } from '../memory/notes.ts'
import type { Hint, WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/** The person's active notes, oldest first. */
export async function activeNotes(db: Db, ref: WorkspaceRef, person: string): Promise<MemoryNote[]> {
  return notesOf(db, ref, person)
    .where('state', '=', 'active')
    .select(['id', 'text', 'group', 'at'])
    .orderBy('at')
    .orderBy('id')
    .execute()
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
 * left is dropped; what the person has forgotten stays forgotten. Run it in a transaction.
 * Returns whether there is a new note.
 */
export async function noteFromTurn(db: Db, ref: WorkspaceRef, turn: string, note: NewNote | null): Promise<boolean> {
  const id = note === null ? '' : noteId(turn, note)
  const dropped = await db
    .deleteFrom('notes')
    .where('turn', '=', turn)
    .where('id', '<>', id)
    .where('state', '<>', 'removed')
    .returning('person')
    .execute()
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
  return db.selectFrom('notes').select(['text', 'state']).where('turn', '=', turn).limit(1).executeTakeFirst()
}

/** Forgets a note, with those it had replaced. Run it in a transaction. */
export async function forgetNote(db: Db, ref: WorkspaceRef, person: string, note: MemoryNote): Promise<void> {
  await db
    .updateTable('notes')
    .set({ state: 'removed' })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
    .where((eb) => eb.or([eb('text', '=', note.text), ...(note.group === null ? [] : [eb('group', '=', note.group)])]))
    .execute()
  await settle(db, ref, person)
}

/** Writes down which of a person's notes stand. */
async function settle(db: Db, ref: WorkspaceRef, person: string): Promise<void> {
  const kept = await notesOf(db, ref, person)
    .where('state', '<>', 'removed')
    .select(['id', 'text', 'group', 'at', 'state'])
    .execute()
  const active = new Set(standing(kept).map((note) => note.id))
  for (const note of kept) {
    const state = active.has(note.id) ? 'active' : 'replaced'
    if (note.state !== state) await db.updateTable('notes').set({ state }).where('id', '=', note.id).execute()
  }
}

function notesOf(db: Db, ref: WorkspaceRef, person: string) {
  return db
    .selectFrom('notes')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('person', '=', person)
}

function key(ref: WorkspaceRef) {
  return { platform: ref.platform, workspace: ref.workspace }
}

function noteId(turn: string, note: NewNote): string {
  const about = JSON.stringify([turn, note.person, note.hint.text])
  return createHash('sha256').update(about).digest('base64url').slice(0, 22)
}

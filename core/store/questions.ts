import { notesFor } from '../memory/notes.ts'
import type { ChatMessage, PolicyRef } from '../types.ts'
import { fromJson, unpackIds } from './codec.ts'
import { contestedGroups, workspaceNotes } from './notes.ts'
import type { Db } from './schema.ts'

/** A question already asked, for rehearsal without a person. */
export interface Question {
  /** The asker. */
  readonly person: string
  /** The request without notes; `promptIds` is its template. */
  readonly request: readonly ChatMessage[]
  readonly promptIds: readonly number[]
  /** The notes that the asker's teacher follows today, oldest first; none that are contested. */
  readonly notes: readonly string[]
}

/** The newest `limit` training prompts, each once, newest first; none of people who opted out. */
export async function recentQuestions(db: Db, ref: PolicyRef, limit: number): Promise<Question[]> {
  const rows = await db
    .selectFrom('samples as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .leftJoin('people as p', (join) =>
      join
        .onRef('p.platform', '=', 't.platform')
        .onRef('p.workspace', '=', 't.workspace')
        .onRef('p.person', '=', 't.person'),
    )
    .where('s.platform', '=', ref.platform)
    .where('s.workspace', '=', ref.workspace)
    .where('s.scope', '=', ref.scope ?? '')
    .where('s.state', '<>', 'withdrawn')
    .where((eb) => eb.or([eb('p.opted_out', 'is', null), eb('p.opted_out', '=', 0)]))
    .select((eb) => ['s.prompt_ids', 't.person', 't.request', eb.fn.max('s.created_at').as('newest')])
    .groupBy(['s.prompt_ids', 't.person', 't.request'])
    .orderBy('newest', 'desc')
    .limit(limit)
    .execute()
  const contested = await contestedGroups(db, ref)
  const notes = (await workspaceNotes(db, ref)).filter(({ group }) => group === null || !contested.includes(group))
  return rows.map((row) => ({
    person: row.person,
    request: fromJson(row.request),
    promptIds: unpackIds(row.prompt_ids),
    notes: notesFor(row.person, notes).map((note) => note.text),
  }))
}

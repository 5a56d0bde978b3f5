import type { ChatMessage, WorkspaceRef } from '../types.ts'
import { audit } from './audit.ts'
import { fromJson, toJson } from './codec.ts'
import { closeDelivery } from './deliveries.ts'
import { settle } from './notes.ts'
import type { Db } from './schema.ts'
import { letGo } from './threads.ts'
import {
  type Forgetting,
  hearing,
  messagesOf,
  notesOf,
  type OwnNote,
  type OwnTurn,
  ownTurns,
  signalsOf,
  taughtBy,
  wordsOf,
} from './traces.ts'
import { type ErasedSample, type Unlearned, unlearn } from './unlearn.ts'

export interface Forgotten extends Unlearned {
  readonly messages: number
  readonly replies: number
  readonly notes: number
}

/**
 * Erases, in the caller's transaction: the person's messages and the replies to them, their feedback wherever they gave
 * it and what was made of it, their notes, their name. Replies to others that had their words in the prompt keep only
 * their own question; those are judged again, and learned again, from what remains.
 */
export async function forget(db: Db, ref: WorkspaceRef, what: Forgetting, now: number): Promise<Forgotten> {
  const { person, turn } = what
  const own = await ownTurns(db, ref, what)
  const ids = new Set(own.map(({ id }) => id))
  const words = await wordsOf(db, ref, what, own)
  const judged = (await signalsOf(db, ref, what, own).select('turn').distinct().execute())
    .flatMap((row) => row.turn ?? [])
    .filter((id) => !ids.has(id))
  const notes = await notesOf(db, ref, what, [...ids, ...judged])
  const heard = (await hearing(db, ref, what, own, notes)).filter((id) => !ids.has(id))
  const taught = (await taughtBy(db, ref, notes)).filter((id) => !ids.has(id))

  const erased = await rehearsed(db, ref, what, notes)
  for (const { id } of own) erased.push(...(await eraseTurn(db, ref, id, person)))
  const signals = signalsOf(db, ref, what, own).select('id')
  await db.deleteFrom('signals').where('id', 'in', signals).execute()
  const gone = new Set(notes.map(({ id }) => id))
  if (gone.size > 0) {
    await db
      .deleteFrom('notes')
      .where('id', 'in', [...gone])
      .execute()
  }
  for (const id of new Set([...heard, ...judged, ...taught])) {
    const touched = { judged: judged.includes(id), heard: heard.includes(id) }
    erased.push(...(await cleanTurn(db, ref, id, person, words, gone, touched)))
  }
  const messages = await eraseMessages(db, ref, what, own)
  await letGo(db, ref)
  if (turn === null) {
    erased.push(...(await taughtBefore(db, ref, person)))
    await erasePerson(db, ref, what)
  }
  await settle(db, ref, person)
  await settle(db, ref, null)

  const unlearned = await unlearn(db, ref, erased)
  if (turn === null) await anonymise(db, ref, person)
  const forgotten = { messages, replies: own.length, notes: notes.length, ...unlearned }
  await audit(db, ref, null, 'forgotten', { replies: own.length, dropped: unlearned.dropped }, now)
  return forgotten
}

/**
 * Deletes a turn with all that hangs on it, the person's notes included. Where another note came from it, an empty husk
 * stays for that.
 */
export async function eraseTurn(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  id: string,
  person: string | null,
): Promise<ErasedSample[]> {
  const samples = await eraseSamples(db, id)
  if (person !== null) await db.deleteFrom('notes').where('turn', '=', id).where('person', '=', person).execute()
  await db.deleteFrom('verdicts').where('turn', '=', id).execute()
  await db.deleteFrom('signals').where('turn', '=', id).execute()
  await db.deleteFrom('outbound').where('turn', '=', id).execute()
  await db.deleteFrom('judging').where('turn', '=', id).execute()
  await db
    .deleteFrom('messages')
    .where((on) => on.and({ platform, workspace, message: id, role: 'assistant' }))
    .execute()
  const needed = await db.selectFrom('notes').select('id').where('turn', '=', id).limit(1).executeTakeFirst()
  if (needed === undefined) await db.deleteFrom('turns').where('id', '=', id).execute()
  else await db.updateTable('turns').set(HUSK).where('id', '=', id).execute()
  return samples
}

const NOTHING = new Uint8Array()
const HUSK = {
  person: '',
  conversation: '',
  kind: 'side',
  state: 'judged',
  message: '',
  asked: '',
  request: '[]',
  notes: '[]',
  prompt_ids: NOTHING,
  response_ids: NOTHING,
  logprobs: NOTHING,
  text: '',
  evidence: 0,
  judged: 0,
} as const

/** While it waited, a lesson may have been rehearsed in either of the weights that would have learned it. */
async function eraseSamples(db: Db, turn: string): Promise<ErasedSample[]> {
  const row = await db.selectFrom('turns').select('person').where('id', '=', turn).executeTakeFirst()
  const rows = await db.deleteFrom('samples').where('turn', '=', turn).returning('created_at').execute()
  return rows.flatMap(({ created_at }) => ['', row?.person ?? ''].map((scope) => ({ scope, at: Number(created_at) })))
}

/**
 * Takes a person's words and feedback out of another's turn, which is then judged again. A reply to a question that was
 * the person's goes as a whole.
 */
async function cleanTurn(
  db: Db,
  ref: WorkspaceRef,
  id: string,
  person: string,
  words: ReadonlySet<string>,
  notes: ReadonlySet<string>,
  touched: { readonly judged: boolean; readonly heard: boolean },
): Promise<ErasedSample[]> {
  const row = await db
    .selectFrom('turns')
    .select(['request', 'notes', 'evidence', 'judged'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return []
  const question = fromJson(row.request).findLast(({ role }) => role === 'user')
  if (question !== undefined && words.has(question.content)) return eraseTurn(db, ref, id, person)
  const samples = await eraseSamples(db, id)
  if (touched.judged) await db.deleteFrom('verdicts').where('turn', '=', id).execute()
  await db.deleteFrom('judging').where('turn', '=', id).execute()
  const request: ChatMessage[] = question === undefined ? [] : [question]
  const rest = fromJson(row.notes).filter((note) => !notes.has(note.id))
  const said = row.evidence > 0
  await db
    .updateTable('turns')
    .set({
      judged: row.judged,
      ...(touched.heard ? { request: toJson(request), notes: toJson(rest), prompt_ids: NOTHING } : {}),
      ...(said ? { evidence: row.evidence + 1, state: 'closed' as const } : {}),
    })
    .where('id', '=', id)
    .execute()
  return samples
}

/** Weights that may have rehearsed by the notes, even where no lesson says so: of everyone where one was everybody's. */
async function rehearsed(
  db: Db,
  ref: WorkspaceRef,
  { person, turn }: Forgetting,
  notes: readonly OwnNote[],
): Promise<ErasedSample[]> {
  const own = turn === null ? [] : ['', person]
  const rows = notes.some(({ shared }) => shared)
    ? await db
        .selectFrom('versions')
        .select('scope')
        .distinct()
        .where('platform', '=', ref.platform)
        .where('workspace', '=', ref.workspace)
        .execute()
    : []
  const all = rows.map(({ scope }) => scope)
  return notes.flatMap(({ shared, since }) => (shared ? all : own).map((scope) => ({ scope, at: since })))
}

async function eraseMessages(db: Db, ref: WorkspaceRef, what: Forgetting, own: readonly OwnTurn[]): Promise<number> {
  const rows = await messagesOf(db, ref, what, own).select('message').execute()
  for (const { message } of rows) {
    await db
      .deleteFrom('messages')
      .where('platform', '=', ref.platform)
      .where('workspace', '=', ref.workspace)
      .where('message', '=', message)
      .execute()
  }
  return rows.length
}

/** Lessons that retention has deleted and versions may still have learned from. */
async function taughtBefore(db: Db, ref: WorkspaceRef, person: string): Promise<ErasedSample[]> {
  const { platform, workspace } = ref
  const row = await db
    .selectFrom('people')
    .select('taught_at')
    .where((on) => on.and({ platform, workspace, person }))
    .executeTakeFirst()
  return row?.taught_at == null ? [] : ['', person].map((scope) => ({ scope, at: Number(row.taught_at) }))
}

/** What waits in the inbox, and who it was. That someone opted out stays, for it still holds. */
async function erasePerson(db: Db, ref: WorkspaceRef, { person, asking }: Forgetting): Promise<void> {
  const waiting = await db
    .selectFrom('inbox')
    .select(['seq', 'body'])
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('state', 'in', ['received', 'answering'])
    .where('seq', '<>', asking)
    .execute()
  for (const { seq, body } of waiting) {
    if (fromJson(body).person.id !== person) continue
    await db.updateTable('inbox').set({ state: 'handled', body: '', answer: null }).where('seq', '=', seq).execute()
    await closeDelivery(db, seq)
  }
  const people = { platform: ref.platform, workspace: ref.workspace, person }
  await db
    .deleteFrom('people')
    .where((eb) => eb.and({ ...people, opted_out: 0 }))
    .execute()
  await db
    .updateTable('people')
    .set({ name: null, taught_at: null })
    .where((eb) => eb.and(people))
    .execute()
  await db
    .deleteFrom('conversations')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('conversation', 'not in', (eb) =>
      eb
        .selectFrom('messages')
        .select('conversation')
        .where('platform', '=', ref.platform)
        .where('workspace', '=', ref.workspace),
    )
    .execute()
}

/** What the program did stays on record, without whom it was for. */
async function anonymise(db: Db, ref: WorkspaceRef, person: string): Promise<void> {
  const workspace = { platform: ref.platform, workspace: ref.workspace }
  await db
    .updateTable('audit')
    .set({ person: null })
    .where((eb) => eb.and({ ...workspace, person }))
    .execute()
  await db
    .updateTable('versions')
    .set({ scope: '', state: 'dropped' })
    .where((eb) => eb.and({ ...workspace, scope: person }))
    .execute()
}

import { sql } from 'kysely'
import type { KnownTurn } from '../stream/nextstate.ts'
import type { ConversationRef } from '../stream/outlet.ts'
import type { Turn, TurnState, WorkspaceRef } from '../types.ts'
import { packFloats, packIds, toJson, turnOf } from './codec.ts'
import type { Db, Row } from './schema.ts'

/** A turn with what the store keeps beside it. */
export interface StoredTurn {
  readonly turn: Turn
  /** Grows with every change of its signals. */
  readonly evidence: number
  /** The value of `evidence` that the newest verdict has seen. */
  readonly judged: number
}

/** The message that a turn answers. */
export interface Asked {
  readonly message: string
  readonly text: string
  /** When it was written, by the platform's clock. */
  readonly at: number
  /** Its inbox sequence number. */
  readonly position: number
}

export async function insertTurn(db: Db, turn: Turn, asked: Asked): Promise<void> {
  await db
    .insertInto('turns')
    .values({
      platform: turn.platform,
      workspace: turn.workspace,
      id: turn.id,
      conversation: turn.conversation,
      person: turn.person,
      kind: turn.kind,
      state: turn.state,
      message: asked.message,
      asked: asked.text,
      asked_at: asked.at,
      position: asked.position,
      request: toJson(turn.request),
      notes: toJson(turn.notes),
      prompt_ids: packIds(turn.promptIds),
      response_ids: packIds(turn.responseIds),
      logprobs: packFloats(turn.logprobs),
      text: turn.text,
      policy_version: turn.policyVersion,
      sampling: toJson(turn.sampling),
      finish: turn.finish,
      created_at: turn.createdAt,
      visible_at: null,
      evidence: 0,
      judged: 0,
    })
    .execute()
}

export async function findTurn(db: Db, id: string): Promise<StoredTurn | undefined> {
  const row = await db.selectFrom('turns').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : stored(row)
}

/** The turn that answers the message of an inbox sequence number: what a workspace that has moved calls it is the same. */
export async function turnAt(db: Db, ref: WorkspaceRef, position: number): Promise<Turn | undefined> {
  const row = await inWorkspace(db, ref).selectAll().where('position', '=', position).executeTakeFirst()
  return row === undefined ? undefined : turnOf(row)
}

/**
 * The last turn that was delivered, or the last that anything was said about: in the conversation, of anyone or of one
 * asker. Where it has none, as a channel whose threads are conversations of their own, it is the last of `or`, anywhere.
 */
export async function lastTurn(
  db: Db,
  ref: ConversationRef,
  { withEvidence = false, of, or }: { readonly withEvidence?: boolean; readonly of?: string; readonly or: string },
): Promise<StoredTurn | undefined> {
  const newest = (turns: ReturnType<typeof inWorkspace>) =>
    turns
      .selectAll()
      .where('visible_at', 'is not', null)
      .where('evidence', '>=', withEvidence ? 1 : 0)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
  const here = inConversation(db, ref)
  const row =
    (await newest(of === undefined ? here : here.where('person', '=', of))) ??
    (await newest(inWorkspace(db, ref).where('person', '=', or)))
  return row === undefined ? undefined : stored(row)
}

/** A side turn that was delivered has nothing left to say. */
export async function forgetText(db: Db, id: string): Promise<void> {
  await db.updateTable('turns').set({ text: '' }).where('id', '=', id).execute()
}

/** Moves a turn on, if it is where the caller believes it to be. Returns whether it was. */
export async function advance(db: Db, id: string, from: TurnState, to: TurnState): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('turns')
    .set({ state: to })
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The turn's signals changed, in this transaction: it waits for the judge again, amended if it was trained. */
export async function reopen(db: Db, id: string): Promise<void> {
  await db
    .updateTable('turns')
    .set((eb) => ({
      evidence: eb('evidence', '+', 1),
      state: eb
        .case()
        .when('state', 'in', ['trained', 'amended'])
        .then('amended' as const)
        .else('closed' as const)
        .end(),
    }))
    .where('id', '=', id)
    .execute()
}

/** A version has learned the turn's sample. New signals that no judge has seen yet amend what was trained by now. */
export async function setTrained(db: Db, id: string): Promise<void> {
  await db
    .updateTable('turns')
    .set((eb) => ({
      state: eb
        .case()
        .when('judged', '=', eb.ref('evidence'))
        .then('trained' as const)
        .else('amended' as const)
        .end(),
    }))
    .where('id', '=', id)
    .where('state', 'in', ['sampled', 'closed', 'amended'])
    .execute()
}

/** A version has learned from the turn what its signals no longer say: it waits for the judge again. */
export async function judgeAgain(db: Db, id: string): Promise<void> {
  await db
    .updateTable('turns')
    .set((eb) => ({ evidence: eb('evidence', '+', 1), state: 'amended' as const }))
    .where('id', '=', id)
    .execute()
}

/**
 * Learning is on again: turns whose verdict changed meanwhile, after a version had learned from them, wait for the judge
 * once more.
 */
export async function judgeAmended(db: Db, ref: WorkspaceRef): Promise<void> {
  const rows = await inWorkspace(db, ref)
    .select('id')
    .where('state', '=', 'amended')
    .whereRef('judged', '=', 'evidence')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('samples as s')
            .select('s.id')
            .whereRef('s.turn', '=', 'turns.id')
            .where('s.state', '=', sql.lit('ready' as const)),
        ),
      ),
    )
    .execute()
  for (const { id } of rows) await judgeAgain(db, id)
}

/** A verdict has seen the turn's signals as of `evidence`. Returns false when they have changed since. */
export async function setJudged(db: Db, id: string, evidence: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('turns')
    .set({ judged: evidence })
    .where('id', '=', id)
    .where('evidence', '=', evidence)
    .where('judged', '<', evidence)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Turns, of all or of some, whose newest signals no verdict has seen and no judge is to see later, oldest first. */
export async function unjudgedTurns(db: Db, some?: readonly string[]): Promise<string[]> {
  if (some?.length === 0) return []
  const turns = db.selectFrom('turns as t')
  const rows = await (some === undefined ? turns : turns.where('t.id', 'in', some))
    .leftJoin('judging as j', (join) => join.onRef('j.turn', '=', 't.id').onRef('j.evidence', '=', 't.evidence'))
    .select('t.id')
    .whereRef('t.evidence', '>', 't.judged')
    .where('j.turn', 'is', null)
    .orderBy('t.position')
    .execute()
  return rows.map((row) => row.id)
}

/** How far back a next message may have waited in the inbox behind other turns. */
const RECENT_TURNS = 50

/**
 * The conversation's recent turns and those that the named messages belong to, in the order in which their
 * questions were written: that is the same in whatever order they arrived.
 */
export async function knownTurns(db: Db, ref: ConversationRef, named: readonly string[]): Promise<KnownTurn[]> {
  const recent = inConversation(db, ref).select('id').orderBy('position', 'desc').limit(RECENT_TURNS)
  const asking = inWorkspace(db, ref).where('message', 'in', named).select('id')
  const carrying = db
    .selectFrom('outbound')
    .select('turn as id')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', 'in', named)
  const lately = db.selectFrom(recent.as('r')).select('r.id')
  const rows = await db
    .selectFrom('turns as t')
    .leftJoin('outbound as o', 'o.turn', 't.id')
    .select(['t.id', 't.kind', 't.person', 't.message', 't.asked', 't.visible_at as visibleAt', 'o.message as carrier'])
    .where('t.id', 'in', named.length === 0 ? lately : lately.union(carrying).union(asking))
    .orderBy((eb) => eb.fn.coalesce('t.asked_at', 't.created_at'))
    .orderBy('t.message')
    .execute()
  const turns = new Map<string, KnownTurn & { messages: string[] }>()
  for (const { carrier, ...row } of rows) {
    const turn = turns.get(row.id) ?? { ...row, messages: [] }
    if (carrier !== null) turn.messages.push(carrier)
    turns.set(row.id, turn)
  }
  return [...turns.values()]
}

function inConversation(db: Db, ref: ConversationRef) {
  return inWorkspace(db, ref).where('conversation', '=', ref.conversation)
}

function inWorkspace(db: Db, ref: WorkspaceRef) {
  return db.selectFrom('turns').where('platform', '=', ref.platform).where('workspace', '=', ref.workspace)
}

function stored(row: Row<'turns'>): StoredTurn {
  return { turn: turnOf(row), evidence: row.evidence, judged: row.judged }
}

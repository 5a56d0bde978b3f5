import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { reactionKey } from '../../config/reactions.ts'
import { type KnownTurn, type NextState, RETRY_MS, retries } from '../stream/nextstate.ts'
import { isLater, type Stamp } from '../stream/stamp.ts'
import type { EventOf, Signal, WorkspaceRef } from '../types.ts'
import { hasOptedOut } from './consent.ts'
import type { Db, Row } from './schema.ts'
import { reopen } from './turns.ts'

export type Saying = EventOf<'message' | 'edit' | 'reaction' | 'reaction_removed' | 'reactions_cleared' | 'button'>

/**
 * Writes what an event says about a reply, and reopens the turn if that is news. The latest state of a fact wins, in
 * whatever order its events arrive; `stamp` says since when it stands, where that is not the event itself. Of a person
 * who opted out only what takes something back is written. Run it in a transaction.
 */
export async function recordSignal(db: Db, event: Saying, state: NextState, stamp = stampOf(event)): Promise<void> {
  const id = signalId(event, state)
  const known = await db.selectFrom('signals').selectAll().where('id', '=', id).executeTakeFirst()
  if (known !== undefined && isLater(sinceWhen(known), stamp)) return
  if (state.type === 'cleared') await clearReactions(db, event, state, stamp)
  if (state.type === 'reaction' && state.active && (await clearedSince(db, event, state, stamp))) return
  if (state.active && (await hasOptedOut(db, event, event.person.id))) return
  const now = {
    content: state.content,
    at: event.at,
    event: stamp.event,
    worded_at: stamp.at,
    active: state.active ? (1 as const) : (0 as const),
  }
  if (known === undefined) {
    const { platform, workspace, conversation, message } = event
    const named = event.type === 'message' ? event.replyTo : message
    const about = state.turn === null && named !== undefined ? named : null
    await db
      .insertInto('signals')
      .values({
        ...{ platform, workspace, conversation, message, about },
        ...{ ...now, id, turn: state.turn, type: state.type, person: state.type === 'cleared' ? '' : event.person.id },
      })
      .execute()
  } else {
    await db.updateTable('signals').set(now).where('id', '=', id).execute()
  }
  const turn = known === undefined ? state.turn : known.turn
  const news =
    known === undefined
      ? state.active
      : known.active !== now.active ||
        (state.active && (known.content !== now.content || (await overtakes(db, known, stamp))))
  if (turn !== null && news) await reopen(db, turn)
}

/** Whether a vote that is given once more comes by that behind the same person's other kind of vote, and replaces it. */
async function overtakes(db: Db, known: Row<'signals'>, stamp: Stamp): Promise<boolean> {
  const { turn, person, type } = known
  if (turn === null || !isVote(known)) return false
  const mine = await db
    .selectFrom('signals')
    .selectAll()
    .where((on) => on.and({ turn, person, active: 1 }))
    .execute()
  return mine.some((other) => {
    const otherKind = isVote(other) && (other.type === 'button') !== (type === 'button')
    return otherKind && isLater(sinceWhen(other), sinceWhen(known)) && isLater(stamp, sinceWhen(other))
  })
}

/** Withdraws the reactions on a message, or those with one emoji, that were given before. */
async function clearReactions(db: Db, event: Saying, state: NextState, stamp: Stamp): Promise<void> {
  const { platform, workspace, message } = event
  const given = await db
    .selectFrom('signals')
    .selectAll()
    .where((on) => on.and({ platform, workspace, message, type: 'reaction', active: 1 }))
    .execute()
  for (const reaction of given) {
    const meant = state.content === '' || reactionKey(reaction.content) === reactionKey(state.content)
    if (!meant || isLater(sinceWhen(reaction), stamp)) continue
    const gone = { active: 0 as const, worded_at: stamp.at, event: stamp.event }
    await db.updateTable('signals').set(gone).where('id', '=', reaction.id).execute()
    if (reaction.turn !== null) await reopen(db, reaction.turn)
  }
}

/** Whether a reaction that arrives now was cleared after it was given. */
async function clearedSince(db: Db, event: Saying, state: NextState, stamp: Stamp): Promise<boolean> {
  const { platform, workspace, message } = event
  const cleared = await db
    .selectFrom('signals')
    .selectAll()
    .where((on) => on.and({ platform, workspace, message, type: 'cleared' }))
    .execute()
  return cleared.some(
    (row) =>
      (row.content === '' || reactionKey(row.content) === reactionKey(state.content)) && isLater(sinceWhen(row), stamp),
  )
}

/**
 * A person's message was reworded: so is what it said about the reply before it. Run it in a transaction. Returns the
 * turns that it is about, as far as they are known.
 */
export async function rewordSignals(
  db: Db,
  edit: EventOf<'edit'>,
  turns: readonly KnownTurn[],
): Promise<(string | null)[]> {
  const said = await db
    .selectFrom('signals')
    .selectAll()
    .where('platform', '=', edit.platform)
    .where('workspace', '=', edit.workspace)
    .where('message', '=', edit.message)
    .where('type', '=', 'message')
    .where('person', '=', edit.person.id)
    .execute()
  const silent = said.length > 0 && (await hasOptedOut(db, edit, edit.person.id))
  for (const signal of said) {
    // Whatever the clock says, an edit is later than the message itself.
    const edited = signal.worded_at !== signal.at
    if (edited && isLater(sinceWhen(signal), stampOf(edit))) continue
    const turn = turns.find(({ id }) => id === signal.turn)
    const stands = !silent && !(turn !== undefined && retries({ text: edit.text, at: signal.at }, turn))
    const content = silent ? '' : edit.text
    const now = { content, active: stands ? (1 as const) : (0 as const), worded_at: edit.at, event: edit.id }
    await db.updateTable('signals').set(now).where('id', '=', signal.id).execute()
    const news = signal.active !== now.active || (stands && signal.content !== content)
    if (news && signal.turn !== null) await reopen(db, signal.turn)
  }
  return said.map(({ turn }) => turn)
}

/**
 * A person's message is gone, and with it what it said about replies. Run it in a transaction. Returns the turns that it
 * was about, as far as they are known.
 */
export async function withdrawSaid(db: Db, ref: WorkspaceRef, message: string): Promise<(string | null)[]> {
  const gone = await db
    .updateTable('signals')
    .set({ active: 0, content: '' })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .where('type', 'in', ['message', 'edit'])
    .where('active', '=', 1)
    .returning('turn')
    .execute()
  for (const { turn } of gone) if (turn !== null) await reopen(db, turn)
  return gone.map(({ turn }) => turn)
}

/**
 * The reply's messages are known now: what waited for one of them is about this turn. Run it in a transaction.
 */
export async function attachWaiting(
  db: Db,
  ref: WorkspaceRef,
  turn: string,
  messages: readonly string[],
): Promise<void> {
  const waiting = await db
    .updateTable('signals')
    .set({ turn, about: null })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('turn', 'is', null)
    .where('about', 'in', messages)
    .returning('active')
    .execute()
  if (waiting.some((signal) => signal.active === 1)) await reopen(db, turn)
}

/** How late an event may come that was about to be answered when something was said about its answer. [ms] */
const WAITING_MS = 600_000

/**
 * Forgets what was said about messages that cannot turn out to carry a reply any more, because none is under way in the
 * workspace.
 */
export async function dropWaiting(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('signals')
    .where('turn', 'is', null)
    .where('at', '<', now - WAITING_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('inbox as i')
            .select('i.seq')
            .whereRef('i.platform', '=', 'signals.platform')
            .whereRef('i.workspace', '=', 'signals.workspace')
            .where('i.type', '=', 'message')
            .where('i.state', '<>', sql.lit('handled' as const)),
        ),
      ),
    )
    .execute()
}

/** The turn's signals that stand. */
export async function activeSignals(db: Db, turn: string): Promise<Signal[]> {
  const rows = await db
    .selectFrom('signals')
    .selectAll()
    .where('turn', '=', turn)
    .where('active', '=', 1)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return standing(rows).map(({ id, type, person, content, at }) => ({
    ...{ id, turn, person, content, at },
    type: type === 'message' || type === 'edit' ? type : 'reaction',
  }))
}

/** Those of a turn's signals whose words nobody else could read: they were said in answer to a question, not as a message. */
export async function saidAlone(db: Db, turn: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('signals as s')
    .leftJoin('messages as m', (join) =>
      join
        .onRef('m.platform', '=', 's.platform')
        .onRef('m.workspace', '=', 's.workspace')
        .onRef('m.message', '=', 's.message'),
    )
    .select('s.id')
    .where('s.turn', '=', turn)
    .where('s.type', '=', 'message')
    .where('m.message', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * A thumb by button and by reaction is one vote, the last one; the same words sent again at once are a client's retry.
 */
function standing(rows: readonly Row<'signals'>[]): Row<'signals'>[] {
  return rows.filter((row, index) => {
    const others = rows.filter((other) => other !== row && other.person === row.person)
    if (row.type === 'button')
      return !others.some((other) => isVote(other) && isLater(sinceWhen(other), sinceWhen(row)))
    if (row.type === 'reaction')
      return !others.some((other) => other.type === 'button' && isLater(sinceWhen(other), sinceWhen(row)))
    if (row.type === 'edit') return true
    return !rows
      .slice(0, index)
      .some((other) => other.type === 'message' && other.person === row.person && repeats(row, other))
  })
}

function isVote({ type }: Row<'signals'>): boolean {
  return type === 'reaction' || type === 'button'
}

function repeats(row: Row<'signals'>, before: Row<'signals'>): boolean {
  return row.content.trim() === before.content.trim() && row.at - before.at < RETRY_MS
}

function stampOf(event: Saying): Stamp {
  return { at: event.at, event: event.id }
}

function sinceWhen(row: Row<'signals'>): Stamp {
  return { at: row.worded_at ?? row.at, event: row.event ?? '' }
}

function signalId({ platform, workspace, message, person }: Saying, { type, content }: NextState): string {
  return factId({ platform, workspace, type, message, content, person: type === 'cleared' ? '' : person.id })
}

type Fact = Pick<Row<'signals'>, 'platform' | 'workspace' | 'type' | 'message' | 'person' | 'content'>

/**
 * One fact, one row: a person's reaction with one emoji, a person's button, message, rewording of a message, the
 * clearing of a message's reactions.
 */
export function factId({ platform, workspace, type, message, person, content }: Fact): string {
  const emoji = type === 'reaction' || type === 'cleared' ? reactionKey(content) : ''
  const about = [platform, workspace, type, message, person, emoji]
  return createHash('sha256').update(JSON.stringify(about)).digest('base64url').slice(0, 22)
}

/** What a person has pressed under a reply, and not taken back. */
export async function pressed(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  message: string,
  person: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('signals')
    .select('content')
    .where((on) => on.and({ platform, workspace, message, person, type: 'button', active: 1 }))
    .executeTakeFirst()
  return row?.content ?? null
}

import { createHash } from 'node:crypto'
import { reactionKey } from '../../config/reactions.ts'
import type { NextState } from '../stream/nextstate.ts'
import type { EventOf, Signal, WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'
import { reopen } from './turns.ts'

type Saying = EventOf<'message' | 'edit' | 'reaction' | 'reaction_removed'>

/**
 * Writes what an event says about a reply, and reopens the turn if that is news. The latest state of a fact wins, in
 * whatever order its events arrive. Run it in a transaction.
 */
export async function recordSignal(db: Db, event: Saying, state: NextState): Promise<void> {
  const id = signalId(event, state)
  const known = await db.selectFrom('signals').selectAll().where('id', '=', id).executeTakeFirst()
  if (known !== undefined && known.at > event.at) return
  const now = { content: state.content, at: event.at, active: state.active ? (1 as const) : (0 as const) }
  if (known === undefined) {
    const { platform, workspace, conversation, message } = event
    const about = { platform, workspace, conversation, message, person: event.person.id }
    await db
      .insertInto('signals')
      .values({ ...about, ...now, id, turn: state.turn, type: state.type })
      .execute()
  } else {
    await db.updateTable('signals').set(now).where('id', '=', id).execute()
  }
  const turn = known === undefined ? state.turn : known.turn
  const news =
    known === undefined ? state.active : known.active !== now.active || (state.active && known.content !== now.content)
  if (turn !== null && news) await reopen(db, turn)
}

/**
 * A person's message was reworded (`content`) or deleted (null): so is what it said about the reply before it.
 * Run it in a transaction.
 */
export async function changeSignals(
  db: Db,
  ref: WorkspaceRef,
  message: string,
  content: string | null,
  at: number,
): Promise<void> {
  const said = db
    .updateTable('signals')
    .set(content === null ? { active: 0, content: '' } : { content })
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('message', '=', message)
    .where('active', '=', 1)
  const changed = await (content === null
    ? said.where('type', 'in', ['message', 'edit'])
    : said.where('type', '=', 'message').where('content', '<>', content).where('at', '<=', at)
  )
    .returning('turn')
    .execute()
  for (const { turn } of changed) if (turn !== null) await reopen(db, turn)
}

/** The turn's signals that stand. */
export async function activeSignals(db: Db, turn: string): Promise<Signal[]> {
  const rows = await db
    .selectFrom('signals')
    .select(['id', 'type', 'person', 'content', 'at'])
    .where('turn', '=', turn)
    .where('active', '=', 1)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, turn }))
}

/** One fact, one row: a person's reaction with one emoji, a person's message, a person's rewording of a message. */
function signalId(event: Saying, state: NextState): string {
  const emoji = state.type === 'reaction' ? reactionKey(state.content) : ''
  const about = [event.platform, event.workspace, state.type, event.message, event.person.id, emoji]
  return createHash('sha256').update(JSON.stringify(about)).digest('base64url').slice(0, 22)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { hasCode, reason } from '../errors.ts'
import { changeMessage, findMessage } from '../store/history.ts'
import { isWanted, pendingChanges, type Received, setAnswering, setFailed, setHandled } from '../store/inbox.ts'
import { findCarried } from '../store/outbound.ts'
import type { Db } from '../store/schema.ts'
import { recordSignal, rewordSignals, type Saying, withdrawSaid } from '../store/signals.ts'
import { transact } from '../store/transact.ts'
import { findTurn, knownTurns, unjudgedTurns } from '../store/turns.ts'
import { setUnwelcomed } from '../store/workspaces.ts'
import type { EventOf, WorkspaceRef } from '../types.ts'
import { onlyCorrects } from './correction.ts'
import { type Learner, type Lesson, learn } from './learn.ts'
import { nextState } from './nextstate.ts'
import type { Question } from './outlet.ts'
import { questionAbout } from './question.ts'
import { isLater, type Stamp } from './stamp.ts'
import { type Landlord, leave, move } from './tenancy.ts'
import { abandon, type Responder, reply, resume, turnId } from './turns.ts'
import { type Host, welcome } from './welcome.ts'

export interface Stream extends Learner, Responder, Host, Landlord {
  readonly config: Config
  /** Does all the work of a command. `answer` is what it says, where its effect is recorded already. */
  readonly command: (event: EventOf<'command'>, seq: number, answer: string | null) => Promise<void>
  readonly onLesson: (lesson: Lesson) => Promise<void>
  readonly report: (error: unknown) => void
}

/** Does the work of one event: what it says about earlier replies first, then its answer. */
export async function handle(stream: Stream, { seq, event, state, answer }: Received): Promise<void> {
  switch (event.type) {
    case 'message':
      if (state === 'answering') await resume(stream, event, seq, answer)
      else await handleMessage(stream, event, seq)
      break
    case 'command':
      await stream.command(event, seq, state === 'answering' ? answer : null)
      return learnAll(stream)
    case 'edit':
    case 'deletion':
      return learnAll(stream, await handleChange(stream, event, seq))
    case 'reaction':
    case 'reaction_removed':
    case 'reactions_cleared':
    case 'button': {
      const { turn, question } = await handleSaying(stream, event, seq)
      await learnAll(stream, turn)
      if (question !== null) await stream.outlet(event.platform).ask?.(event, question).catch(stream.report)
      return
    }
    case 'correction': {
      // Words that answer the reply, as a message does, and want no answer.
      const said = { ...event, type: 'message' as const, message: event.id, replyTo: event.message }
      return learnAll(stream, (await handleSaying(stream, said, seq)).turn)
    }
    case 'joined':
      return welcome(stream, event, seq, answer)
    case 'left':
      return leave(stream, event, seq)
    case 'moved':
      return move(stream, event, seq, state === 'answering')
  }
  // What was said about the reply before it was known to be one.
  await learnAll(stream, [turnId(event)])
}

/**
 * The event's work has thrown. Where it was done and only its answer could not be shown, that is tried once more; else
 * the person is told. The second time, or where nobody waits, the reason stays with the event.
 */
export async function giveUp(stream: Stream, received: Received, error: unknown): Promise<void> {
  const { seq, event, state } = received
  // A workspace that was left goes, however often that has to be tried.
  if (event.type === 'left' || event.type === 'moved') throw error
  stream.report(error)
  const answered = event.type === 'message' || event.type === 'command'
  if (!answered || state === 'answering') {
    if (event.type === 'message') return abandon(stream, event, seq, reason(error))
    const unsaid = hasCode(error, 'PLATFORM_REFUSED') || hasCode(error, 'PLATFORM_LIMITED')
    if (event.type === 'joined' && unsaid) await setUnwelcomed(stream.db, event)
    return setFailed(stream.db, seq, reason(error))
  }
  await setAnswering(stream.db, seq, 'Sorry, something inside went wrong.', reason(error))
}

/** Judges every turn whose signals have changed, or those of some. A judge that fails leaves its turn for later. */
export async function learnAll(stream: Stream, some?: readonly string[]): Promise<void> {
  for (const id of await unjudgedTurns(stream.db, some)) {
    try {
      const lesson = await learn(stream, id)
      if (lesson !== null) await stream.onLesson(lesson)
    } catch (error) {
      stream.report(error)
    }
  }
}

async function handleMessage(stream: Stream, event: EventOf<'message'>, seq: number): Promise<void> {
  if (event.restMs !== undefined) await sleep(event.restMs, undefined, { signal: stream.stopping })
  const said = await transact(stream.db, async (tx) => {
    const wording = await latestWording(tx, event)
    if (wording === null) return null
    const { text, ...stamp } = wording
    return { text, followed: await follow(tx, { ...event, text }, stamp, seq) }
  })
  if (said === null) return setHandled(stream.db, seq)
  const { text, followed } = said
  if (followed !== null) await learnAll(stream, [followed])
  const corrected = followed === null ? undefined : (await findTurn(stream.db, followed))?.turn
  const again = corrected !== undefined && onlyCorrects(stream.judge, corrected, event.person.id, text)
  await reply(stream, event, text, seq, again ? corrected.request : null)
}

/** Writes what a message says about an earlier reply; returns that reply's turn, where there is one. */
async function follow(db: Db, said: EventOf<'message'>, stamp: Stamp, seq: number): Promise<string | null> {
  if (said.text.trim() === '' || !(await isWanted(db, seq))) return null
  const next = nextState(said, await knownTurns(db, said, said.replyTo === undefined ? [] : [said.replyTo]))
  if (next === null || (next.turn === null && (await isPersons(db, said, said.replyTo)))) return null
  await recordSignal(db, said, next, stamp)
  return next.turn
}

/**
 * The message's words as they stand when its turn comes, and since when; null when it was deleted before it was
 * answered.
 */
async function latestWording(db: Db, event: EventOf<'message'>): Promise<(Stamp & { readonly text: string }) | null> {
  const known = await findMessage(db, event, event.message)
  if (known?.text === null) return null
  let edited = known?.changed ? { text: known.text, ...known.changed } : null
  for (const change of await pendingChanges(db, event, event.message)) {
    if (change.type === 'deletion') return null
    // Only who wrote a message may reword it.
    if (change.person.id !== event.person.id) continue
    const next = { text: change.text, at: change.at, event: change.id }
    if (edited === null || isLater(next, edited)) edited = next
  }
  return edited ?? { text: event.text, at: event.at, event: event.id }
}

/** Returns the turns that it may have said something about. */
async function handleChange(stream: Stream, event: EventOf<'edit' | 'deletion'>, seq: number): Promise<string[]> {
  return transact(stream.db, async (tx) => {
    if (!(await isWanted(tx, seq))) return []
    const turn = await findCarried(tx, event, event.message)
    const known = await findMessage(tx, event, turn ?? event.message)
    const own = turn === undefined && (known === undefined || known.person === event.person.id)
    const outdated = known?.changed && isLater(known.changed, { at: event.at, event: event.id })
    let touched: (string | null)[] = []
    if (event.type === 'deletion') {
      await changeMessage(tx, event, turn ?? event.message, null)
      touched = await withdrawSaid(tx, event, event.message)
    } else if (known?.text !== null) {
      const turns = await knownTurns(tx, event, [event.message])
      const next = nextState(event, turns)
      // One edit is one piece of evidence: about the answer to the message, or else within what the message said.
      if (next !== null) {
        await recordSignal(tx, event, next)
        touched = [next.turn]
      } else if (own && !outdated) touched = await rewordSignals(tx, event, turns)
      if (own) await changeMessage(tx, event, event.message, event.text)
    }
    await setHandled(tx, seq)
    return touched.filter((id) => id !== null)
  })
}

/** Returns the turn that it is about, if that is known, and what its person is to be asked about it. */
async function handleSaying(
  stream: Stream,
  event: Exclude<Saying, EventOf<'edit'>>,
  seq: number,
): Promise<{ turn: string[]; question: Question | null }> {
  return transact(stream.db, async (tx) => {
    if (!(await isWanted(tx, seq))) return { turn: [], question: null }
    const named = event.type === 'message' ? event.replyTo : event.message
    const next = nextState(event, await knownTurns(tx, event, named === undefined ? [] : [named]))
    const turn = next?.turn ?? null
    const stands = turn !== null || !(await isPersons(tx, event, named))
    if (next !== null && stands) await recordSignal(tx, event, next)
    await setHandled(tx, seq)
    if (turn === null) return { turn: [], question: null }
    return { turn: [turn], question: await questionAbout(stream, tx, event, turn) }
  })
}

/** Whether a message is a person's own. One that nobody knows may become a reply. */
async function isPersons(db: Db, ref: WorkspaceRef, message: string | undefined): Promise<boolean> {
  const known = message === undefined ? undefined : await findMessage(db, ref, message)
  return known?.role === 'user' && known.arrived
}

import { type Forgotten, forget } from '../store/forget.ts'
import type { Db } from '../store/schema.ts'
import { lastTurn } from '../store/turns.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { WorkspaceRef } from '../types.ts'
import type { Asking } from './asking.ts'
import type { Command } from './parse.ts'
import { count, list, time } from './text.ts'
import { named } from './versions.ts'

const CONFIRM = `This erases, for good, what you have said here: your messages and my replies to them, your feedback, your notes, and what was learned from them. Versions of the weights that may have learned from you are dropped, and what others taught them is trained again without you, by itself; an earlier version, or the base model, answers until then. What stands on the platform itself stays there. Where else you talk with me, say it there too.
To do it: /claw forget me yes. To see first what is kept: /claw export`

/** Erases what the person asks for, and says what that has led to. */
export async function forgetting(
  asking: Asking,
  { what, confirmed }: Extract<Command, { name: 'forget' }>,
): Promise<string> {
  if (!confirmed) return CONFIRM
  const { db, event, seq, now } = asking
  const person = event.person.id
  const last = what === 'last' ? await lastTurn(db, event, { of: person, or: person }) : undefined
  if (what === 'last' && last === undefined) return 'There is no question of yours to forget.'
  const forgotten = await forget(db, event, { person, turn: last?.turn.id ?? null, asking: seq }, now)
  const which = last === undefined ? null : time(last.turn.createdAt, now)
  return [erased(which, forgotten), ...(await consequences(asking, forgotten))].join('\n')
}

/** `answeredAt` tells which exchange it was, for its words are not said again; null where it was everything. */
function erased(answeredAt: string | null, { messages, replies, notes }: Forgotten): string {
  if (answeredAt !== null)
    return `Your last question, answered at ${answeredAt}, and its reply are forgotten, with all that was learned from them.`
  const parts = [
    count(messages, 'message', 'messages'),
    count(replies, 'reply', 'replies'),
    count(notes, 'note', 'notes'),
  ]
  return `Forgotten: ${parts.join(', ')}, and all feedback. If you write again, you are new here.`
}

/** Which versions went, what answers instead, and when the rest is trained again. */
async function consequences({ db, event }: Asking, { dropped, serving, again }: Forgotten): Promise<string[]> {
  if (dropped.length === 0) return []
  const one = dropped.length === 1
  const which = one ? `Version ${dropped[0]} is dropped: it` : `Versions ${list(dropped)} are dropped: they`
  const moved = serving.find(({ ref }) => ref.scope === undefined) ?? serving[0]
  const now = moved === undefined ? '' : ` ${named(moved.version)} answers from now on.`
  const first = `${which} may have learned from what is forgotten.${now}`
  if (again === 0) return [first, 'Nothing else was learned there, so nothing is trained again.']
  const rest = again === 1 ? 'The other lesson learned there is' : `The ${again} other lessons learned there are`
  return [first, `${rest} trained again without it, ${await rebuild(db, event, moved?.version)}.`]
}

async function rebuild(db: Db, ref: WorkspaceRef, from: number | undefined): Promise<string> {
  const workspace = await findWorkspace(db, ref)
  if (workspace?.learning !== 1) return 'once learning is on again: /claw learn on'
  if (workspace.paused === 1) return 'once training goes on: /claw resume'
  return from === undefined ? 'by itself' : `by itself, from ${from === 0 ? 'the base model' : `version ${from}`} on`
}

import { type Forgotten, forget } from '../store/forget.ts'
import { lastTurn } from '../store/turns.ts'
import type { Asking } from './asking.ts'
import type { Command } from './parse.ts'
import { count, list } from './text.ts'
import { named } from './versions.ts'

const CONFIRM = `This erases, for good: your messages and my replies to them, your feedback, your notes, and what was learned from them. Versions of the weights that may have learned from you are dropped; an earlier one answers until the rest has been learned anew without you. What stands on the platform itself stays there.
To do it: /claw forget me yes. To see first what is kept: /claw export`

/** Erases what the person asks for, and says what that has led to. */
export async function forgetting(
  { db, event, seq, now }: Asking,
  { what, confirmed }: Extract<Command, { name: 'forget' }>,
): Promise<string> {
  if (!confirmed) return CONFIRM
  const person = event.person.id
  const last = what === 'last' ? await lastTurn(db, event, { of: person, or: person }) : undefined
  if (what === 'last' && last === undefined) return 'There is no question of yours to forget.'
  const forgotten = await forget(db, event, { person, turn: last?.turn.id ?? null, asking: seq }, now)
  return [erased(what, forgotten), ...consequences(forgotten)].join('\n')
}

function erased(what: 'me' | 'last', { messages, replies, notes }: Forgotten): string {
  if (what === 'last') return 'Your last question and its reply are forgotten, with all that was learned from them.'
  const parts = [
    count(messages, 'message', 'messages'),
    count(replies, 'reply', 'replies'),
    count(notes, 'note', 'notes'),
  ]
  return `Forgotten: ${parts.join(', ')}, and all feedback. If you write again, you are someone new here.`
}

function consequences({ dropped, serving }: Forgotten): string[] {
  if (dropped.length === 0) return []
  const which = dropped.length === 1 ? `Version ${dropped[0]} is` : `Versions ${list(dropped)} are`
  const shared = serving.find(({ ref }) => ref.scope === undefined)
  const again = 'What others taught is learned again without it'
  const now = shared === undefined ? '' : ` ${named(shared.version)} answers meanwhile.`
  const rebuild = shared === undefined ? '' : ` ${again}, from ${named(shared.version).replace('The', 'the')} on.${now}`
  return [`${which} dropped: they may have learned from it.${rebuild}`]
}

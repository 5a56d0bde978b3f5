import { EXPORT_DAYS } from '../exports.ts'
import { audit } from '../store/audit.ts'
import { exportPerson } from '../store/export.ts'
import { bringBackNotes } from '../store/notes.ts'
import { rescope, withdrawOf } from '../store/samples.ts'
import { judgeAmended } from '../store/turns.ts'
import { type Choice, choose, findWorkspace, setOptedOut } from '../store/workspaces.ts'
import { mayTrain, NO_TRAINING } from '../stream/consent.ts'
import type { Asking } from './asking.ts'
import { channel, retention } from './channel.ts'
import { forgetting } from './forgetting.ts'
import { dropNote, memory, shareNotes } from './memory.ts'
import { ADMIN_COMMANDS, type Command, HELP, usage } from './parse.ts'
import { status } from './status.ts'
import { count } from './text.ts'
import { rollback, versions } from './versions.ts'
import { why } from './why.ts'

/** Begins what is said to anyone else. */
export const ADMINS_ONLY = 'Only an admin of this workspace can do that'

/** Does what was asked and says so in a few plain lines. */
export async function runCommand(asking: Asking, command: Command): Promise<string> {
  const ownWeights = command.name === 'rollback' && asking.policy.scope !== undefined
  const guarded = ADMIN_COMMANDS.includes(command.name) || (command.name === 'rollback' && !ownWeights)
  if (guarded && !asking.admin) return `${ADMINS_ONLY}: /claw ${command.name}`
  switch (command.name) {
    case 'help':
      return HELP
    case 'status':
      return status(asking)
    case 'why':
      return why(asking)
    case 'versions':
      return versions(asking)
    case 'memory':
      return memory(asking)
    case 'drop note':
      return dropNote(asking, command.note)
    case 'share note':
      return shareNotes(asking, command.note)
    case 'rollback':
      return rollback(asking, command.version)
    case 'channel':
      return channel(asking, command.speak)
    case 'retention':
      return retention(asking, command.days)
    case 'learn':
      if (command.on && !mayTrain(asking.config, asking.event.platform)) return NO_TRAINING
      if (command.on) await judgeAmended(asking.db, asking.event)
      return set(asking, { learning: command.on ? 1 : 0 }, command.on ? LEARN_ON : LEARN_OFF)
    case 'pause':
      return set(asking, { paused: 1 }, PAUSED)
    case 'resume':
      return set(asking, { paused: 0 }, RESUMED)
    case 'method':
      return set(asking, { method: command.method }, METHODS[command.method ?? asking.config.trainer.method])
    case 'scope':
      return scope(asking, command.scope)
    case 'optout':
      return optOut(asking)
    case 'optin':
      return optIn(asking)
    case 'forget':
      return forgetting(asking, command)
    case 'export':
      return exported(asking)
    case 'unknown':
      return unknown(command.text)
  }
}

function unknown(text: string): string {
  const known = usage(text.split(' ', 1)[0] ?? '')
  if (known.length === 0) return `I do not know "/claw ${text}". /claw help lists what I do.`
  return [`"/claw ${text}" is not quite right:`, ...known].join('\n')
}

const LEARN_ON = 'Learning is on: feedback on replies changes the weights.'
const LEARN_OFF =
  'Learning is off: feedback no longer changes the weights. What they have learned stays: /claw rollback'
const PAUSED = 'Training is paused: feedback is kept, and is learned after /claw resume.'
const RESUMED = 'Training goes on.'
const METHODS = {
  binary: 'From now on only the verdict counts: what pleased becomes likelier, what did not, less likely.',
  opd: 'From now on only wishes count: replies move towards what the base would say with your wishes before it.',
  combined: 'From now on both count: the verdict, and what the base would say with your wishes before it.',
} as const

async function set({ db, event, now }: Asking, choice: Choice, answer: string): Promise<string> {
  await choose(db, event, choice)
  await audit(db, event, event.person.id, 'chosen', choice, now)
  return answer
}

async function scope(asking: Asking, chosen: 'workspace' | 'person' | null): Promise<string> {
  const { db, event, config } = asking
  const before = (await findWorkspace(db, event))?.scope ?? config.learning.scope
  const scope = chosen ?? config.learning.scope
  if (scope !== before) {
    await rescope(db, event, scope)
    // What others' weights have learned, those that answer now have not.
    await bringBackNotes(db, event, [])
  }
  const answer =
    scope === 'person'
      ? 'From now on everyone has weights of their own, on the same base, which only their own feedback changes.'
      : "From now on everyone's feedback changes the same weights, and these answer everyone."
  return set(asking, { scope: chosen }, answer)
}

async function optOut({ db, event, now }: Asking): Promise<string> {
  await setOptedOut(db, event, event.person.id, true)
  const waiting = await withdrawOf(db, event, event.person.id)
  await audit(db, event, event.person.id, 'opted-out', {}, now)
  const dropped =
    waiting === 0
      ? ''
      : ` ${count(waiting, 'lesson', 'lessons')} that waited will not be learned, or taken back where that is under way.`
  return `You are answered as before, and nothing you say here is kept for learning.${dropped}\nTo erase what was kept until now: /claw forget me. To come back: /claw optin`
}

async function optIn({ db, event, now }: Asking): Promise<string> {
  await setOptedOut(db, event, event.person.id, false)
  await audit(db, event, event.person.id, 'opted-in', {}, now)
  return 'Your feedback here is learned from again, from your next message on.'
}

async function exported({ db, event, exportFile }: Asking): Promise<string> {
  const { messages, replies, feedback, notes } = await exportPerson(db, event, event.person.id)
  const what = [
    count(messages.length, 'message', 'messages'),
    count(replies.length, 'reply', 'replies'),
    count(feedback.length, 'piece of feedback', 'pieces of feedback'),
    count(notes.length, 'note', 'notes'),
  ].join(', ')
  const where = exportFile === null ? '' : `\n${exportFile}\nThe file is deleted after ${EXPORT_DAYS} days.`
  return `All that is kept of you here: ${what}.${where}`
}

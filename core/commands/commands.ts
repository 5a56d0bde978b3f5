import { audit } from '../store/audit.ts'
import { activeNotes, forgetNote } from '../store/notes.ts'
import { findVersion, listVersions, type PolicyVersion, serve, servingVersion } from '../store/versions.ts'
import { choose } from '../store/workspaces.ts'
import type { Asking } from './asking.ts'
import { ADMIN_COMMANDS, type Command, HELP } from './parse.ts'
import { status } from './status.ts'
import { origin, time } from './text.ts'
import { why } from './why.ts'

/** Does what was asked and says so in a few plain lines. */
export async function runCommand(asking: Asking, command: Command): Promise<string> {
  if (ADMIN_COMMANDS.includes(command.name) && !asking.admin) {
    return `Only an admin of this workspace can do that: /claw ${command.name}`
  }
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
    case 'forget':
      return forget(asking, command.note)
    case 'rollback':
      return rollback(asking, command.version)
    case 'learn':
      return learn(asking, command.on)
    case 'unknown':
      return `I do not know "/claw ${command.text}".\n${HELP}`
  }
}

async function memory({ db, event, config }: Asking): Promise<string> {
  const notes = await activeNotes(db, event, event.person.id)
  if (notes.length === 0) return 'Nothing is kept for you yet. Correct a reply, and what you wish for is kept here.'
  return [
    config.memory.notes
      ? 'Kept for you, and said with each of your messages:'
      : 'Kept for you (the notes are switched off: only the weights know them):',
    ...notes.map((note, i) => `${i + 1}. ${note.text}`),
    'To drop one: /claw memory forget N',
  ].join('\n')
}

async function forget({ db, event, now }: Asking, number: number): Promise<string> {
  const { id: person } = event.person
  const notes = await activeNotes(db, event, person)
  const note = notes[number - 1]
  if (note === undefined) {
    return notes.length === 0 ? 'Nothing is kept for you.' : `There is no note ${number}: /claw memory lists them.`
  }
  await forgetNote(db, event, note)
  await audit(db, event, person, 'note-forgotten', { note: note.id }, now)
  return `Forgotten: ${note.text}\nWhat the weights have learned from it stays: /claw rollback takes that back.`
}

async function learn({ db, event, now }: Asking, on: boolean): Promise<string> {
  await choose(db, event, { learning: on ? 1 : 0 })
  await audit(db, event, event.person.id, on ? 'learning-on' : 'learning-off', {}, now)
  return on
    ? 'Learning is on: feedback on replies changes the weights of this workspace.'
    : 'Learning is off: feedback no longer changes the weights of this workspace.'
}

/** Moves one pointer; the version left behind stays where it is, to go forward to again. */
async function rollback({ db, event, now }: Asking, wanted: number | null): Promise<string> {
  const from = await servingVersion(db, event)
  const to = wanted ?? (await findVersion(db, event, from))?.parent ?? 0
  if (from === to) return `${named(from)} is what answers already.`
  const target = to === 0 ? null : await findVersion(db, event, to)
  if (to !== 0 && target === null) return `There is no version ${to}: /claw versions lists them.`
  if (target?.state === 'rejected') return `Version ${to} was never served: ${target.reason ?? 'the gate refused it'}.`
  await serve(db, event, to)
  await audit(db, event, event.person.id, 'rollback', { from, to }, now)
  return `${named(to)} answers from now on. To go back: /claw rollback ${from}`
}

const SHOWN_VERSIONS = 20

async function versions({ db, event, now }: Asking): Promise<string> {
  const serving = await servingVersion(db, event)
  const all = await listVersions(db, event)
  const lines = all.slice(0, SHOWN_VERSIONS).map((version) => line(version, serving, now))
  if (all.length > SHOWN_VERSIONS) lines.push(`    and ${all.length - SHOWN_VERSIONS} older`)
  return [...lines, `${serving === 0 ? '*' : ' '}   0  the base model`].join('\n')
}

function line(version: PolicyVersion, serving: number, now: number): string {
  const mark = version.version === serving ? '*' : ' '
  const from = version.parent === version.version - 1 ? '' : `, from version ${version.parent}`
  const fate = version.state === 'rejected' ? `, not served: ${version.reason ?? 'the gate refused it'}` : ''
  const number = String(version.version).padStart(4)
  return `${mark}${number}  ${time(version.createdAt, now)}, ${origin(version.lessons)}${from}${fate}`
}

function named(version: number): string {
  return version === 0 ? 'The base model' : `Version ${version}`
}

import type { KeptNote } from '../memory/notes.ts'
import { audit } from '../store/audit.ts'
import { forgetNote, shareNote, taughtNotes } from '../store/notes.ts'
import type { Asking } from './asking.ts'

/** A person's notes in the order in which they are numbered: their own, then the workspace's. */
async function numbered({ db, event }: Asking): Promise<KeptNote[]> {
  const notes = await taughtNotes(db, event, event.person.id)
  return [...notes.filter((note) => !note.shared), ...notes.filter((note) => note.shared)]
}

export async function memory(asking: Asking): Promise<string> {
  const notes = await numbered(asking)
  if (notes.length === 0) return 'Nothing is kept for you yet. Correct a reply, and what you wish for is kept here.'
  const switchedOff = asking.config.memory.notes ? '' : ' (the notes are switched off: only the weights know them)'
  const lines = notes.map((note, i) => {
    const marks = [...(note.shared ? ['for everyone'] : []), ...(note.retired ? ['the weights have learned it'] : [])]
    return `${i + 1}. ${note.text}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`
  })
  return [
    `Kept for you, and said with each of your messages${switchedOff}:`,
    ...lines,
    'To drop one: /claw memory forget N',
  ].join('\n')
}

export async function dropNote(asking: Asking, number: number): Promise<string> {
  const { db, event, admin, now } = asking
  const note = (await numbered(asking))[number - 1]
  if (note === undefined) return missing(number)
  if (note.shared && !admin) return 'Only an admin of this workspace can drop what is kept for everyone.'
  await forgetNote(db, event, note)
  await audit(db, event, event.person.id, 'note-forgotten', { note: note.id }, now)
  return `Forgotten: ${note.text}\nWhat the weights have learned from it stays: /claw rollback takes that back.`
}

export async function shareNotes(asking: Asking, number: number): Promise<string> {
  const { db, event, now } = asking
  const note = (await numbered(asking))[number - 1]
  if (note === undefined) return missing(number)
  if (note.shared) return `It is everybody's already: ${note.text}`
  await shareNote(db, event, note)
  await audit(db, event, event.person.id, 'note-shared', { note: note.id }, now)
  return `Said with everyone's messages from now on, where they have not wished otherwise: ${note.text}`
}

function missing(number: number): string {
  return `There is no note ${number}: /claw memory lists them.`
}

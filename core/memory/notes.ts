import { type CatalogueHint, HINTS } from '../../config/hints.ts'
import type { ChatMessage, Note } from '../types.ts'

/** A wish of one person, kept from their feedback. */
export interface MemoryNote extends Note {
  /** Notes of one group answer the same question (how long, what tone): only the newest stands. Null stands alone. */
  readonly group: string | null
  /** When its words were said, in milliseconds since the epoch. */
  readonly at: number
}

/** A note as it is kept. */
export interface KeptNote extends MemoryNote {
  readonly person: string
  /** The catalogue's wish, or null for the person's own words. */
  readonly wish: string | null
  /** Belongs to the workspace, not to the person who gave it. */
  readonly shared: boolean
  /** The weights have learned it: it stands in the teacher's prompt and no longer in what is served. */
  readonly retired: boolean
}

/** More than a few wishes at once are followed by no model, and cost every prompt. */
export const MOST_NOTES = 10

/**
 * The notes that stand, oldest first, of all that a person has given and not taken back: a newer one replaces those of
 * its group and of its words, and only the newest ten count.
 */
export function standing<N extends MemoryNote>(notes: readonly N[]): N[] {
  const taken = new Set<string>()
  const kept: N[] = []
  for (const note of inOrder(notes).reverse()) {
    const keys = [`text ${note.text.trim().toLowerCase()}`, ...(note.group === null ? [] : [`group ${note.group}`])]
    if (kept.length < MOST_NOTES && !keys.some((key) => taken.has(key))) kept.push(note)
    for (const key of keys) taken.add(key)
  }
  return kept.reverse()
}

/**
 * The notes of one person, oldest first: their own, and the workspace's where they have not wished otherwise. At most
 * ten, of which their own come first.
 */
export function notesFor<N extends KeptNote>(person: string, notes: readonly N[]): N[] {
  const own = standing(notes.filter((note) => !note.shared && note.person === person))
  const groups = new Set(own.map((note) => note.group))
  const shared = standing(notes.filter((note) => note.shared)).filter(
    (note) => (note.group === null || !groups.has(note.group)) && !own.some(({ text }) => text === note.text),
  )
  return inOrder([...own, ...shared.slice(0, Math.max(0, MOST_NOTES - own.length))])
}

/** What two people of one workspace want opposite things about. */
export interface Conflict {
  readonly group: string
  /** Everyone who wants something there. Null is the workspace. */
  readonly people: readonly (string | null)[]
}

/**
 * The groups in which standing notes of different people pull in different directions. Notes of one direction are no
 * conflict: "at most 20 words" and "exactly one sentence" both mean short.
 */
export function conflicts(notes: readonly KeptNote[]): Conflict[] {
  const groups = new Map<string, Map<string | null, Set<string>>>()
  for (const note of notes) {
    if (note.group === null) continue
    const wanted = groups.get(note.group) ?? new Map<string | null, Set<string>>()
    groups.set(note.group, wanted)
    const who = note.shared ? null : note.person
    wanted.set(who, (wanted.get(who) ?? new Set()).add(direction(note)))
  }
  return [...groups].flatMap(([group, wanted]) => {
    const directions = new Set([...wanted.values()].flatMap((own) => [...own]))
    return wanted.size > 1 && directions.size > 1 ? [{ group, people: [...wanted.keys()] }] : []
  })
}

/** What a note wants, among those of its group. */
export function direction({ wish, text }: Pick<KeptNote, 'wish' | 'text'>): string {
  const wishes: Readonly<Record<string, CatalogueHint>> = HINTS
  return wishes[wish ?? '']?.direction ?? text.trim().toLowerCase()
}

/**
 * The request with each note as a paragraph of its own at the end of the last user message, which is where a small
 * model follows them most. Returns the same messages when there are no notes.
 */
export function withNotes(messages: readonly ChatMessage[], notes: readonly string[]): readonly ChatMessage[] {
  if (notes.length === 0) return messages
  const last = messages.findLastIndex((message) => message.role === 'user')
  return messages.map((message, i) =>
    i === last ? { ...message, content: [message.content, ...notes].join('\n\n') } : message,
  )
}

function inOrder<N extends MemoryNote>(notes: readonly N[]): N[] {
  return [...notes].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
}

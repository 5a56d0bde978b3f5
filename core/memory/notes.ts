import type { ChatMessage, Note } from '../types.ts'

/** A wish of one person, kept from their feedback. */
export interface MemoryNote extends Note {
  /** Notes of one group answer the same question (how long, what tone): only the newest stands. Null stands alone. */
  readonly group: string | null
  /** When its words were said, in milliseconds since the epoch. */
  readonly at: number
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

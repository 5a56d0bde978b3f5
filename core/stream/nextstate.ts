import type { Event, EventOf, Signal, Turn } from '../types.ts'

/** What attribution needs to know of a turn. */
export interface KnownTurn {
  readonly id: string
  /** A side turn has no next state, and keeps what follows it from the turn before. */
  readonly kind: Turn['kind']
  /** The asker. */
  readonly person: string
  /** The message that asked, and its words as the reply knew them. */
  readonly message: string
  readonly asked: string
  /** When the reply could first be read; null while it could not. */
  readonly visibleAt: number | null
  /** The platform's messages that carry the reply. */
  readonly messages: readonly string[]
}

/** What an event says about a reply. */
export interface NextState {
  /** Null: about a message that no known reply is carried by, yet. */
  readonly turn: string | null
  readonly type: Signal['type'] | 'button' | 'cleared'
  readonly content: string
  /** False takes back what was said before. */
  readonly active: boolean
}

/**
 * A client that lost the answer sends its request again at once; a person who writes the same words again has read the
 * reply first, and means it.
 */
export const RETRY_MS = 3_000

/**
 * Which turn an event is a next state of, or null when it is none. `turns` are those of the event's conversation and
 * those whose messages the event names, in the order in which their questions were written.
 */
export function nextState(event: Event, turns: readonly KnownTurn[]): NextState | null {
  // Reactions that were cleared are gone, whoever cleared them.
  if (event.person.kind !== 'human' && event.type !== 'reactions_cleared') return null
  const next = stateOf(event, turns)
  return turns.some(({ id, kind }) => id === next?.turn && kind === 'side') ? null : next
}

function stateOf(event: Event, turns: readonly KnownTurn[]): NextState | null {
  switch (event.type) {
    case 'reaction':
    case 'reaction_removed':
      return about(event.message, turns, 'reaction', event.emoji, event.type === 'reaction')
    case 'button':
      return about(event.message, turns, 'button', event.value === 'down' ? '👎' : '👍', event.value !== null)
    case 'reactions_cleared':
      return about(event.message, turns, 'cleared', event.emoji ?? '', false)
    case 'edit':
      return editState(event, turns)
    case 'message': {
      if (event.replyTo !== undefined) return about(event.replyTo, turns, 'message', event.text, true)
      const turn = followed(event, turns)
      return turn && { turn: turn.id, type: 'message', content: event.text, active: !retries(event, turn) }
    }
    default:
      return null
  }
}

/** Whether a message is a client's retry of the question that `turn` has answered. */
export function retries(said: { readonly text: string; readonly at: number }, turn: KnownTurn): boolean {
  return said.text.trim() === turn.asked.trim() && said.at - (turn.visibleAt ?? 0) < RETRY_MS
}

function about(
  message: string,
  turns: readonly KnownTurn[],
  type: NextState['type'],
  content: string,
  active: boolean,
): NextState {
  return { turn: carriedBy(message, turns)?.id ?? null, type, content, active }
}

/**
 * Rewriting the reply is evidence, and so is rewriting the question once its asker could read the reply. Before that,
 * new words only replace the old ones.
 */
function editState(event: EventOf<'edit'>, turns: readonly KnownTurn[]): NextState | null {
  const answered = turns.find(
    (turn) => turn.message === event.message && turn.person === event.person.id && readable(turn, event.at),
  )
  const turn = carriedBy(event.message, turns) ?? answered
  if (turn === undefined) return null
  // Back to the words that were answered, there is nothing left to say about the answer.
  return { turn: turn.id, type: 'edit', content: event.text, active: turn !== answered || event.text !== turn.asked }
}

/** The last turn that could be read when the message was written, when its asker wrote it. */
function followed(event: EventOf<'message'>, turns: readonly KnownTurn[]): KnownTurn | null {
  const last = turns.findLast((turn) => turn.visibleAt !== null && turn.visibleAt <= event.at)
  return last?.person === event.person.id && readable(last, event.at) ? last : null
}

/** Of a reply that no message carries nobody knows whether it was ever shown. */
function readable({ visibleAt, messages }: KnownTurn, at: number): boolean {
  return visibleAt !== null && visibleAt <= at && messages.length > 0
}

function carriedBy(message: string, turns: readonly KnownTurn[]): KnownTurn | undefined {
  return turns.find((turn) => turn.messages.includes(message))
}

import type { Config } from '../../config/config.ts'
import { type Known, knownOf } from '../store/known.ts'
import type { Db } from '../store/schema.ts'
import { followMoves } from '../store/tenants.ts'
import type { Event } from '../types.ts'
import { loopGuard } from './loop-guard.ts'

/**
 * Whether an event is the bot's business. What is not is stored nowhere. People's messages are when they address the bot,
 * belong to a thread that it is part of, answer a reply, or are said where it hears everything; where an admin keeps it
 * out of a channel, none are. What else happens is, when it is about a message that the bot has said or was told. Other
 * bots may only speak to it, and only where the operator lets them; nothing that the bot itself does counts.
 */
export function admits(event: Event, { speak, thread, reply, sending, said }: Known, bots: boolean): boolean {
  const addressed = event.overheard !== true
  switch (event.type) {
    case 'joined':
    case 'left':
    case 'moved':
      return true
    // Whoever took it away, it is gone.
    case 'deletion':
      return addressed || said || reply
    case 'reactions_cleared':
      return addressed || reply || sending
    case 'message':
      if (event.person.kind === 'self' || (event.person.kind === 'bot' && !bots)) return false
      if (event.channel !== undefined && speak === 'off') return false
      return addressed || speak === 'all' || thread || reply
    case 'command':
      return event.person.kind === 'human'
    case 'edit':
      if (event.person.kind !== 'human') return false
      return said || reply || (addressed && !(event.channel !== undefined && speak === 'off'))
    default:
      return event.person.kind === 'human' && (addressed || reply || sending)
  }
}

const NOTHING: Known = { speak: null, thread: false, reply: false, sending: false, said: false }

/** Leaves those of some events that are the bot's business, in order. */
export function createAdmission(
  db: Db,
  { speak, bots }: Config['channels'],
  now: () => number,
): (events: readonly Event[]) => Promise<Event[]> {
  const mayAnswer = loopGuard()

  const asks = ({ channel, overheard }: Event) => channel !== undefined || overheard === true

  async function known(event: Event, before: readonly Event[]): Promise<Known> {
    if (!asks(event)) return NOTHING
    const stored = await knownOf(db, event, now())
    // Those before it are on their way into the store.
    const here = before.filter((other) => sameWorkspace(other, event) && other.type === 'message')
    return {
      ...stored,
      speak: stored.speak ?? speak,
      thread:
        stored.thread ||
        (event.conversation !== event.channel && here.some(({ conversation }) => conversation === event.conversation)),
      said: stored.said || here.some((other) => 'message' in event && names(other, event.message)),
    }
  }

  return async (events) => {
    const taken: Event[] = []
    // What is known of a workspace that has moved is known by its new name.
    for (const event of events.some(asks) ? await followMoves(db, events) : events) {
      if (!admits(event, await known(event, taken), bots)) continue
      if (event.person.kind === 'bot' && event.type === 'message' && !mayAnswer(event, now())) continue
      taken.push(event)
    }
    return taken
  }
}

function sameWorkspace(a: Event, b: Event): boolean {
  return a.platform === b.platform && a.workspace === b.workspace
}

function names(event: Event, message: string): boolean {
  return event.type === 'message' && event.message === message
}

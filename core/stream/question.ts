import type { Config } from '../../config/config.ts'
import { reactionsOf } from '../../config/reactions.ts'
import { readExplicit } from '../judge/explicit.ts'
import { hasOptedOut, lastAsked, setAsked } from '../store/consent.ts'
import type { Db } from '../store/schema.ts'
import { activeSignals, type Saying } from '../store/signals.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { Score } from '../types.ts'
import type { Outlet, Question } from './outlet.ts'

/** What decides whether a person is asked what a reply should have been. */
export interface Displeasure {
  /** What their reactions and buttons on the reply come to; null for nothing. */
  readonly score: Score | null
  /** They have said something about it in words already. */
  readonly words: boolean
  /** What they answer would become a lesson or a note. */
  readonly useful: boolean
  readonly optedOut: boolean
  /** When they were last asked about a reply, in milliseconds since the epoch; 0 for never. */
  readonly askedAt: number
}

/** The least time between two questions to one person, in milliseconds. */
const DAY = 24 * 3_600_000

const QUESTION = 'What should it have been?'

export function asks({ score, words, useful, optedOut, askedAt }: Displeasure, now: number): boolean {
  return score === -1 && !words && useful && !optedOut && now - askedAt >= DAY
}

export interface Asker {
  readonly config: Pick<Config, 'memory'>
  readonly reactions: Config['reactions']
  readonly outlet: (platform: string) => Outlet
  readonly now: () => number
}

/**
 * What to ask the person who has just said by a reaction or a button that a reply is no good, or null. That they are
 * asked is written in this transaction, so nobody is asked twice.
 */
export async function questionAbout(asker: Asker, db: Db, event: Saying, turn: string): Promise<Question | null> {
  if (event.type !== 'reaction' && event.type !== 'button') return null
  if (asker.outlet(event.platform).ask === undefined) return null
  const person = event.person.id
  const theirs = (await activeSignals(db, turn)).filter((signal) => signal.person === person)
  const votes = theirs.filter(({ type }) => type === 'reaction')
  const displeasure: Displeasure = {
    score: readExplicit(votes, reactionsOf(asker.reactions, event))?.score ?? null,
    words: votes.length < theirs.length,
    useful: asker.config.memory.notes || (await findWorkspace(db, event))?.learning === 1,
    optedOut: await hasOptedOut(db, event, person),
    askedAt: await lastAsked(db, event, person),
  }
  const now = asker.now()
  if (!asks(displeasure, now)) return null
  await setAsked(db, event, person, now)
  return { person, message: event.message, text: QUESTION }
}

import type { Config } from '../../config/config.ts'
import { setAnswering, setHandled } from '../store/inbox.ts'
import type { Db } from '../store/schema.ts'
import { transact } from '../store/transact.ts'
import { setWelcomed } from '../store/workspaces.ts'
import type { EventOf } from '../types.ts'
import { mayTrain, NO_TRAINING } from './consent.ts'
import type { Outlet } from './outlet.ts'

export interface Host {
  readonly db: Db
  readonly config: Pick<Config, 'discord' | 'channels' | 'retentionDays'>
  readonly outlet: (platform: string) => Outlet
  readonly now: () => number
}

/** Says once in a workspace what the bot keeps, and who decides about it. `known` is what an earlier life was to say. */
export async function welcome(host: Host, event: EventOf<'joined'>, seq: number, known: string | null): Promise<void> {
  const text =
    known ??
    (await transact(host.db, async (tx) => {
      const first = await setWelcomed(tx, event, host.now())
      if (first) await setAnswering(tx, seq, terms(host.config, event.platform))
      else await setHandled(tx, seq)
      return first ? terms(host.config, event.platform) : null
    }))
  if (text === null) return
  await host.outlet(event.platform).notify(event, { text })
  await setHandled(host.db, seq)
}

function terms(config: Host['config'], platform: string): string {
  const { speak } = config.channels
  const heard =
    speak === 'all'
      ? 'what is said in the channels that I am in'
      : 'what is said to me, by mention, reply or direct message, and in threads that I am part of'
  const learning = mayTrain(config, platform)
    ? 'Learning from it is off until an admin turns it on: /claw learn on'
    : NO_TRAINING
  const days = config.retentionDays
  return [
    `Hello, I am Claw. I keep ${heard}, my replies, and what you think of them (reactions, answers, edits)${days === null ? '' : `, for ${days} days`}. Of anything else I keep nothing.`,
    `${learning}`,
    'Anyone may say /claw optout (nothing you say is learned from), /claw forget me (everything of yours is erased) or /claw help.',
  ].join('\n')
}

import type { Speak } from '../../config/config.ts'
import { audit } from '../store/audit.ts'
import { channelSpeak, setChannelSpeak } from '../store/channels.ts'
import { choose, findWorkspace } from '../store/workspaces.ts'
import type { Asking } from './asking.ts'
import { count } from './text.ts'

const SPEAK = {
  all: 'answer everything that is said',
  mention: 'speak when I am addressed, and in threads that I am part of',
  off: 'am silent',
} as const

const ALONE = 'Here I always answer. Say that in the channel that it is about.'

export async function channel({ db, event, now }: Asking, speak: Speak): Promise<string> {
  if (event.channel === undefined) return ALONE
  await setChannelSpeak(db, event, event.channel, speak)
  await audit(db, event, event.person.id, 'chosen', { channel: event.channel, speak }, now)
  return `From now on I ${SPEAK[speak]} in this channel.`
}

/** Null follows the operator's setting, 0 keeps what was said. */
export async function retention({ db, event, config, now }: Asking, days: number | null): Promise<string> {
  await choose(db, event, { retention_days: days })
  await audit(db, event, event.person.id, 'chosen', { retention_days: days }, now)
  const kept = days ?? config.retentionDays ?? 0
  return kept === 0
    ? 'From now on what is said is kept until someone has it forgotten.'
    : `From now on what is said is deleted after ${count(kept, 'day', 'days')}: messages, replies, feedback and the lessons made of them. Notes and versions of the weights stay.`
}

/** What `/claw status` says about where it speaks, and how long what it hears is kept. */
export async function keeping({ db, event, config }: Asking): Promise<string[]> {
  const days = (await findWorkspace(db, event))?.retention_days ?? config.retentionDays ?? 0
  const kept = days === 0 ? [] : [`What is said is kept for ${count(days, 'day', 'days')}.`]
  if (event.channel === undefined) return kept
  const speak = (await channelSpeak(db, event, event.channel)) ?? config.channels.speak
  return [`In this channel I ${SPEAK[speak]}.`, ...kept]
}

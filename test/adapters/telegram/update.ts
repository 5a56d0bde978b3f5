import type { Message, Update } from 'grammy/types'
import { eventsOf, type Together } from '../../../adapters/telegram/events.ts'
import { signer } from '../../../adapters/telegram/question.ts'
import type { Event } from '../../../core/types.ts'

export const ME = { id: 7_000_000_001, username: 'claw_bot' }

export const sign = signer('a token')

export const ann = { id: 42, is_bot: false, first_name: 'Ann', last_name: 'Lee' }
export const bot = { id: ME.id, is_bot: true, first_name: 'Claw', username: ME.username }
export const other = { id: 7_000_000_002, is_bot: true, first_name: 'Other', username: 'other_bot' }

export const direct = { id: 42, type: 'private', first_name: 'Ann' } as const
export const group = { id: -100, type: 'group', title: 'Team' } as const
export const forum = { id: -1_001_000_000_001, type: 'supergroup', title: 'Forum', is_forum: true } as const

/** A message of Ann's in a group, with whatever is different about it. */
export function message(fields: Record<string, unknown>): Message {
  const text = typeof fields.text === 'string' ? fields.text : (fields.caption as string | undefined)
  const entities = [...(text ?? '').matchAll(/@\w+|^\/\w+(?:@\w+)?/g)].map((match) => ({
    type: match[0].startsWith('@') ? 'mention' : 'bot_command',
    offset: match.index,
    length: match[0].length,
  }))
  const found = fields.caption === undefined ? { entities } : { caption_entities: entities }
  return { message_id: 5, date: 1_000, from: ann, chat: group, ...found, ...fields } as unknown as Message
}

export function eventsFrom(
  update: object,
  rest: readonly Message[] = [],
  around: Omit<Together, 'update' | 'rest'> = {},
): readonly Event[] {
  const whole = { update_id: 9, ...update } as unknown as Update
  return eventsOf({ update: whole, rest, ...around }, { me: ME, sign, now: 7_000 })
}

export const fromMessage = (fields: Record<string, unknown>): Event | undefined =>
  eventsFrom({ message: message(fields) })[0]

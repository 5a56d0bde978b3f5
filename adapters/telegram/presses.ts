import type { Api } from 'grammy'
import type { CallbackQuery } from 'grammy/types'
import type { Event, EventOf } from '../../core/types.ts'
import { platformError } from './errors.ts'
import { isPrivate } from './ids.ts'
import { pressed, thumbsKeyboard } from './thumbs.ts'
import { unlessUnmodified } from './verbs.ts'

/** Answers presses of thumbs, and shows what was chosen. */
export interface Presses {
  /** What a press means where it stands: under a message that many see, the same thumb again takes it back. */
  read(event: Event): Event
  /** Tells who pressed that it was noticed. Telegram shows it as busy until then. */
  answer(query: CallbackQuery, event: Event | undefined): Promise<void>
}

/** Choices under messages that many see are remembered for a while: their keyboard cannot show everyone's. */
const MOST = 10_000

export function createPresses(api: Api, report: (error: unknown) => void): Presses {
  const chosen = new Map<string, { readonly value: EventOf<'button'>['value']; readonly by: string }>()

  async function show({ message }: CallbackQuery, value: EventOf<'button'>['value']): Promise<void> {
    if (message === undefined || !isPrivate(message.chat)) return
    await api
      .editMessageReplyMarkup(message.chat.id, message.message_id, { reply_markup: thumbsKeyboard(value) })
      .catch(unlessUnmodified)
  }

  return {
    read(event) {
      if (event.type !== 'button' || event.channel === undefined) return event
      const key = `${event.message} ${event.person.id}`
      const before = chosen.get(key)
      // The same press may be delivered again.
      if (before?.by === event.id) return { ...event, value: before.value }
      const value = before?.value === event.value ? null : event.value
      chosen.delete(key)
      chosen.set(key, { value, by: event.id })
      if (chosen.size > MOST) chosen.delete(chosen.keys().next().value!)
      return { ...event, value }
    },
    async answer(query, event) {
      const value = event?.type === 'button' ? event.value : undefined
      const text = value === undefined ? {} : { text: pressed(value) }
      try {
        await Promise.all([
          api.answerCallbackQuery(query.id, text),
          value === undefined ? Promise.resolve() : show(query, value),
        ])
      } catch (error) {
        // One that is delivered again is answered already.
        const known = platformError(error)
        if (known.code !== 'PLATFORM_REFUSED') report(known)
      }
    },
  }
}

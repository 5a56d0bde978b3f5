import type { Api } from 'grammy'
import type { CallbackQuery, InlineKeyboardMarkup } from 'grammy/types'
import { hasOptedOut } from '../../core/store/consent.ts'
import type { Db } from '../../core/store/schema.ts'
import { pressed as pressedBefore } from '../../core/store/signals.ts'
import type { EventOf } from '../../core/types.ts'
import { NOT_KEPT, STOP } from '../said.ts'
import { platformError } from './errors.ts'
import { isPrivate } from './ids.ts'
import { notedAs, thumbsKeyboard } from './thumbs.ts'
import { unlessUnmodified } from './verbs.ts'

/** Answers presses of buttons, and shows what came of them. */
export interface Presses {
  /** What a press means where it stands: under a message that many see, the same thumb again takes it back. */
  read(event: EventOf<'button'>): Promise<EventOf<'button'>>
  /** Tells who pressed that it was noticed. Telegram shows it as busy until then. */
  answer(query: CallbackQuery, pressed: Pressed): Promise<void>
}

/** A thumb, with what it says now; or Stop: it stopped the reply, was pressed by another person, or came too late. */
export type Pressed = { readonly thumb: EventOf<'button'> } | 'stopped' | 'theirs' | 'over' | null

/** Choices under messages that many see, whose keyboard cannot show everyone's; older ones are in the store by now. */
const MOST = 10_000

/** Whatever is written changes more often, and so does what has just ended. [s] */
const STILL = 90

export function createPresses(api: Api, db: Db, now: () => number, report: (error: unknown) => void): Presses {
  const chosen = new Map<string, { readonly value: EventOf<'button'>['value']; readonly by: string }>()

  /** Whether nobody writes on a message any more. What Telegram no longer shows has no date. */
  function stands(message: NonNullable<CallbackQuery['message']>): boolean {
    const changed = message.date === 0 ? 0 : (message.edit_date ?? message.date)
    return now() / 1_000 - changed > STILL
  }

  /** Nothing is kept of who has opted out, and a thumb that shows otherwise would be a lie. */
  const isOut = ({ value, person, ...press }: EventOf<'button'>): Promise<boolean> | false =>
    value !== null && hasOptedOut(db, press, person.id)

  async function show({ message }: CallbackQuery, pressed: Pressed): Promise<void> {
    if (message === undefined) return
    const edit = (markup: { reply_markup?: InlineKeyboardMarkup }) =>
      api.editMessageReplyMarkup(message.chat.id, message.message_id, markup).catch(unlessUnmodified)
    // A reply that ended unseen has kept its button. Under one that has just ended there may be thumbs by now.
    if (pressed === 'over' && stands(message)) await edit({})
    else if (typeof pressed === 'object' && pressed !== null && isPrivate(message.chat)) {
      await edit({ reply_markup: thumbsKeyboard(pressed.thumb.value) })
    }
  }

  return {
    async read(event) {
      if (event.channel === undefined) return event
      const key = `${event.message} ${event.person.id}`
      const known = chosen.get(key)
      // The same press may be delivered again.
      if (known?.by === event.id) return { ...event, value: known.value }
      const before = known ?? thumbIn(await pressedBefore(db, event, event.message, event.person.id))
      const value = before.value === event.value ? null : event.value
      chosen.delete(key)
      chosen.set(key, { value, by: event.id })
      if (chosen.size > MOST) chosen.delete(chosen.keys().next().value!)
      return { ...event, value }
    },
    async answer(query, pressed) {
      try {
        const kept = typeof pressed === 'string' || pressed === null || !(await isOut(pressed.thumb))
        const text = kept ? said(pressed) : NOT_KEPT
        const told = api.answerCallbackQuery(query.id, text === null ? {} : { text })
        await Promise.all([told, ...(kept ? [show(query, pressed)] : [])])
      } catch (error) {
        // One that is delivered again is answered already, and what is shown too late is shown by the next press.
        const known = platformError(error)
        if (known.code === 'PLATFORM_LOST') report(known)
      }
    },
  }
}

function said(pressed: Pressed): string | null {
  if (pressed === null) return null
  if (pressed === 'stopped') return 'Stopped.'
  return typeof pressed === 'string' ? STOP[pressed] : notedAs(pressed.thumb.value)
}

/** By the emoji that stands for a thumb in the store. */
function thumbIn(emoji: string | null): { readonly value: EventOf<'button'>['value'] } {
  return { value: emoji === null ? null : emoji === '👎' ? 'down' : 'up' }
}

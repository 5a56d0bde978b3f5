import type { InlineKeyboardMarkup } from 'grammy/types'

type Value = 'up' | 'down' | null

const THUMBS = [
  ['up', '👍'],
  ['down', '👎'],
] as const

/** What a button says goes with it, so that a press means the same after a restart. */
const PREFIX = 'thumb:'

/** Thumbs under a reply. The one that was chosen shows it, and pressed again takes it back. */
export function thumbsKeyboard(chosen: Value = null): InlineKeyboardMarkup {
  return {
    inline_keyboard: [
      THUMBS.map(([value, emoji]) =>
        value === chosen
          ? { text: `${emoji} ✓`, callback_data: `${PREFIX}none` }
          : { text: emoji, callback_data: `${PREFIX}${value}` },
      ),
    ],
  }
}

const STOP = 'stop:'

/** Under a reply that is being written in a group; private chats have a button of Telegram's own for it. */
export const stopKeyboard = (part: string): InlineKeyboardMarkup => ({
  inline_keyboard: [[{ text: '⏹ Stop', callback_data: `${STOP}${part}` }]],
})

/** The part whose writing is to stop. */
export const readStop = (data: string | undefined): string | null =>
  data?.startsWith(STOP) ? data.slice(STOP.length) : null

export function readThumb(data: string | undefined): { readonly value: Value } | null {
  switch (data) {
    case `${PREFIX}up`:
      return { value: 'up' }
    case `${PREFIX}down`:
      return { value: 'down' }
    case `${PREFIX}none`:
      return { value: null }
    default:
      return null
  }
}

/** Said for a moment to who pressed. */
export const notedAs = (value: Value): string =>
  value === null ? 'Taken back.' : value === 'up' ? '👍 noted' : '👎 noted'

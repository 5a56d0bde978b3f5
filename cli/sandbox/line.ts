import { spellings } from '../../config/reactions.ts'
import { PLATFORMS, type PlatformName } from '../../config/tokens.ts'
import type { Fault } from '../../test/fake-platforms/fault.ts'

/** What a person in the sandbox meant by a line. */
export type Input =
  | { readonly type: 'nothing' | 'dm' | 'channel' | 'thread' | 'delete' | 'calls' | 'help' | 'quit' }
  | { readonly type: 'platform'; readonly platform: PlatformName }
  | { readonly type: 'message' | 'command' | 'edit' | 'answer' | 'as' | 'press'; readonly text: string }
  /** As a character. */
  | { readonly type: 'reaction'; readonly emoji: string }
  | { readonly type: 'fault'; readonly fault: Fault }
  /** One line on what is wrong with it. */
  | { readonly type: 'mistake'; readonly text: string }

const PLAIN = ['dm', 'channel', 'thread', 'delete', 'calls', 'help', 'quit'] as const
const WITH_TEXT = ['edit', 'answer', 'as', 'press'] as const

const THUMBS: Readonly<Record<string, string>> = { '+': '👍', '-': '👎' }
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Presentation})(?:\p{M}|\p{Sk}|\u200D)*$/u

/** Reads one line. */
export function readLine(line: string): Input {
  const text = line.trim()
  if (text === '') return { type: 'nothing' }
  const emoji = THUMBS[text] ?? spellings(/^:([\w+-]+):$/.exec(text)?.[1] ?? '')?.character
  if (emoji !== undefined) return { type: 'reaction', emoji }
  if (PICTURE.test(text)) return { type: 'reaction', emoji: text }
  const [, word, rest = ''] = /^\/(\w+)\s*(.*)$/s.exec(text) ?? []
  if (word === undefined) return { type: 'message', text }
  const platform = PLATFORMS.find((name) => name === word)
  if (platform !== undefined) return { type: 'platform', platform }
  if (word === 'claw') return { type: 'command', text: rest }
  if (word === 'fault') return readFault(rest)
  const plain = PLAIN.find((name) => name === word)
  if (plain !== undefined) return { type: plain }
  const named = WITH_TEXT.find((name) => name === word)
  if (named === undefined) return { type: 'mistake', text: `there is no /${word} here; /help shows what there is` }
  return rest === '' ? { type: 'mistake', text: `/${named} wants something behind it` } : { type: named, text: rest }
}

export const FAULTS = 'limited SECONDS, refused, lost, slow MS, duplicate COPIES, reorder COUNT, disconnect'

function readFault(text: string): Input {
  const [type, value] = text.split(/\s+/)
  const number = Number(value ?? (type === 'slow' ? 2_000 : 2))
  if (!Number.isFinite(number) || number <= 0) return { type: 'mistake', text: `/fault wants one of ${FAULTS}` }
  switch (type) {
    case 'limited':
      return { type: 'fault', fault: { type, seconds: number } }
    case 'slow':
      return { type: 'fault', fault: { type, ms: number } }
    case 'duplicate':
      return { type: 'fault', fault: { type, copies: number } }
    case 'reorder':
      return { type: 'fault', fault: { type, count: number } }
    case 'refused':
    case 'lost':
    case 'disconnect':
      return { type: 'fault', fault: { type } }
    default:
      return { type: 'mistake', text: `/fault wants one of ${FAULTS}` }
  }
}

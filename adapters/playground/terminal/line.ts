/** What a person meant by a line. */
export type Input =
  | { readonly type: 'nothing' | 'new' | 'help' | 'quit' }
  | { readonly type: 'message' | 'command' | 'as'; readonly text: string }
  | { readonly type: 'reaction'; readonly emoji: string }

const THUMBS: Readonly<Record<string, string>> = { '+': '👍', '-': '👎' }
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Presentation}/u

/**
 * Reads one line. Words are never a reaction, even where the table knows a reaction by that name: who types `heart`
 * writes a message. `known` says whether the reaction table has an emoji.
 */
export function readLine(line: string, known: (emoji: string) => boolean): Input {
  const text = line.trim()
  if (text === '') return { type: 'nothing' }
  const emoji = THUMBS[text] ?? text
  if (PICTURE.test(emoji) && known(emoji)) return { type: 'reaction', emoji }
  const [word = '', ...rest] = text.split(/\s+/)
  switch (word) {
    case '/claw':
      return { type: 'command', text }
    case '/new':
    case '/help':
    case '/quit':
      return rest.length === 0 ? { type: word.slice(1) as 'new' | 'help' | 'quit' } : { type: 'message', text }
    case '/as':
      return { type: 'as', text: rest.join(' ') }
    default:
      return { type: 'message', text }
  }
}

import type { EventOf } from '../types.ts'

/** File names that are said in full. */
const NAMED = 5
const LONGEST_NAME = 60

/** What a reply says below its own text about files that came with the message; empty where none did. */
export function unreadNote({ unread = [] }: Pick<EventOf<'message'>, 'unread'>): string {
  return unread.length === 0 ? '' : `\n\nI have not read ${list(unread)}: I read text only.`
}

/** The answer to a message that is nothing but files; null for any other. */
export function onlyUnread({ text, unread = [] }: Pick<EventOf<'message'>, 'text' | 'unread'>): string | null {
  if (text.trim() !== '' || unread.length === 0) return null
  return `I have not read ${list(unread)}: I read text only. Say it in words, and I will answer.`
}

function list(files: readonly string[]): string {
  const names = files.slice(0, NAMED).map(code)
  if (files.length > NAMED) names.push(`${files.length - NAMED} more`)
  return names.length === 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** As code, so that nothing in a name is Markdown, a link or a mention. */
function code(name: string): string {
  const plain = name.replace(/[`\p{C}\s]+/gu, ' ').trim()
  const characters = [...(plain === '' ? 'a file' : plain)]
  const short = characters.length <= LONGEST_NAME ? characters : [...characters.slice(0, LONGEST_NAME - 1), '…']
  return `\`${short.join('')}\``
}

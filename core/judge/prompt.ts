import { randomBytes } from 'node:crypto'
import { JUDGE_EXAMPLES, JUDGE_PROMPT } from '../../config/prompts.ts'
import type { ChatMessage, Score } from '../types.ts'
import type { Evidence, Said } from './judge.ts'
import { clean, READ_LIMIT } from './text.ts'

/** What one asking came to. */
export interface Ballot {
  readonly score: Score
  /** As the model wrote it: not to be trusted yet. */
  readonly hint: string | null
}

/** Characters of a request and a reply that the judge sees: their beginning and their end. */
const SHOWN = 900

/**
 * The judge's prompt: request, reply and next state with their authors, each line quoted, between fences that nobody
 * who wrote the evidence could know. What never changes stands first.
 */
export function judgePrompt({ request, reply, asker }: Evidence, said: readonly Said[]): ChatMessage[] {
  const examples = JUDGE_EXAMPLES.flatMap(({ evidence: [asked, answered, next], line }, i): ChatMessage[] => {
    const parts = [
      ['the asker asked', asked],
      ['the bot replied', answered],
      ['the asker went on', next],
    ] as const
    return [
      { role: 'user', content: render(parts, `example-${i + 1}`) },
      { role: 'assistant', content: line },
    ]
  })
  const others = [...new Set(said.map(({ person }) => person))].filter((person) => person !== asker)
  const next = said.map(({ person, text }): [string, string] => [
    person === asker ? 'the asker went on' : `person ${others.indexOf(person) + 2} said`,
    text,
  ])
  const parts = [
    ['the asker asked', middleOut(request)] as const,
    ['the bot replied', middleOut(reply)] as const,
    ...next,
  ]
  return [
    { role: 'system', content: JUDGE_PROMPT },
    ...examples,
    { role: 'user', content: render(parts, randomBytes(8).toString('hex')) },
  ]
}

/** The vote in the model's own last line; null where it is none. */
export function parseBallot(text: string): Ballot | null {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  const match =
    /^[*_`"'\s]{0,3}(?:score\s*[:=]?\s*)?([+\-−]?)([01])[*_`"'\s]{0,3}(?:\|\s*(.*?)[*_`"'\s]{0,3})?$/iu.exec(
      last.trim(),
    )
  if (match === null) return null
  const size = Number(match[2])
  const score = (size === 0 ? 0 : /[-−]/.test(match[1] ?? '') ? -1 : 1) as Score
  const hint = match[3]?.trim() ?? ''
  return { score, hint: /[\p{L}\p{N}]/u.test(hint) ? hint : null }
}

function render(parts: readonly (readonly [author: string, words: string])[], fence: string): string {
  const shown = parts.map(([author, words]) => `[${author}]\n${quote(words)}`)
  return [`<<${fence}`, ...shown, `${fence}>>`, 'Score | sentence:'].join('\n')
}

/** Every line quoted; nothing that a reader cannot see, and nothing that a chat template takes for its own. */
function quote(words: string): string {
  return clean(words)
    .slice(0, READ_LIMIT + SHOWN)
    .split('\n')
    .map((line) => `> ${defuse(line)}`)
    .join('\n')
}

function defuse(line: string): string {
  return line
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/\[(\/?\s*[A-Z_]{2,})\]/g, '($1)')
}

function middleOut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN / 2)}\n…\n${text.slice(-SHOWN / 2)}`
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { discordText, fitsDiscord } from '../../../adapters/markdown/discord.ts'
import { parse } from '../../../adapters/markdown/parse.ts'
import { plainText } from '../../../adapters/markdown/plain.ts'
import { fitsSlack, slackMarkdown, slackMrkdwn, slackPlain } from '../../../adapters/markdown/slack.ts'
import { split } from '../../../adapters/markdown/split.ts'
import { fitsTelegram, telegramPlain, telegramText } from '../../../adapters/markdown/telegram.ts'
import type { Document } from '../../../adapters/markdown/tree.ts'
import { markdownTexts } from './texts.ts'

const letters = (text: string): string => text.replace(/&\w+;|[^\p{L}\p{N}]/gu, '')

/** The first word that is missing from the texts, or null: each is there after the one before it. */
function missing(words: readonly string[], texts: readonly string[]): string | null {
  const said = letters(texts.map((text) => text.replace(/```\S*/g, '')).join(''))
  let at = 0
  for (const word of words.map(letters)) {
    const found = said.indexOf(word, at)
    if (found < 0) return word
    at = found + word.length
  }
  return null
}

const FENCE = '```'

/** Where fences are written at all. */
const open = (text: string): boolean => (text.split(FENCE).length - 1) % 2 === 1

interface Written {
  readonly text: string
  /** Where it may not call anyone. */
  readonly words: string
  readonly limit: number
  readonly fences: boolean
}

/** Real limits, and small ones that make most texts many parts. */
const PLATFORMS: readonly {
  readonly name: string
  /** What would call someone. */
  readonly calls: RegExp
  readonly fits: (part: Document) => boolean
  readonly write: (part: Document) => readonly Written[]
}[] = [
  {
    name: 'Slack',
    calls: /<[@#!]|@(?:everyone|here|channel)/i,
    fits: fitsSlack,
    write: (part) =>
      [slackMarkdown(part), slackMrkdwn(part), slackPlain(part)].map((text, form) => ({
        text,
        words: text,
        limit: 3_500,
        fences: form < 2,
      })),
  },
  {
    name: 'Discord',
    calls: /@(?:everyone|here)|<@[!&]?\d+>|<#\d+>/i,
    fits: fitsDiscord,
    write: (part) => [{ text: discordText(part), words: discordText(part), limit: 1_900, fences: true }],
  },
  {
    name: 'Telegram',
    calls: /(?<![\w/.])@\w/,
    fits: fitsTelegram,
    write: (part) => {
      const { text, entities } = telegramText(part)
      const code = entities.filter(({ type }) => type === 'code' || type === 'pre')
      const words = code.reduceRight(
        (rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length),
        text,
      )
      return [
        { text, words, limit: 4_096, fences: false },
        { text: telegramPlain(part), words: telegramPlain(part), limit: 4_096, fences: false },
      ]
    },
  },
]

const RUNS = 10_000

test('10,000 random texts: every part fits, nothing is lost, no fence is open, nobody is called', {
  timeout: 120_000,
}, () => {
  let parts = 0
  // Most limits are small, so that most texts are many parts.
  fc.assert(
    fc.property(markdownTexts, fc.constantFrom(1, 0.1, 0.07, 0.05), ({ markdown, words }, scale) => {
      const document = parse(markdown)
      for (const { name, fits, write, calls } of PLATFORMS) {
        const found = split(
          document,
          (part) => write(part).every(({ text, limit }) => text.length <= limit * scale) && fits(part),
        )
        parts += found.length
        const texts = found.map(write)
        const problems = texts
          .flat()
          .flatMap(({ text, words: said, limit, fences }) => [
            text.length > limit * scale ? 'too long' : [],
            calls.exec(said)?.[0] ?? [],
            fences && open(text) ? 'open fence' : [],
            /\p{Surrogate}/u.test(text) ? 'half a character' : [],
          ])
        if (found.length === 0 || found.some((part) => plainText(part).trim() === '')) problems.push('nothing in it')
        for (const form of texts[0]?.keys() ?? []) {
          problems.push(
            missing(
              words,
              texts.map((written) => written[form]?.text ?? ''),
            ) ?? [],
          )
        }
        if (problems.flat().length > 0) throw new Error(`${name}: ${problems.flat().join(', ')}`)
      }
    }),
    { numRuns: RUNS, seed: 1 },
  )
  expect(parts).toBeGreaterThan(4 * RUNS)
})

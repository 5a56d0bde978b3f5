import { expect, test } from 'vitest'
import { HINTS, type WishId } from '../../../config/hints.ts'
import { measure } from '../../../core/memory/follows.ts'

const list = (mark: (i: number) => string) => [1, 2, 3].map((i) => `${mark(i)} item`).join('\n')

test.each<[WishId, string, string]>([
  ['one-sentence', 'Tea is a drink.', 'Tea is a drink. People like it.'],
  ['answer-only', 'Canberra.', 'The capital of Australia is the city of Canberra, in the south east of it.'],
  ['detail', 'One.\n\nTwo.\n\nThree.', 'One. Two. Three.'],
  ['short', 'Tea is a drink.', 'word '.repeat(31)],
  ['steps', list((i) => `${i}.`), list(() => '-')],
  ['table', '| a | b |\n|---|---|\n| 1 | 2 |', 'a is 1, b is 2'],
  ['prose', 'Tea is a drink.', list(() => '-')],
  ['bullets', list(() => '-'), list((i) => `${i}.`)],
  ['code-only', '```js\nlet x\n```', 'Here:\n```js\nlet x\n```'],
  ['warm', 'Hi there! Tea is a drink.', 'Tea is a drink.'],
  ['greeting', 'Hi! Tea is a drink.', 'Tea is a drink. Hi!'],
  ['no-greeting', 'Tea is a drink.', 'Sure, tea is a drink.'],
  ['no-emoji', 'Tea.', 'Tea 🍵'],
  ['emoji', 'Tea 🍵', '🍵 Tea 🍵'],
  ['no-question', 'Tea.', 'Tea?'],
  ['question', 'Tea is a drink. Do you like it?', 'Do you like tea? I do.'],
  ['no-sources', 'Tea.', 'Tea: https://tea.example'],
  ['no-apology', 'Tea.', 'Sorry, tea.'],
])('%s', (wish, good, bad) => {
  const follows = measure({ wish, text: HINTS[wish].hint })
  expect([good, bad, ' '].map((reply) => follows?.(reply))).toEqual([true, false, false])
})

test('what a wish names is measured by', () => {
  const limit = measure({ wish: 'word-limit', text: 'Answer in no more than 3 words.' })
  expect([limit?.('one two three'), limit?.('one two three four')]).toEqual([true, false])
  const name = measure({ wish: 'name', text: 'Call me by my name, Sam.' })
  expect([name?.('Yes, Sam.'), name?.('Yes.')]).toEqual([true, false])
})

test.each([
  [null, 'Mention the weather.'],
  ['formal', HINTS.formal.hint],
  ['short', `${HINTS.short.hint} ${HINTS.emoji.hint}`],
])('what cannot be counted is not: %s', (wish, text) => {
  expect(measure({ wish, text })).toBeNull()
})

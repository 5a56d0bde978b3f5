import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { redact, redactEvent } from '../../../core/stream/redact.ts'
import { DISGUISES, drawLots, type Lot, PERSONAL, TOKENS } from './planted.ts'

const EACH = 40

/** What must not be left of a secret: the part that opens something, without signs. */
function core(kind: string, secret: string): string {
  if (kind === 'pem') return bare(secret.split('\n').slice(1, -1).join(''))
  if (kind === 'database url') return bare(secret.replace(/^.*?app:|@.*/g, ''))
  return bare(secret.slice(secret.indexOf('=') + 1))
}

const bare = (text: string) => text.normalize('NFKC').replace(/[^A-Za-z0-9]/g, '')

/** Share of planted secrets of which no eight characters in a row can be read any more. */
function recall(kind: string, make: (lot: Lot) => string, disguise: (secret: string, lot: Lot) => string): number {
  const lot = drawLots(7)
  let kept = 0
  for (let i = 0; i < EACH; i++) {
    const secret = make(lot)
    const left = bare(redact(disguise(secret, lot)))
    const parts = core(kind, secret)
    for (let at = 0; at + 8 <= parts.length; at++) {
      if (!left.includes(parts.slice(at, at + 8))) continue
      kept += 1
      break
    }
  }
  return 1 - kept / EACH
}

describe.each(Object.entries(DISGUISES))('a secret %s', (_name, disguise) => {
  test.each(Object.entries(TOKENS))('%s token is masked', (kind, make) => {
    expect(recall(kind, make, disguise)).toBeGreaterThanOrEqual(0.99)
  })

  test.each(Object.entries(PERSONAL))('%s is masked', (kind, make) => {
    expect(recall(kind, make, disguise)).toBeGreaterThanOrEqual(0.95)
  })
})

const lot = drawLots(3)
const masks: [string, string, string][] = [
  ['names the provider', `my key ${TOKENS.github!(lot)} leaked`, 'my key [secret: github token] leaked'],
  ['an address in the middle of a sentence', 'my email is ann@example.org, write me', 'my email is [email], write me'],
  ['a telephone number', 'call me at (212) 555-0198 tonight', 'call me at [phone] tonight'],
  ['a card', 'pay with 4111 1111 1111 1111 please', 'pay with [card] please'],
  ['an account', 'to DE89 3704 0044 0532 0130 00 by Friday', 'to [iban] by Friday'],
  ['a password by its name', 'The password is hunter2!x', 'The password is [secret: password]'],
  ['two of them', `${TOKENS.npm!(lot)} and a@b.de`, '[secret: npm token] and [email]'],
  ['the next word stays', `${TOKENS.anthropic!(lot)}\nthanks a lot`, '[secret: anthropic key]\nthanks a lot'],
]

test.each(masks)('a mask %s', (_name, text, masked) => {
  expect(redact(text)).toBe(masked)
  expect(redact(masked)).toBe(masked)
})

const PLAIN: readonly ((lot: Lot) => string)[] = [
  ({ below }) => `Meet me on 2026-0${1 + below(9)}-1${below(9)} at 1${below(9)}:${10 + below(49)}`,
  ({ below }) => `am 0${1 + below(9)}.0${1 + below(9)}.2025 um 10:${10 + below(49)} Uhr, Zimmer ${below(900)}`,
  ({ below }) => `version 1.${below(20)}.${below(100)}-beta.${below(9)} of node v20.${below(30)}.${below(9)}`,
  ({ below }) => `the server 192.168.${below(256)}.${below(256)} answers on port ${1024 + below(60000)}`,
  ({ below }) => `it costs $${below(100000)}.${10 + below(89)} or ${below(1000)},${100 + below(899)} €`,
  ({ word }) => `fixed in commit ${word('0123456789abcdef', 40)}`,
  ({ word }) => `id ${[8, 4, 4, 4, 12].map((length) => word('0123456789abcdef', length)).join('-')} was not found`,
  ({ word, below }) => `https://example.com/${word('abcdefgh', 9)}/${below(10000)}?page=${below(100)}&sort=up#top`,
  ({ below }) => `git clone git@github.com:owner/repo-${below(100)}.git`,
  ({ below }) => `npm install left-pad@1.${below(9)}.${below(9)} @scope/name@^${below(9)}.0.0`,
  ({ below }) => `order ${10000000 + below(89999999)}, seat ${below(40)}A, flight LH ${100 + below(899)}`,
  ({ below }) => `ISBN 978-3-16-${100000 + below(899999)}-${below(10)}`,
  ({ below }) => `${below(100)} + ${below(100)} = ${below(200)}, and 2^${below(64)} is ${2 ** (10 + below(40))}`,
  ({ below }) => `function getElementById${below(100)}(tokenCount, passwordField) { return token[${below(9)}] }`,
  ({ below }) => `The token is invalid. Your password must have ${8 + below(8)} characters`,
  ({ below }) => `population ${below(1000)} ${100 + below(899)} ${100 + below(899)} in 20${10 + below(16)}`,
  ({ word }) => `sha512-style names such as ${word('abcdefghijklmnop', 12)}_${word('qrstuvwxyz', 14)}_handler`,
  ({ of }) =>
    of([
      'ok 👍🏽 danke!',
      '東京の天気はどうですか？',
      'а теперь короче, пожалуйста',
      'família 👨‍👩‍👧 e café',
      'ﬁne ½ ™',
    ]),
  ({ of }) => `- ${of(['one', 'two'])}\n- ${of(['three', 'four'])}\n\n1. ${of(['five', 'six'])}\n2. seven`,
  ({ below }) => `| a | b |\n|---|---|\n| ${below(9999)} | ${below(9999)} |\n| ${below(9999)} | ${below(9999)} |`,
]

test('what is none stays as it is, byte for byte', () => {
  const lots = drawLots(11)
  const changed: string[] = []
  for (let i = 0; i < 5_000; i++) {
    const text = lots.of(PLAIN)(lots)
    if (redact(text) !== text) changed.push(text)
  }
  expect(changed.slice(0, 5)).toEqual([])
})

/** Talk of people, where it lies beside the project. What is masked in it is to be a number or an address. */
const TALK = join(import.meta.dirname, '../../../../shared/data')

test.skipIf(!existsSync(TALK))('of the talk of people nothing is masked but addresses and numbers', () => {
  let lines = 0
  const masked: string[] = []
  for (const file of readdirSync(TALK).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(TALK, file), 'utf8').trim().split('\n')) {
      const { request, reply, event } = JSON.parse(line)
      for (const text of [request, reply, event?.text]) {
        if (typeof text !== 'string') continue
        lines += 1
        const without = redact(text)
        if (without !== text && !/\[(?:email|phone)\]/.test(without)) masked.push(text)
      }
    }
  }
  expect(masked.length).toBeLessThanOrEqual(0.005 * lines)
})

test('a hostile text does not hold up the others', () => {
  const pem = 'BEGIN PRIVATE KEY '
  for (const hostile of ['\n', ' ', '\t', 'a@', '0 ', 'aB3', 'token=', 'a://b:', pem, 'eyJ', 'eyJa.', '+1 ', 'й']) {
    const before = performance.now()
    redact(hostile.repeat(64_000 / hostile.length))
    expect(performance.now() - before).toBeLessThan(1_000)
  }
})

test('an emoji may be called anything', () => {
  const reaction = {
    platform: 'p',
    workspace: 'w',
    conversation: 'c',
    id: 'e',
    at: 0,
    type: 'reaction',
    message: 'm',
  } as const
  const person = { id: 'ann', kind: 'human' } as const
  expect(redactEvent({ ...reaction, person, emoji: 'ann@example.org' })).toMatchObject({ emoji: '[email]' })
  expect(redactEvent({ ...reaction, person, emoji: '👍🏽' })).toMatchObject({ emoji: '👍🏽' })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HELD_BACK, QUESTIONS } from '../../../cli/demo/questions.ts'
import { loadWish, WISHES } from '../../../cli/demo/wishes.ts'

const folder = mkdtempSync(join(tmpdir(), 'claw-wish-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['short', 'Boil water and steep the leaves.', true],
  ['short', 'Yes.', false],
  ['short', `${'word '.repeat(30)}`, true],
  ['short', `${'word '.repeat(31)}`, false],
  ['warm', 'Hi there! Boil water. Hope this helps!', true],
  ['warm', 'This high place is Delhi.', false],
  ['one-sentence', 'Boil water, then steep the leaves.', true],
  ['one-sentence', 'Boil water. Then steep the leaves.', false],
  ['one-sentence', 'Boil it.', false],
  ['bullets', '- water\n- leaves', true],
  ['bullets', 'You need:\n  * water\n  • leaves', true],
  ['bullets', '- water and leaves', false],
  ['steps', '1. Boil water.\n2. Steep.', true],
  ['steps', 'First boil water, then steep.', false],
  ['german', 'Das Wasser wird gekocht.', true],
  ['german', 'The water is boiled for the tea.', false],
  ['emoji', 'Boil the water 🍵', true],
  ['emoji', `Boil the water ${'⭐'.repeat(40)}`, false],
  ['name', 'Boil the water, Sam.', true],
  ['name', 'The same water again.', false],
])('%s is checked by a program: %j', (name, reply, kept) => {
  expect(WISHES[name]?.check('How do I make tea?', reply)).toBe(kept)
})

test.each(Object.values(WISHES))('$name is asked for in at least eight ways, half of them terse', ({ corrections }) => {
  expect(new Set(corrections).size).toBeGreaterThanOrEqual(8)
  const terse = corrections.filter((text) => text.split(' ').length <= 4)
  expect(terse.length).toBeGreaterThanOrEqual(corrections.length / 2)
})

test('what is asked to measure is never asked on the way', () => {
  expect([QUESTIONS.length, HELD_BACK.length]).toEqual([36, 36])
  expect(new Set([...QUESTIONS, ...HELD_BACK]).size).toBe(72)
})

test('a wish may come from a file', async () => {
  const file = join(folder, 'loud.mjs')
  writeFileSync(
    file,
    'export const corrections = ["louder"], praise = ["yes"], check = (_, reply) => reply === reply.toUpperCase()',
  )
  const wish = await loadWish(file)
  expect([wish.check('', 'HI'), wish.check('', 'hi')]).toEqual([true, false])
})

test.each([
  ['nothing.mjs', 'export {}'],
  ['no-words.mjs', 'export const corrections = [], praise = ["yes"], check = () => true'],
  ['no-check.mjs', 'export const corrections = ["no"], praise = ["yes"], check = true'],
  ['broken.mjs', 'export const corrections = ['],
])('%s is no wish', async (name, source) => {
  const file = join(folder, name)
  writeFileSync(file, source)
  await expect(loadWish(file)).rejects.toMatchObject({ code: 'WISH_INVALID' })
})

test('an unknown name is no wish', async () => {
  await expect(loadWish('shouting')).rejects.toMatchObject({ code: 'WISH_INVALID' })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MemoryNote, MOST_NOTES, standing, withNotes } from '../../../core/memory/notes.ts'
import type { ChatMessage } from '../../../core/types.ts'

const note = (at: number, text: string, group: string | null = null): MemoryNote => ({ id: `n${at}`, at, text, group })
const texts = (notes: MemoryNote[]) => notes.map((each) => each.text)

describe('of the notes', () => {
  test('a newer one replaces its group', () => {
    expect(texts(standing([note(1, 'short', 'length'), note(2, 'kind', 'tone'), note(3, 'long', 'length')]))).toEqual([
      'kind',
      'long',
    ])
  })

  test('the same words stand once, where they were said last', () => {
    expect(texts(standing([note(1, 'Call me Sam.'), note(2, 'kind'), note(3, 'call me Sam. ')]))).toEqual([
      'kind',
      'call me Sam. ',
    ])
  })

  test('only the newest ten stand', () => {
    const many = Array.from({ length: 14 }, (_, at) => note(at, `wish ${at}`))
    expect(texts(standing(many))).toEqual(texts(many.slice(-MOST_NOTES)))
  })

  test('the same stand in whatever order they arrive', () => {
    const any = fc.array(
      fc.record({
        text: fc.constantFrom('a', 'b', 'c', 'd'),
        group: fc.constantFrom(null, 'length', 'tone'),
      }),
      { maxLength: 15 },
    )
    fc.assert(
      fc.property(
        any.chain((notes) =>
          fc.tuple(fc.constant(notes), fc.shuffledSubarray([...notes.keys()], { minLength: notes.length })),
        ),
        ([notes, order]) => {
          const all = notes.map(({ text, group }, at) => note(at, text, group))
          const stand = standing(order.map((at) => all[at]!))
          expect(stand).toEqual(standing(all))
          const groups = stand.flatMap((each) => each.group ?? [])
          expect(new Set(groups).size).toBe(groups.length)
          expect(stand.at(-1)).toEqual(all.at(-1))
        },
      ),
    )
  })
})

test('each note is a paragraph at the end of the last user message', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
    { role: 'assistant', content: 'four' },
  ]
  expect(withNotes(messages, ['Be kind.', 'Be short.'])[2]).toEqual({
    role: 'user',
    content: 'three\n\nBe kind.\n\nBe short.',
  })
  expect(withNotes(messages, ['x']).filter((_, i) => i !== 2)).toEqual(messages.filter((_, i) => i !== 2))
  expect(withNotes(messages, [])).toBe(messages)
})

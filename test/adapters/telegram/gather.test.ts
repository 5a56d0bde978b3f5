import fc from 'fast-check'
import type { Update } from 'grammy/types'
import { describe, expect, test } from 'vitest'
import { createGatherer, gather } from '../../../adapters/telegram/gather.ts'
import { direct, group, message, other } from './update.ts'

const said = (update_id: number, fields: object): Update =>
  ({ update_id, message: message({ message_id: update_id, chat: direct, ...fields }) }) as Update
const long = 'x'.repeat(4_096)
const shape = (updates: readonly Update[]) => {
  const { units, waitMs } = gather(updates)
  return [units.map(({ update, rest }) => [update.update_id, ...rest.map((part) => part.message_id)]), waitMs]
}

describe('what is sent together', () => {
  test.each<[string, readonly Update[], unknown]>([
    ['messages alone', [said(1, { text: 'a' }), said(2, { text: 'b' })], [[[1], [2]], 0]],
    ['an album', [said(1, { media_group_id: 'g' }), said(2, { media_group_id: 'g' })], [[[2, 2]], 300]],
    ['two albums', [said(1, { media_group_id: 'g' }), said(2, { media_group_id: 'h' })], [[[1], [2]], 300]],
    ['a text that was cut', [said(1, { text: long }), said(2, { text: 'end' })], [[[2, 2]], 0]],
    ['a text that may go on', [said(1, { text: long })], [[[1]], 1_500]],
    ['a text of two authors', [said(1, { text: long }), said(2, { text: 'b', from: other })], [[[1], [2]], 1_500]],
    [
      'another author between',
      [said(1, { text: long }), said(2, { text: 'b', from: other }), said(3, { text: 'end' })],
      [[[3, 3], [2]], 0],
    ],
    [
      'another author between, in an album',
      [said(1, { media_group_id: 'g' }), said(2, { text: 'b', from: other }), said(3, { media_group_id: 'g' })],
      [[[3, 3], [2]], 300],
    ],
    [
      'something else of the same author between',
      [said(1, { media_group_id: 'g' }), said(2, { text: 'b' }), said(3, { media_group_id: 'g' })],
      [[[1], [2], [3]], 300],
    ],
    [
      'an answer after a long text',
      [said(1, { text: long }), said(2, { text: 'b', reply_to_message: {} })],
      [[[1], [2]], 0],
    ],
    ['much later', [said(1, { text: long }), said(2, { text: 'b', date: 1_010 })], [[[1], [2]], 0]],
    [
      'another chat between',
      [said(1, { text: long }), said(2, { text: 'b', chat: group }), said(3, { text: 'c' })],
      [[[3, 3], [2]], 0],
    ],
    ['backwards and twice', [said(2, { text: 'b' }), said(1, { text: 'a' }), said(2, { text: 'b' })], [[[1], [2]], 0]],
  ])('%s', (_name, updates, expected) => {
    expect(shape(updates)).toEqual(expected)
  })

  test('every message is in exactly one', () => {
    const kind = fc.constantFrom<object>(
      { text: 'a' },
      { text: long },
      { media_group_id: 'g' },
      { media_group_id: 'h' },
    )
    const spoken = fc.record({ kind, chat: fc.constantFrom(direct, group) })
    fc.assert(
      fc.property(fc.array(spoken, { maxLength: 20 }), (all) => {
        const updates = all.map((one, index) => said(index + 1, { ...one.kind, chat: one.chat }))
        const { units } = gather(updates)
        const parts = units.flatMap(({ update, rest }) => [update.message, ...rest].map((part) => part?.message_id))
        expect(parts.toSorted((a, b) => a! - b!)).toEqual(updates.map(({ update_id }) => update_id))
      }),
    )
  })
})

describe('what is delivered one by one', () => {
  const play = (updates: readonly Update[], gapMs = 10) => {
    let at = 0
    const gathered = createGatherer(() => at)
    return updates.map((update) => {
      at += gapMs
      const { before = [], restMs } = gathered(update)
      return [before.map(({ message_id }) => message_id), restMs]
    })
  }

  test.each<[string, readonly Update[], unknown]>([
    [
      'messages alone',
      [said(1, { text: 'a' }), said(2, { text: 'b' })],
      [
        [[], 0],
        [[], 0],
      ],
    ],
    [
      'an album',
      [1, 2, 3].map((id) => said(id, { media_group_id: 'g' })),
      [
        [[], 2_000],
        [[1], 0],
        [[1, 2], 0],
      ],
    ],
    [
      'a text in three parts, and another',
      [said(1, { text: long }), said(2, { text: long }), said(3, { text: 'end' }), said(4, { text: 'new' })],
      [
        [[], 2_000],
        [[1], 0],
        [[1, 2], 0],
        [[], 0],
      ],
    ],
    [
      'a part that is delivered again',
      [said(1, { text: long }), said(2, { text: 'end' }), said(2, { text: 'end' }), said(1, { text: long })],
      [
        [[], 2_000],
        [[1], 0],
        [[1], 0],
        [[], 2_000],
      ],
    ],
    [
      'another chat between, and another author',
      [
        said(1, { text: long }),
        said(2, { text: 'b', chat: group }),
        said(3, { text: 'c', from: other }),
        said(4, { text: 'd' }),
      ],
      [
        [[], 2_000],
        [[], 0],
        [[], 0],
        [[1], 0],
      ],
    ],
  ])('%s', (_name, updates, expected) => {
    expect(play(updates)).toEqual(expected)
  })

  test('is waited for only so long', () => {
    expect(play([said(1, { text: long }), said(2, { text: 'end' })], 1_600)).toEqual([
      [[], 2_000],
      [[], 0],
    ])
  })
})

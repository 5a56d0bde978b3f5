import { describe, expect, test } from 'vitest'
import { HINTS, type WishId } from '../../../config/hints.ts'
import { conflicts, type KeptNote, MOST_NOTES, notesFor } from '../../../core/memory/notes.ts'

let at = 0
const note = (person: string, wish: WishId, fields: Partial<KeptNote> = {}): KeptNote => ({
  id: `n${at}`,
  at: at++,
  person,
  wish,
  text: HINTS[wish].hint,
  group: HINTS[wish].group,
  shared: false,
  retired: false,
  ...fields,
})

describe('people want opposite things', () => {
  test.each<[string, KeptNote[], string[]]>([
    ['short and long', [note('ann', 'short'), note('bob', 'detail')], ['length']],
    ['two degrees of short', [note('ann', 'short'), note('bob', 'one-sentence')], []],
    ['the same', [note('ann', 'bullets'), note('bob', 'bullets')], []],
    ['one person at two times', [note('ann', 'short'), note('ann', 'detail')], []],
    ['different groups', [note('ann', 'short'), note('bob', 'warm')], []],
    ['own words of no group', [note('ann', 'short', { group: null }), note('bob', 'detail', { group: null })], []],
    ['the workspace and a person', [note('ann', 'short', { shared: true }), note('bob', 'detail')], ['length']],
    ['also once retired', [note('ann', 'short', { retired: true }), note('bob', 'detail')], ['length']],
    ['three people', [note('ann', 'short'), note('bob', 'short'), note('cem', 'detail')], ['length']],
    [
      'in two groups',
      [note('ann', 'short'), note('bob', 'detail'), note('ann', 'emoji'), note('bob', 'no-emoji')],
      ['length', 'emoji'],
    ],
  ])('%s', (_name, notes, groups) => {
    expect(conflicts(notes).map(({ group }) => group)).toEqual(groups)
    expect(conflicts(notes.toReversed()).map(({ group }) => group)).toEqual(groups.toReversed())
  })

  test('and it is known who', () => {
    const notes = [note('ann', 'short', { shared: true }), note('bob', 'detail'), note('cem', 'short')]
    expect(conflicts(notes)).toEqual([{ group: 'length', people: [null, 'bob', 'cem'] }])
  })
})

describe('the notes of a person', () => {
  test('are their own and the workspace’s, their own first', () => {
    const own = note('ann', 'short')
    const others = note('bob', 'emoji')
    const shared = [note('bob', 'detail', { shared: true }), note('bob', 'warm', { shared: true })]
    expect(notesFor('ann', [own, others, ...shared])).toEqual([own, shared[1]])
  })

  test('are never more than ten', () => {
    const many = (person: string, count: number, shared: boolean) =>
      Array.from({ length: count }, (_, i) =>
        note(person, 'short', { group: null, text: `${person} ${shared} ${i}`, shared }),
      )
    const notes = [...many('ann', 7, false), ...many('bob', 8, true)]
    const stand = notesFor('ann', notes)
    expect(stand).toHaveLength(MOST_NOTES)
    expect(stand.filter(({ person }) => person === 'ann')).toHaveLength(7)
  })
})

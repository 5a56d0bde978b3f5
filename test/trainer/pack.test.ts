import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pack, unpack } from '../../trainer/pack.ts'

const item = fc.integer({ min: 2, max: 30 }).chain((length) =>
  fc.uniqueArray(fc.integer({ min: 0, max: length - 1 }), { minLength: 1, maxLength: length }).map((rows) => ({
    // The first tokens are alike, as system prompts are.
    ids: Array.from({ length }, (_, i) => (i < 4 ? i : length * 100 + i)),
    rows: rows.sort((a, b) => a - b),
    candidates: new Int32Array(rows.length),
  })),
)

it('packing keeps every sequence whole, in order, with its own positions, and gives each its rows back', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 20 }), fc.integer({ min: 1, max: 80 }), (items, limit) => {
      const groups = pack(items, limit)
      expect(groups.flatMap((group) => group.items)).toEqual(items)
      for (const group of groups) {
        if (group.items.length > 1) expect(group.ids.length).toBeLessThanOrEqual(limit)
        // Each scored row is the token that the item meant.
        const meant = group.items.flatMap(({ ids, rows }) => rows.map((row) => ids[row]!))
        expect(Array.from(group.rows, (row) => group.ids[row])).toEqual(meant)
        // What a scored row sees, in order, is its own sequence up to there, whether shared or not.
        const scored = group.items.flatMap(({ ids, rows }, segment) => rows.map((row) => ({ ids, row, segment })))
        for (const [i, { ids, row, segment }] of scored.entries()) {
          const at = group.rows[i]!
          const sees = Array.from(group.ids.keys()).filter(
            (j) => j <= at && (j < group.shared || group.segments[j] === segment),
          )
          expect(sees.map((j) => group.ids[j])).toEqual(ids.slice(0, row + 1))
          expect(sees.map((j) => group.positions[j])).toEqual(ids.slice(0, row + 1).map((_, position) => position))
        }
        const twice = Int32Array.from(group.rows, (row) => group.ids[row]!)
        const back = unpack(group, twice)
        expect(back.map((part) => [...part])).toEqual(group.items.map(({ ids, rows }) => rows.map((row) => ids[row])))
      }
    }),
  )
})

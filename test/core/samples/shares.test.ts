import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Contribution, shares } from '../../../core/samples/shares.ts'

const batch = (counts: Readonly<Record<string, number>>): Contribution[] =>
  Object.entries(counts).flatMap(([person, count]) => new Array(count).fill({ people: [person], weight: 1 }))

/** What each person's lessons weigh after the cut. */
function weights(lessons: readonly Contribution[]): Map<string, number> {
  const kept = shares(lessons)
  const sums = new Map<string, number>()
  for (const [i, { people, weight }] of lessons.entries()) {
    for (const person of people) sums.set(person, (sums.get(person) ?? 0) + (kept[i]! * weight) / people.length)
  }
  return sums
}

describe('nobody steers a workspace', () => {
  it.each([
    ['a lone person counts in full', { ann: 8 }, { ann: 8 }],
    ['equals count in full', { ann: 4, bob: 4 }, { ann: 4, bob: 4 }],
    ['of two the busier keeps twice the weight of the other', { ann: 7, bob: 1 }, { ann: 2, bob: 1 }],
    ['one of many is held to a quarter of what is left', { ann: 80, b: 1, c: 1, d: 1, e: 1, f: 9, g: 9 }, { ann: 4 }],
    ['or to twice the median person', { ann: 12, b: 1, c: 1, d: 1, e: 1 }, { ann: 2, b: 1 }],
    ['nobody to hold', {}, {}],
  ])('%s', (_name, counts, after) => {
    const result = weights(batch(counts))
    for (const [person, weight] of Object.entries(after)) expect(result.get(person)).toBeCloseTo(weight, 6)
  })

  it('counts a lesson of several evenly for each', () => {
    const lessons = [...batch({ ann: 5, bob: 1 }), { people: ['ann', 'bob'], weight: 1 }]
    expect(weights(lessons).get('bob')).toBeGreaterThan(1)
    expect(shares([{ people: [], weight: 1 }, ...batch({ ann: 9, bob: 1 })])[0]).toBe(1)
  })

  it('whatever the batch, no one is above both bounds, no one is raised, and those below are left alone', () => {
    const lesson = fc.record({
      people: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f').map((person) => [person]),
      weight: fc.integer({ min: 0, max: 4 }).map((quarters) => quarters / 4),
    })
    fc.assert(
      fc.property(fc.array(lesson, { maxLength: 60 }), (lessons) => {
        const kept = shares(lessons)
        expect(kept.every((share) => share > 0 && share <= 1)).toBe(true)
        const after = weights(lessons)
        const whole = [...after.values()].reduce((sum, weight) => sum + weight, 0)
        const before = new Map<string, number>()
        for (const { people, weight } of lessons) before.set(people[0]!, (before.get(people[0]!) ?? 0) + weight)
        const ordered = [...before.values()].filter((weight) => weight > 0).sort((a, b) => a - b)
        const median = ordered[(ordered.length - 1) >> 1] ?? 0
        for (const [person, weight] of after) {
          expect(weight).toBeLessThanOrEqual(Math.max(2 * median, 0.25 * whole) + 1e-6)
          if (before.get(person)! <= 2 * median) expect(weight).toBeCloseTo(before.get(person)!, 6)
        }
      }),
    )
  })
})

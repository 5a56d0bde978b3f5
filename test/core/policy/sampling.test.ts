import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logSumExp, random, sample, topOf } from '../../../core/policy/sampling.ts'

const row = fc.array(fc.float({ min: -40, max: 40, noNaN: true }), { minLength: 2, maxLength: 60 })

function softmax(logits: readonly number[], temperature: number): number[] {
  const max = Math.max(...logits)
  const weights = logits.map((x) => Math.exp((x - max) / temperature))
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => weight / sum)
}

describe('sampling', () => {
  it('records the log-probability at temperature 1, whatever was used to draw', () => {
    fc.assert(
      fc.property(
        row,
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (xs, t, topP) => {
          const logits = Float32Array.from(xs)
          const { id, logprob } = sample(logits, { temperature: t, topP }, random(1))
          expect(Math.exp(logprob)).toBeCloseTo(softmax([...logits], 1)[id]!, 5)
        },
      ),
    )
  })

  it('is greedy at temperature 0', () => {
    fc.assert(
      fc.property(row, (xs) => {
        const logits = Float32Array.from(xs)
        const { id } = sample(logits, { temperature: 0, topP: 1 }, random(1))
        expect(logits[id]).toBe(Math.max(...logits))
      }),
    )
  })

  it('never leaves the smallest set of tokens that reaches topP', () => {
    fc.assert(
      fc.property(row, fc.double({ min: 0.1, max: 0.99, noNaN: true }), fc.integer(), (xs, topP, seed) => {
        const logits = Float32Array.from(xs)
        const p = softmax([...logits], 0.7)
        const { id } = sample(logits, { temperature: 0.7, topP }, random(seed))
        const better = p.filter((other) => other > p[id]! * (1 + 1e-6)).reduce((a, b) => a + b, 0)
        expect(better).toBeLessThan(topP + 1e-6)
      }),
    )
  })

  it('draws each token as often as its probability says', () => {
    const logits = Float32Array.of(0, 1, 2, -1)
    const p = softmax([...logits], 0.8)
    const uniform = random(4)
    const counts = [0, 0, 0, 0]
    const draws = 40_000
    for (let i = 0; i < draws; i++) counts[sample(logits, { temperature: 0.8, topP: 1 }, uniform).id]!++
    for (const [id, count] of counts.entries()) expect(Math.abs(count / draws - p[id]!)).toBeLessThan(0.01)
  })

  it('finds the most probable tokens, best first', () => {
    fc.assert(
      fc.property(row, fc.integer({ min: 1, max: 5 }), (xs, k) => {
        const logits = Float32Array.from(xs)
        const { ids, logprobs } = topOf(logits, k)
        const sorted = [...logits].sort((a, b) => b - a).slice(0, k)
        expect(ids.map((id) => logits[id])).toEqual(sorted)
        for (const [i, logprob] of logprobs.entries()) {
          expect(logprob).toBeCloseTo(logits[ids[i]!]! - logSumExp(logits), 5)
        }
      }),
    )
  })
})

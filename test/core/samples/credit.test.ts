import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advantageOf,
  credit,
  imitation,
  rewardBaseline,
  type ScoredSample,
  SUPPORT,
} from '../../../core/samples/credit.ts'

/** Two tokens; the student's top tokens are 10, 11, 12, 13 with these probabilities. */
const probabilities = [0.5, 0.2, 0.1, 0.05]
const sample: ScoredSample = {
  responseIds: [11, 10],
  advantage: -0.75,
  share: 1,
  student: {
    logprobs: Float32Array.of(Math.log(0.2), Math.log(0.5)),
    topIds: Int32Array.from([10, 11, 12, 13, 10, 11, 12, 13]),
    topLogprobs: Float32Array.from([...probabilities, ...probabilities].map(Math.log)),
  },
  proximal: Float32Array.of(-1.5, -0.7),
  teacher: Float32Array.from([0.25, 0.8, 0.1, 0.00001, 0.5, 0.5, 0.05, 0.2].map(Math.log)),
}

/** Binary values rounded so that float32 compares. */
const near = (values: ArrayLike<number>) => Array.from(values, (x) => Math.round(x * 1e5) / 1e5)

describe('credit', () => {
  it('of a reward is the advantage on the sampled token, a mean over the batch’s tokens', () => {
    const [streams] = credit([sample], 'binary')
    expect([...streams!.candidates]).toEqual([11, 10])
    expect(near(streams!.advantages)).toEqual([-0.375, -0.375])
    expect(near(streams!.old)).toEqual([-1.5, -0.7])
  })

  it('of distillation is probability times log-ratio, clipped to one nat', () => {
    const [streams] = credit([sample], 'opd')
    expect([...streams!.candidates]).toEqual([10, 11, 12, 13, 10, 11, 12, 13])
    const ratio = (teacher: number, own: number) => Math.max(-1, Math.min(1, Math.log(teacher / own)))
    expect(near(streams!.advantages)).toEqual(
      near(
        [0.5 * ratio(0.25, 0.5), 0.2 * 1, 0, 0.05 * -1, 0, 0.2 * ratio(0.5, 0.2), 0.1 * ratio(0.05, 0.1), 0.05 * 1].map(
          (x) => x / 2,
        ),
      ),
    )
  })

  it('combined is both side by side, each a mean over its own tokens', () => {
    const untaught: ScoredSample = { ...sample, teacher: null, advantage: 1 }
    const rehearsed: ScoredSample = { ...sample, advantage: null }
    const [both, praisedOnly, distilledOnly] = credit([sample, untaught, rehearsed], 'combined')
    expect(both!.candidates).toHaveLength(2 * (1 + SUPPORT))
    // Four of six tokens carry a reward, four of six a teacher.
    expect(both!.advantages[0]).toBeCloseTo(-0.75 / 4)
    expect(both!.advantages[2]).toBeCloseTo((0.2 * 1) / 4)
    expect([...praisedOnly!.advantages.subarray(1, 1 + SUPPORT)]).toEqual([0, 0, 0, 0])
    expect(praisedOnly!.advantages[0]).toBeCloseTo(1 / 4)
    expect(distilledOnly!.advantages[0]).toBe(0)
    expect(distilledOnly!.advantages[2]).toBeCloseTo(0.2 / 4)
  })

  it('never pushes a token that student and teacher agree on', () => {
    const agreeing = { ...sample, teacher: sample.student.topLogprobs }
    fc.assert(
      fc.property(fc.constantFrom('opd' as const, 'combined' as const), (method) => {
        const [streams] = credit([{ ...agreeing, advantage: null }], method)
        expect(streams!.advantages.every((value) => value === 0)).toBe(true)
      }),
    )
  })

  it('of imitation is the exemplar’s own probability', () => {
    const [streams] = imitation([
      {
        responseIds: [5, 6],
        topIds: Int32Array.of(5, 7, 6, 8),
        topLogprobs: Float32Array.from([0.75, 0.25, 0.5, 0.125].map(Math.log)),
      },
    ])
    expect(near(streams!.targets)).toEqual([0.375, 0.125, 0.25, 0.0625])
    expect([...streams!.advantages]).toEqual([0, 0, 0, 0])
  })
})

describe('the baseline', () => {
  it('is half the mean of the last sixteen rewards', () => {
    expect(rewardBaseline([])).toBe(0)
    expect(rewardBaseline([1, 1, -1, 1])).toBe(0.25)
    expect(rewardBaseline([...new Array<-1>(50).fill(-1), ...new Array<1>(16).fill(1)])).toBe(0.5)
  })
})

describe('what was learned before', () => {
  const praised = { reward: 1, weight: 0.75, learned: 0 }
  const blamed = { reward: -1, weight: 1, learned: 0 }
  const nothing = { reward: 0, weight: 0 }

  it.each([0, 0.5, -0.25])('leaves nothing once it is taken back, whatever is usual: baseline %d', (baseline) => {
    for (const verdict of [praised, blamed]) {
      const undone = advantageOf({ ...nothing, learned: verdict.reward * verdict.weight }, baseline, 'combined')
      expect(advantageOf(verdict, baseline, 'combined')! + undone!).toBeCloseTo(0, 12)
      const turned = advantageOf({ ...blamed, learned: 0.75 }, baseline, 'binary')
      expect(advantageOf(praised, baseline, 'binary')! + turned!).toBeCloseTo(-1 - baseline, 12)
    }
  })

  it('is taken back where only wishes are learned, too', () => {
    expect(advantageOf(praised, 0.5, 'opd')).toBeNull()
    expect(advantageOf({ ...nothing, learned: 1 }, 0.5, 'opd')).toBe(-0.5)
  })
})

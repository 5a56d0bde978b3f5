import { describe, expect, it } from 'vitest'
import { degenerate, repetition } from '../../core/samples/degenerate.ts'
import { decide, type GateMeasurement } from '../../trainer/gate.ts'

const limits = { degenerate: 0.25, drift: 4 }
const sound = [5, 9, 2, 7, 1, 8, 3, 6]
const stars = new Array<number>(40).fill(42)
const measured: GateMeasurement = { replies: [sound, sound, sound, sound], drift: 0.3, finite: true }

describe('a version', () => {
  it('that replies soundly and stays near the base is accepted', () => {
    expect(decide(measured, limits)).toEqual({ accepted: true })
  })

  it('that satisfies a wish with a line of stars is refused', () => {
    const decision = decide({ ...measured, replies: [stars, stars, sound, sound] }, limits)
    expect(decision).toEqual({ accepted: false, reason: '2 of 4 replies are empty or repeat themselves' })
  })

  it('that falls silent is refused', () => {
    expect(decide({ ...measured, replies: [[], [], sound, sound] }, limits).accepted).toBe(false)
  })

  it('may fail as often as the base does', () => {
    expect(decide({ ...measured, replies: [stars, sound, sound, sound] }, limits).accepted).toBe(true)
  })

  it('that is far from the base is refused', () => {
    expect(decide({ ...measured, drift: 4.5 }, limits).accepted).toBe(false)
  })

  it.each([
    { ...measured, finite: false },
    { ...measured, drift: Number.NaN },
    { ...measured, drift: Number.POSITIVE_INFINITY },
  ])('whose numbers are not finite is refused', (broken) => {
    expect(decide(broken, limits)).toMatchObject({ accepted: false, reason: 'its numbers are not finite' })
  })
})

describe('repetition', () => {
  it('is the share of 4-grams seen before', () => {
    expect(repetition(sound)).toBe(0)
    expect(repetition([1, 2, 3])).toBe(0)
    expect(repetition(stars)).toBeCloseTo(36 / 37)
    expect(degenerate([1, 2, 3, 4, 1, 2, 3, 4])).toBe(false)
    expect(degenerate([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { widenHalf } from '../../../core/model/floats.ts'
import { type QuantisedMatrix, quantise, repack, unpack } from '../../../core/model/quantised.ts'

/** What MatMulNBits makes of a matrix. */
function elementOf({ bits, weights, scales, zeroPoints }: QuantisedMatrix, element: number): number {
  const code = bits === 8 ? weights[element]! : (weights[element >> 1]! >> ((element & 1) * 4)) & 0x0f
  const block = Math.floor(element / 32)
  return Math.fround(Math.fround(code - zeroPoints[block]!) * scales[block]!)
}

const FORMATS = [
  ['Q4_0', 18],
  ['Q4_1', 20],
  ['Q8_0', 34],
] as const

/** Blocks whose scales and minima are sane halves: finite, and zero often enough. */
const half = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 0x7bff }),
  fc.integer({ min: 0x8000, max: 0xfbff }),
  fc.integer({ min: 0x1000, max: 0x3c00 }),
)

describe('widenHalf', () => {
  test.each([
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3555, 0.333251953125],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
  ])('%i', (bits, value) => expect(widenHalf(bits)).toBe(value))
})

describe.each(FORMATS)('blocks of %s', (format, stride) => {
  test('repacked they have the values that the file means', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(half, half, fc.uint8Array({ minLength: stride, maxLength: stride })), {
          minLength: 1,
          maxLength: 4,
        }),
        (blocks) => {
          const bytes = Buffer.concat(
            blocks.map(([scale, minimum, block]) => {
              const copy = Buffer.from(block)
              copy.writeUInt16LE(scale, 0)
              if (format === 'Q4_1') copy.writeUInt16LE(minimum, 2)
              return copy
            }),
          )
          const floats = unpack(bytes, format)
          const matrix = repack(bytes, format, 1, blocks.length * 32)
          const wrong = floats.findIndex((value, element) => {
            // Through a zero point, a value comes back within the rounding of one division.
            const [scale, minimum] = blocks[element >> 5]!
            const size = Math.abs(widenHalf(minimum)) + 15 * Math.abs(widenHalf(scale))
            return Math.abs(elementOf(matrix, element) - value) > (format === 'Q4_1' ? 2 ** -22 * size : 0)
          })
          expect(wrong).toBe(-1)
        },
      ),
    )
  })
})

test('Q4_1 with a scale of zero is its minimum, exactly', () => {
  const block = Buffer.alloc(20, 0xa7)
  block.writeUInt16LE(0, 0)
  block.writeUInt16LE(0x3555, 2)
  const matrix = repack(block, 'Q4_1', 1, 32)
  for (let element = 0; element < 32; element++) expect(elementOf(matrix, element)).toBe(0.333251953125)
})

test('byte j of a Q4_0 block holds elements j and j + 16', () => {
  const block = Buffer.alloc(18)
  block.writeUInt16LE(0x3c00, 0)
  for (let j = 0; j < 16; j++) block[2 + j] = j | ((15 - j) << 4)
  const expected = Float32Array.from({ length: 32 }, (_, i) => (i < 16 ? i : 31 - i) - 8)
  expect(unpack(block, 'Q4_0')).toEqual(expected)
})

describe.each([4, 8] as const)('quantise to %i bits', (bits) => {
  const finite = fc.float({ min: -1000, max: 1000, noNaN: true })

  test('errs by at most half a step', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 64, maxLength: 64 }), (numbers) => {
        const values = Float32Array.from(numbers)
        const matrix = quantise(values, 1, 64, bits)
        const wrong = values.findIndex((value, element) => {
          const step = Math.abs(matrix.scales[element >> 5]!)
          return Math.abs(elementOf(matrix, element) - value) > step * 0.5001 + 1e-30
        })
        expect(wrong).toBe(-1)
      }),
    )
  })

  test('keeps a constant block as it is', () => {
    for (const value of [0, -0.125, 3.5]) {
      const matrix = quantise(new Float32Array(32).fill(value), 1, 32, bits)
      for (let element = 0; element < 32; element++) expect(elementOf(matrix, element)).toBeCloseTo(value, 12)
    }
  })

  test('refuses columns that blocks do not divide', () => {
    expect(() => quantise(new Float32Array(48), 1, 48, bits)).toThrowError(
      expect.objectContaining({ code: 'MODEL_UNSUPPORTED' }),
    )
  })
})

import { ClawError } from '../errors.ts'
import { widenHalf } from './floats.ts'

/** Elements of a row that share one scale. */
export const BLOCK = 32

/** A matrix in ONNX MatMulNBits packing: blocks of 32 along each row, `value = (q - zeroPoint) * scale`. */
export interface QuantisedMatrix {
  readonly bits: 4 | 8
  readonly blockSize: 32
  readonly rows: number
  readonly columns: number
  /** [rows, columns/32, 32*bits/8]. With 4 bits, element 2j is the low nibble of byte j and 2j+1 the high one. */
  readonly weights: Uint8Array
  /** [rows * columns/32] */
  readonly scales: Float32Array
  /** [rows * columns/32] */
  readonly zeroPoints: Float32Array
}

/** Block formats of GGUF: bytes of one block, and bits of the matrix it becomes. */
export const BLOCK_FORMATS = {
  Q4_0: { bytes: 18, bits: 4 },
  Q4_1: { bytes: 20, bits: 4 },
  Q8_0: { bytes: 34, bits: 8 },
} as const

export type BlockFormat = keyof typeof BLOCK_FORMATS

/** A matrix of zeros, to be filled. Throws MODEL_UNSUPPORTED where 32 does not divide the columns. */
function empty(rows: number, columns: number, bits: 4 | 8): QuantisedMatrix {
  if (columns % BLOCK !== 0) {
    throw new ClawError('MODEL_UNSUPPORTED', `A matrix of ${columns} columns has no whole blocks of ${BLOCK}`, {
      remedy: 'Serve this model with float32 weights.',
    })
  }
  const blocks = (rows * columns) / BLOCK
  return {
    bits,
    blockSize: BLOCK,
    rows,
    columns,
    weights: new Uint8Array((blocks * BLOCK * bits) / 8),
    scales: new Float32Array(blocks),
    zeroPoints: new Float32Array(blocks),
  }
}

/** A GGUF tensor's own blocks, repacked without a change of value. `bytes` is the tensor as stored, row by row. */
export function repack(bytes: Uint8Array, format: BlockFormat, rows: number, columns: number): QuantisedMatrix {
  const { bytes: stride, bits } = BLOCK_FORMATS[format]
  const matrix = empty(rows, columns, bits)
  const { weights, scales, zeroPoints } = matrix
  for (let block = 0; block < scales.length; block++) {
    const from = block * stride
    const scale = halfAt(bytes, from)
    if (format === 'Q8_0') {
      setScale(matrix, block, scale, 128)
      for (let i = 0; i < BLOCK; i++) weights[block * BLOCK + i] = bytes[from + 2 + i]! ^ 0x80
      continue
    }
    const data = from + stride - BLOCK / 2
    if (format === 'Q4_0') setScale(matrix, block, scale, 8)
    else {
      const minimum = halfAt(bytes, from + 2)
      if (scale === 0) {
        // Every element is the minimum whatever its nibble says, and no zero point times 0 can give that.
        setConstant(matrix, block, minimum)
        continue
      }
      scales[block] = scale
      zeroPoints[block] = -minimum / scale
    }
    // GGUF byte j holds elements j and j + 16, MatMulNBits byte j holds 2j and 2j + 1.
    for (let j = 0; j < BLOCK / 4; j++) {
      const first = bytes[data + 2 * j]!
      const second = bytes[data + 2 * j + 1]!
      weights[block * 16 + j] = (first & 0x0f) | ((second & 0x0f) << 4)
      weights[block * 16 + 8 + j] = (first >> 4) | (second & 0xf0)
    }
  }
  return matrix
}

/** The float values of a GGUF tensor's blocks, each rounded once. */
export function unpack(bytes: Uint8Array, format: BlockFormat): Float32Array {
  const { bytes: stride } = BLOCK_FORMATS[format]
  const values = new Float32Array((bytes.length / stride) * BLOCK)
  for (let from = 0, to = 0; from < bytes.length; from += stride, to += BLOCK) {
    const scale = halfAt(bytes, from)
    if (format === 'Q8_0') {
      for (let i = 0; i < BLOCK; i++) values[to + i] = ((bytes[from + 2 + i]! << 24) >> 24) * scale
      continue
    }
    const data = from + stride - BLOCK / 2
    const minimum = format === 'Q4_1' ? halfAt(bytes, from + 2) : -8 * scale
    for (let j = 0; j < BLOCK / 2; j++) {
      values[to + j] = (bytes[data + j]! & 0x0f) * scale + minimum
      values[to + j + BLOCK / 2] = (bytes[data + j]! >> 4) * scale + minimum
    }
  }
  return values
}

/**
 * Rounds a float matrix [rows, columns] to blocks of 32: 8 bits symmetric about the middle, 4 bits from each block's
 * minimum to its maximum. Throws MODEL_UNSUPPORTED where 32 does not divide the columns.
 */
export function quantise(values: Float32Array, rows: number, columns: number, bits: 4 | 8): QuantisedMatrix {
  const matrix = empty(rows, columns, bits)
  const codes = new Uint8Array(BLOCK)
  for (let block = 0; block < matrix.scales.length; block++) {
    const elements = values.subarray(block * BLOCK, (block + 1) * BLOCK)
    let minimum = elements[0]!
    let maximum = minimum
    for (const value of elements) {
      if (value < minimum) minimum = value
      if (value > maximum) maximum = value
    }
    if (minimum === maximum) {
      setConstant(matrix, block, minimum)
      continue
    }
    if (bits === 8) setScale(matrix, block, Math.max(-minimum, maximum) / 127, 128)
    else setScale(matrix, block, (maximum - minimum) / 15, (-15 * minimum) / (maximum - minimum))
    const scale = matrix.scales[block]!
    const zeroPoint = matrix.zeroPoints[block]!
    const limit = 2 ** bits - 1
    for (let i = 0; i < BLOCK; i++) {
      codes[i] = Math.min(limit, Math.max(0, Math.round(elements[i]! / scale + zeroPoint)))
    }
    if (bits === 8) matrix.weights.set(codes, block * BLOCK)
    else for (let j = 0; j < 16; j++) matrix.weights[block * 16 + j] = codes[2 * j]! | (codes[2 * j + 1]! << 4)
  }
  return matrix
}

function halfAt(bytes: Uint8Array, offset: number): number {
  return widenHalf(bytes[offset]! | (bytes[offset + 1]! << 8))
}

function setScale({ scales, zeroPoints }: QuantisedMatrix, block: number, scale: number, zeroPoint: number): void {
  scales[block] = scale
  zeroPoints[block] = zeroPoint
}

/** Codes stay 0, so (0 - -1) * value is the value itself. */
function setConstant(matrix: QuantisedMatrix, block: number, value: number): void {
  setScale(matrix, block, value, -1)
}

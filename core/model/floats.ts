/** Every half as a float; 65,536 entries are smaller and faster than decoding each of a model's weights. */
let halves: Float32Array | undefined

/** The value of an IEEE 754 half given as its 16 bits. */
export function widenHalf(bits: number): number {
  halves ??= Float32Array.from({ length: 0x10000 }, (_, code) => decodeHalf(code))
  return halves[bits]!
}

function decodeHalf(code: number): number {
  const sign = code & 0x8000 ? -1 : 1
  const exponent = (code >> 10) & 0x1f
  const fraction = code & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** A row-major matrix [rows, columns] the other way round, times `scale`. */
export function transposed(values: Float32Array, rows: number, columns: number, scale = 1): Float32Array {
  const turned = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      turned[column * rows + row] = values[row * columns + column]! * scale
    }
  }
  return turned
}

/** Little-endian bytes as floats; `bytes` is a fresh copy and starts on a boundary. */
export function widen(bytes: Uint8Array<ArrayBuffer>, type: 'F32' | 'F16' | 'BF16'): Float32Array {
  if (type === 'F32') return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  if (type === 'F16') return Float32Array.from(codes, widenHalf)
  const floats = new Float32Array(codes.length)
  const bits = new Uint32Array(floats.buffer)
  for (let i = 0; i < codes.length; i++) bits[i] = codes[i]! << 16
  return floats
}

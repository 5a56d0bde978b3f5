import { corrupt, type FileBytes } from './bytes.ts'
import { widen } from './floats.ts'
import { BLOCK, BLOCK_FORMATS, type BlockFormat, type QuantisedMatrix, repack, unpack } from './quantised.ts'

export type TensorType = 'F32' | 'F16' | 'BF16' | BlockFormat

/** Where a tensor lies, before anything of it is read. */
export interface StoredTensor {
  readonly type: TensorType
  /** Row-major, outermost first. */
  readonly shape: readonly number[]
  readonly file: FileBytes
  readonly offset: number
  /** Set where rows lie pair by pair for interleaved rotary positions, head by head: how many heads there are. */
  readonly interleavedHeads?: number
}

/** A model's weights under their Hugging Face names, read when asked for. */
export interface Tensors {
  names(): readonly string[]
  /** Throws MODEL_CORRUPT, as all of these, where there is no such tensor. */
  shape(name: string): readonly number[]
  /** Row-major, [shape]. */
  float32(name: string): Float32Array
  /** The file's own blocks where it has them (Q4_0, Q4_1, Q8_0), else null. */
  quantised(name: string): QuantisedMatrix | null
}

export function createTensors(stored: ReadonlyMap<string, StoredTensor>, model: string): Tensors {
  const find = (name: string): StoredTensor => {
    const tensor = stored.get(name)
    if (!tensor) throw corrupt(model, `there is no tensor ${name}`)
    return tensor
  }
  return {
    names: () => [...stored.keys()],
    shape: (name) => find(name).shape,
    quantised(name) {
      const tensor = find(name)
      const [rows, columns] = tensor.shape
      if (!isBlockFormat(tensor.type) || rows === undefined || columns === undefined) return null
      return repack(readRows(tensor), tensor.type, rows, columns)
    },
    float32(name) {
      const tensor = find(name)
      const bytes = readRows(tensor)
      return isBlockFormat(tensor.type) ? unpack(bytes, tensor.type) : widen(bytes, tensor.type)
    },
  }
}

/** Bytes a tensor takes in its file; NaN where its type cannot hold such a shape. */
export function storedBytes(type: TensorType, shape: readonly number[]): number {
  const elements = shape.reduce((product, size) => product * size, 1)
  if (!isBlockFormat(type)) return elements * (type === 'F32' ? 4 : 2)
  return shape.length === 2 && shape[1]! % BLOCK === 0 ? (elements / BLOCK) * BLOCK_FORMATS[type].bytes : Number.NaN
}

function isBlockFormat(type: TensorType): type is BlockFormat {
  return type in BLOCK_FORMATS
}

/** The tensor's bytes with its rows in Hugging Face order. Whole rows move, so blocks stay as they are. */
function readRows({ type, shape, file, offset, interleavedHeads: heads }: StoredTensor): Uint8Array<ArrayBuffer> {
  const bytes = file.read(offset, storedBytes(type, shape))
  if (heads === undefined) return bytes
  const rows = shape[0]!
  const stride = bytes.length / rows
  const half = rows / heads / 2
  const ordered = new Uint8Array(bytes.length)
  for (let row = 0; row < rows; row++) {
    const head = Math.floor(row / (2 * half))
    const [part, index] = [Math.floor(row / half) % 2, row % half]
    const from = (head * 2 * half + 2 * index + part) * stride
    ordered.set(bytes.subarray(from, from + stride), row * stride)
  }
  return ordered
}

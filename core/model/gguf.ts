import { corrupt, type FileBytes, unsupported } from './bytes.ts'
import { type StoredTensor, storedBytes, type TensorType } from './tensors.ts'

/** Strings, numbers and booleans as they are, arrays of them as arrays; 64-bit integers become numbers. */
export type GgufValue = string | number | boolean | readonly (string | number | boolean)[]

export interface Gguf {
  readonly metadata: ReadonlyMap<string, GgufValue>
  /** Under the file's own names. */
  readonly tensors: ReadonlyMap<string, StoredTensor>
}

const MAGIC = 0x46554747 // "GGUF", little-endian
const CHUNK = 1 << 20
const MAX_ENTRIES = 1 << 16
const MAX_STRING = 1 << 24
const MAX_DIMENSIONS = 4
/** Elements of all arrays of a header together: twenty times what a large vocabulary with its merges takes. */
const MAX_ELEMENTS = 1 << 23
const STRING = 8
const ARRAY = 9

const TENSOR_TYPES: Readonly<Record<number, TensorType>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  8: 'Q8_0',
  30: 'BF16',
}

/** Reads the header of a GGUF file, version 2 or 3. Throws MODEL_CORRUPT, MODEL_UNSUPPORTED. */
export function readGguf(file: FileBytes): Gguf {
  const cursor = createCursor(file)
  if (cursor.number(4) !== MAGIC) throw corrupt(file.name, 'it does not begin with GGUF')
  const version = cursor.number(4)
  if (version !== 2 && version !== 3) throw unsupported(file.name, `it is GGUF version ${version}`)
  const tensorCount = cursor.count(MAX_ENTRIES)
  const entryCount = cursor.count(MAX_ENTRIES)

  const metadata = new Map<string, GgufValue>()
  for (let i = 0; i < entryCount; i++) {
    const key = cursor.text()
    if (metadata.has(key)) throw corrupt(file.name, 'its metadata names a key twice')
    metadata.set(key, readValue(cursor, file))
  }

  const headers: { name: string; shape: number[]; type: TensorType; offset: number }[] = []
  for (let i = 0; i < tensorCount; i++) {
    const name = cursor.text()
    const dimensions = cursor.number(4)
    if (dimensions > MAX_DIMENSIONS) throw corrupt(file.name, `a tensor has ${dimensions} dimensions`)
    // GGUF counts the innermost dimension first.
    const shape = Array.from({ length: dimensions }, () => cursor.count(Number.MAX_SAFE_INTEGER)).reverse()
    const code = cursor.number(4)
    const type = TENSOR_TYPES[code]
    if (!type)
      throw unsupported(file.name, `its tensors are of type ${code}; F32, F16, BF16, Q8_0, Q4_0, Q4_1 are read`)
    headers.push({ name, shape, type, offset: cursor.count(file.size) })
  }

  const alignment = metadata.get('general.alignment') ?? 32
  if (typeof alignment !== 'number' || alignment < 1 || alignment % 8 !== 0) {
    throw corrupt(file.name, 'its alignment is not a multiple of 8')
  }
  const start = Math.ceil(cursor.position() / alignment) * alignment
  const tensors = new Map<string, StoredTensor>()
  for (const { name, shape, type, offset } of headers) {
    if (tensors.has(name)) throw corrupt(file.name, 'it names a tensor twice')
    const end = start + offset + storedBytes(type, shape)
    if (!(end <= file.size) || offset % alignment !== 0) throw corrupt(file.name, 'a tensor lies outside the file')
    tensors.set(name, { type, shape, file, offset: start + offset })
  }
  return { metadata, tensors }
}

type Cursor = ReturnType<typeof createCursor>

/** Reads forward through a file in chunks; a read beyond its end is MODEL_CORRUPT. */
function createCursor(file: FileBytes) {
  let chunk = new DataView(new ArrayBuffer(0))
  let chunkStart = 0
  let position = 0
  let elements = 0

  /** A view on the next `length` bytes, and past them. */
  function take(length: number): DataView {
    if (position + length > chunkStart + chunk.byteLength) {
      const bytes = file.read(position, Math.max(length, Math.min(CHUNK, file.size - position)))
      chunk = new DataView(bytes.buffer)
      chunkStart = position
    }
    const view = new DataView(chunk.buffer, position - chunkStart, length)
    position += length
    return view
  }

  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const count = (limit: number): number => {
    const value = Number(take(8).getBigUint64(0, true))
    if (value > limit) throw corrupt(file.name, `a count in its header is over ${limit}`)
    return value
  }
  return {
    take,
    count,
    position: () => position,
    /** The length of an array whose elements take at least `bytes` each. */
    length(bytes: number) {
      const length = count(Math.floor((file.size - position) / bytes))
      elements += length
      if (elements > MAX_ELEMENTS) throw corrupt(file.name, `its header holds over ${MAX_ELEMENTS} values`)
      return length
    },
    number: (bytes: 4) => take(bytes).getUint32(0, true),
    text: () => decoder.decode(take(count(MAX_STRING))),
  }
}

const SCALARS: Readonly<Record<number, { bytes: number; get: (view: DataView) => number | boolean }>> = {
  0: { bytes: 1, get: (view) => view.getUint8(0) },
  1: { bytes: 1, get: (view) => view.getInt8(0) },
  2: { bytes: 2, get: (view) => view.getUint16(0, true) },
  3: { bytes: 2, get: (view) => view.getInt16(0, true) },
  4: { bytes: 4, get: (view) => view.getUint32(0, true) },
  5: { bytes: 4, get: (view) => view.getInt32(0, true) },
  6: { bytes: 4, get: (view) => view.getFloat32(0, true) },
  7: { bytes: 1, get: (view) => view.getUint8(0) !== 0 },
  10: { bytes: 8, get: (view) => Number(view.getBigUint64(0, true)) },
  11: { bytes: 8, get: (view) => Number(view.getBigInt64(0, true)) },
  12: { bytes: 8, get: (view) => view.getFloat64(0, true) },
}

function readValue(cursor: Cursor, file: FileBytes): GgufValue {
  const type = cursor.number(4)
  if (type !== ARRAY) return readScalar(cursor, type, file)
  const element = cursor.number(4)
  const length = cursor.length(SCALARS[element]?.bytes ?? 8)
  const values: (string | number | boolean)[] = []
  for (let i = 0; i < length; i++) values.push(readScalar(cursor, element, file))
  return values
}

function readScalar(cursor: Cursor, type: number, file: FileBytes): string | number | boolean {
  if (type === STRING) return cursor.text()
  const scalar = SCALARS[type]
  if (!scalar) throw corrupt(file.name, 'a metadata value has an unknown type')
  return scalar.get(cursor.take(scalar.bytes))
}

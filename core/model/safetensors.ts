import { corrupt, type FileBytes, unsupported } from './bytes.ts'
import { type StoredTensor, storedBytes } from './tensors.ts'

const TYPES = ['F32', 'F16', 'BF16'] as const

/** A thousand times what the header of a large model takes. */
const MAX_HEADER = 1 << 25

/** Steps through a header string by string; the group is set for those that name an object. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:\s*\{)?/g

/** The tensors of one safetensors file. Throws MODEL_CORRUPT, MODEL_UNSUPPORTED. */
export function readSafetensors(file: FileBytes): Map<string, StoredTensor> {
  const length = Number(new DataView(file.read(0, 8).buffer).getBigUint64(0, true))
  if (length > MAX_HEADER) throw corrupt(file.name, 'its header is over 32 MiB')
  const header = parseHeader(file, file.read(8, length))
  const start = 8 + length
  const tensors = new Map<string, StoredTensor>()
  for (const [name, entry] of header) {
    if (name === '__metadata__') continue
    const { dtype, shape, data_offsets: range } = (entry ?? {}) as Record<string, unknown>
    const type = TYPES.find((known) => known === dtype)
    if (!type) throw unsupported(file.name, 'its tensors are not all float32, float16 or bfloat16')
    if (!isSizes(shape) || !isSizes(range) || range.length !== 2) {
      throw corrupt(file.name, 'a tensor has no proper shape or offsets')
    }
    const [from = 0, to = 0] = range
    if (to - from !== storedBytes(type, shape) || start + to > file.size) {
      throw corrupt(file.name, 'a tensor does not fit its place')
    }
    tensors.set(name, { type, shape, file, offset: start + from })
  }
  return tensors
}

function parseHeader(file: FileBytes, bytes: Uint8Array): [string, unknown][] {
  let text: string
  let header: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    header = JSON.parse(text)
  } catch (error) {
    throw corrupt(file.name, 'its header is not JSON', error)
  }
  if (typeof header !== 'object' || header === null) throw corrupt(file.name, 'its header is not an object')
  const entries = Object.entries(header)
  // JSON.parse keeps the last of two equal names without a word; the text still has both.
  const named = [...text.matchAll(STRINGS)].filter((match) => match[1]).length
  if (named !== entries.length) throw corrupt(file.name, 'its header does not name each tensor once')
  return entries
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 8 && value.every((size) => Number.isSafeInteger(size) && size >= 0)
}

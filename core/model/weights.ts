import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from './files.ts'
import type { ExternalTensor } from './protobuf.ts'
import { BLOCK, type QuantisedMatrix, quantise } from './quantised.ts'
import { EMBEDDING, HEAD, projections } from './transformer.ts'

export type WeightFormat = 'f32' | 'q8' | 'q4'

export type StoredMatrix =
  | { readonly kind: 'float32' }
  | {
      readonly kind: 'quantised'
      readonly bits: 4 | 8
      readonly shape: readonly [rows: number, columns: number]
      readonly weights: ExternalTensor
      readonly scales: ExternalTensor
      /** What each block adds for every unit of its inputs' sum [rows, columns / BLOCK]; null where all are 0. */
      readonly offsets: ExternalTensor | null
    }

/** `auto`: the file's own blocks where it has them, 8 bits where it has none. */
export function chooseFormat(model: ModelFiles, wanted: WeightFormat | 'auto'): WeightFormat {
  if (wanted !== 'auto') return wanted
  const own = model.tensors.quantised(`${projections(model.config)[0]!.module}.weight`)
  return own?.bits === 4 ? 'q4' : 'q8'
}

/** A model's weights in the layout that graphs refer to: one file, and where in it everything lies. */
export interface StoredWeights {
  readonly directory: string
  tensor(name: string): ExternalTensor
  matrix(name: string): StoredMatrix
}

interface Index {
  readonly tensors: Record<string, ExternalTensor>
  readonly matrices: Record<string, StoredMatrix>
}

/** Raised whenever the layout below changes, so that files written by an older version are not read. */
const LAYOUT = 1

/**
 * The weights in the given format, written once into `cacheDir` and found there again. `f32` keeps every matrix in
 * float32; `q8` and `q4` keep a file's own blocks of at most that many bits and quantise the rest.
 */
export async function storeWeights(model: ModelFiles, format: WeightFormat, cacheDir: string): Promise<StoredWeights> {
  const key = createHash('sha256').update(`${LAYOUT}:${model.hash}:${format}`).digest('hex').slice(0, 16)
  const directory = join(cacheDir, key)
  const index = (await readIndex(directory)) ?? (await writeWeights(model, format, directory))
  return {
    directory,
    tensor: (name) => index.tensors[name]!,
    matrix: (name) => index.matrices[name] ?? { kind: 'float32' },
  }
}

async function readIndex(directory: string): Promise<Index | null> {
  try {
    return JSON.parse(await readFile(join(directory, 'index.json'), 'utf8')) as Index
  } catch {
    return null
  }
}

async function writeWeights(model: ModelFiles, format: WeightFormat, directory: string): Promise<Index> {
  const aside = `${directory}.${process.pid}.tmp`
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true })
  const file = await open(join(aside, 'weights.bin'), 'w')
  const index: Index = { tensors: {}, matrices: {} }
  let end = 0
  const append = async (type: ExternalTensor['type'], shape: readonly number[], data: Uint8Array) => {
    const offset = Math.ceil(end / 64) * 64
    for (let at = 0; at < data.length; ) {
      at += (await file.write(data, at, data.length - at, offset + at)).bytesWritten
    }
    end = offset + data.length
    return { type, shape, file: 'weights.bin', offset, bytes: data.length } satisfies ExternalTensor
  }
  const floats = (values: Float32Array, shape: readonly number[]) => append('float32', shape, byteView(values))
  try {
    const { config, tensors } = model
    const head = config.tiedEmbeddings ? EMBEDDING : HEAD
    const matrices = [...projections(config).map(({ module }) => `${module}.weight`), head]
    const quantised = new Set(format === 'f32' ? [] : matrices)
    for (const name of tensors.names()) {
      // The embedding is looked up by rows, so it stays in float32 beside its quantised twin that makes the logits.
      if (quantised.has(name) && name !== EMBEDDING) continue
      index.tensors[name] = await floats(tensors.float32(name), tensors.shape(name))
    }
    for (const name of quantised) {
      const matrix = asBlocks(model, name, format === 'q4' ? 4 : 8, name === head)
      const { bits, rows, columns } = matrix
      const offsets = blockOffsets(matrix)
      index.matrices[name] = {
        kind: 'quantised',
        bits,
        shape: [rows, columns],
        weights: await append('uint8', [rows, columns / BLOCK, (BLOCK * bits) / 8], matrix.weights),
        scales: await floats(matrix.scales, [matrix.scales.length]),
        offsets: offsets && (await floats(offsets, [rows, columns / BLOCK])),
      }
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await writeFile(join(aside, 'index.json'), JSON.stringify(index))
  await rm(directory, { recursive: true, force: true })
  await rename(aside, directory)
  return index
}

/** The file's own blocks where they are small enough; the head, which decides every token, never below 8 bits. */
function asBlocks(model: ModelFiles, name: string, bits: 4 | 8, isHead: boolean): QuantisedMatrix {
  const own = model.tensors.quantised(name)
  const wanted = isHead ? 8 : bits
  if (own !== null && own.bits <= wanted) return own
  const [rows, columns] = model.tensors.shape(name) as [number, number]
  return quantise(model.tensors.float32(name), rows, columns, wanted)
}

/** (q − zero) · scale = (q − middle) · scale + offset, the middle being what the runtime subtracts by itself. */
function blockOffsets({ bits, scales, zeroPoints }: QuantisedMatrix): Float32Array | null {
  const middle = bits === 4 ? 8 : 128
  if (zeroPoints.every((zero) => zero === middle)) return null
  return scales.map((scale, i) => (middle - zeroPoints[i]!) * scale)
}

function byteView(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ClawError } from '../errors.ts'
import { configFromGguf, configFromJson, type ModelConfig, nameFromGguf, weightShapes } from './architecture.ts'
import { corrupt, type FileBytes, hashFile, openFile, unsupported } from './bytes.ts'
import { readGguf } from './gguf.ts'
import { knownHash, readManifest } from './manifest.ts'
import { readSafetensors } from './safetensors.ts'
import { createTensors, type StoredTensor, type Tensors, type TensorType } from './tensors.ts'
import { createTokenizer, type ModelTokenizer } from './tokenizer.ts'
import { readJson, type Vocabulary, vocabularyFromFolder, vocabularyFromGguf } from './vocabulary.ts'

export type { ModelConfig } from './architecture.ts'
export type { QuantisedMatrix } from './quantised.ts'
export type { Tensors } from './tensors.ts'
export type { ModelTokenizer } from './tokenizer.ts'

/** A model on disk, open. Weights are read when asked for. */
export interface ModelFiles {
  readonly config: ModelConfig
  readonly tensors: Tensors
  readonly tokenizer: ModelTokenizer
  readonly name: string
  /** SHA-256 of the weights, in hex. */
  readonly hash: string
  /** The type that most of the weights are stored in: `Q4_1`, `BF16`, … */
  readonly quantisation: TensorType
  /** SPDX, where the model says. */
  readonly license: string | null
  /** Where it was pulled from, if it was. */
  readonly source: string | null
  close(): Promise<void>
}

/** What a reader of one format hands over. */
interface Parts {
  readonly config: ModelConfig
  readonly stored: ReadonlyMap<string, StoredTensor>
  readonly vocabulary: Vocabulary
  readonly license: string | null
}

/**
 * Opens a Hugging Face folder or a GGUF file, checked as far as its headers go.
 * Throws MODEL_MISSING, MODEL_CORRUPT, MODEL_UNSUPPORTED.
 */
export async function openModel(path: string): Promise<ModelFiles> {
  const absolute = resolve(path)
  const isFolder = statSync(absolute, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined || (isFolder && !existsSync(join(absolute, 'config.json')))) {
    throw new ClawError('MODEL_MISSING', `There is no model at ${path}`, {
      remedy: 'Name a Hugging Face folder, a .gguf file or a model of the catalogue (claw model list).',
    })
  }
  const files: FileBytes[] = []
  const close = () => {
    for (const file of files.splice(0)) file.close()
  }
  try {
    const { config, stored, vocabulary, license } = isFolder ? readFolder(absolute, files) : readFile(absolute, files)
    const label = basename(absolute)
    const weights = expectWeights(config, stored, label)
    const tokenizer = openTokenizer(vocabulary, config.vocabSize, label)
    const folder = isFolder ? absolute : dirname(absolute)
    const manifest = readManifest(folder)
    return {
      config,
      tensors: createTensors(weights, label),
      tokenizer,
      name: manifest?.name ?? basename(absolute, '.gguf'),
      hash: await hashWeights(files.map(({ name }) => join(folder, name))),
      quantisation: mainType(weights),
      license: manifest?.license ?? license,
      source: manifest?.source ?? null,
      close: async () => close(),
    }
  } catch (error) {
    close()
    throw error
  }
}

function readFile(path: string, files: FileBytes[]): Parts {
  const file = openFile(path)
  files.push(file)
  const { metadata, tensors } = readGguf(file)
  const vocabSize = tensors.get('token_embd.weight')?.shape[0] ?? 0
  const config = configFromGguf(metadata, vocabSize, !tensors.has('output.weight'), file.name)
  const stored = new Map<string, StoredTensor>()
  for (const [ggufName, tensor] of tensors) {
    const name = nameFromGguf(ggufName)
    if (!name || stored.has(name)) throw unsupported(file.name, 'it has tensors that this network does not know')
    const heads = /\.q_proj\./.test(name) ? config.heads : /\.k_proj\./.test(name) ? config.kvHeads : null
    stored.set(name, heads === null ? tensor : { ...tensor, interleavedHeads: heads })
  }
  const license = metadata.get('general.license')
  return {
    config,
    stored,
    vocabulary: vocabularyFromGguf(metadata, file.name),
    license: typeof license === 'string' && /^[\w.+-]{1,64}$/.test(license) ? license : null,
  }
}

function readFolder(folder: string, files: FileBytes[]): Parts {
  const stored = new Map<string, StoredTensor>()
  for (const shard of shards(folder)) {
    const path = join(folder, shard)
    if (!existsSync(path)) throw corrupt(basename(folder), 'a file of its weights is not there')
    const file = openFile(path)
    files.push(file)
    for (const [name, tensor] of readSafetensors(file)) {
      if (stored.has(name)) throw corrupt(file.name, 'it repeats a tensor of another file')
      stored.set(name, tensor)
    }
  }
  const config = configFromJson(readJson(folder, 'config.json'), 'config.json')
  return { config, stored, vocabulary: vocabularyFromFolder(folder), license: null }
}

/** Names of the safetensors files, in order. They are names and not paths: an index cannot lead out of its folder. */
function shards(folder: string): readonly string[] {
  const index = readJson(folder, 'model.safetensors.index.json', {}).weight_map
  if (index === undefined) return ['model.safetensors']
  const names = [...new Set(Object.values(index ?? {}))]
  if (!names.every((name) => typeof name === 'string' && /^[\w-][\w.-]*\.safetensors$/.test(name))) {
    throw corrupt('model.safetensors.index.json', 'it names something other than safetensors files beside it')
  }
  return (names as string[]).sort()
}

/** The weights the network needs, in its order; anything else that would change its answers is refused. */
function expectWeights(config: ModelConfig, stored: ReadonlyMap<string, StoredTensor>, file: string) {
  const expected = new Map<string, StoredTensor>()
  for (const [name, shape] of weightShapes(config)) {
    const tensor = stored.get(name)
    if (tensor?.shape.join() !== shape.join()) throw corrupt(file, `${name} is not there or of another shape`)
    expected.set(name, tensor)
  }
  for (const name of stored.keys()) {
    const harmless = name.endsWith('.rotary_emb.inv_freq') || (name === 'lm_head.weight' && config.tiedEmbeddings)
    if (!expected.has(name) && !harmless) throw unsupported(file, 'it has tensors that this network does not know')
  }
  return expected
}

function mainType(weights: ReadonlyMap<string, StoredTensor>): TensorType {
  const counts = new Map<TensorType, number>()
  for (const { type, shape } of weights.values()) {
    if (shape.length > 1) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))[0]
}

function openTokenizer(vocabulary: Vocabulary, vocabSize: number, file: string): ModelTokenizer {
  const ids = [...Object.values(vocabulary.vocab), ...vocabulary.addedTokens.map(({ id }) => id)]
  if (!ids.every((id) => id >= 0 && id < vocabSize)) throw corrupt(file, 'a token has no row in the embedding')
  try {
    return createTokenizer(vocabulary)
  } catch (error) {
    throw new ClawError('MODEL_UNSUPPORTED', `${file} has a tokenizer or chat template that cannot be read`, {
      remedy: 'Choose a model of the Llama family (claw model list).',
      cause: error,
    })
  }
}

/** The hash of the one file, or of the hashes of several. */
async function hashWeights(paths: readonly string[]): Promise<string> {
  const hashes: string[] = []
  for (const path of paths) hashes.push(knownHash(path) ?? (await hashFile(path)))
  const [only] = hashes
  return hashes.length === 1 && only ? only : createHash('sha256').update(hashes.join('\n')).digest('hex')
}

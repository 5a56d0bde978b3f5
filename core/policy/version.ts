import { createHash, webcrypto } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { ClawError, reason } from '../errors.ts'
import type { ModelConfig } from '../model/architecture.ts'
import { openFile } from '../model/bytes.ts'
import { widen } from '../model/floats.ts'
import { readSafetensors } from '../model/safetensors.ts'
import { PROJECTIONS, projections } from '../model/transformer.ts'
import type { WorkspaceRef } from '../types.ts'

const WEIGHTS = 'adapter_model.safetensors'
const CONFIG = 'adapter_config.json'
const MANIFEST = 'manifest.json'

/** LoRA weights of all projections: W' = W + alpha / rank · B·A. Source: Hu et al. 2021, arXiv 2106.09685. */
export interface LoraWeights {
  readonly rank: number
  readonly alpha: number
  /** By module name: a [rank, inputs], b [outputs, rank]. */
  readonly pairs: ReadonlyMap<string, { readonly a: Float32Array; readonly b: Float32Array }>
}

/** What a version is made of and from: enough to check it, to explain it and to make its successor. */
export interface Manifest {
  readonly format: 1
  readonly version: number
  /** 0 is the base. */
  readonly parent: number
  /** Hash of the base model's weights. */
  readonly base: string
  /** Ids of the samples that this version learned from and its parent had not. */
  readonly samples: readonly string[]
  readonly metrics: Readonly<Record<string, number>>
  readonly createdAt: string
  /** SHA-256 of every other file. */
  readonly files: Readonly<Record<string, string>>
  /** SHA-256 of this manifest's JSON without this field. */
  readonly digest: string
}

/** The model that a version belongs to. */
export interface BaseModel {
  readonly config: ModelConfig
  readonly hash: string
}

/** `v000012` */
export function versionName(version: number): string {
  return `v${String(version).padStart(6, '0')}`
}

/** File systems take 255 bytes. */
const LONGEST_NAME = 120

/** A folder name that no workspace id can lead out of; a long one ends in a hash of the whole. */
export function pathOf({ platform, workspace }: WorkspaceRef): string {
  const name = `${encodeURIComponent(platform)}-${encodeURIComponent(workspace)}`
  if (name.length <= LONGEST_NAME) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return `${name.slice(0, LONGEST_NAME - 33)}-${hash}`
}

/** Tensors in the safetensors format, float32. */
export function encodeSafetensors(
  tensors: Iterable<readonly [name: string, shape: readonly number[], values: Float32Array]>,
): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const parts: Buffer[] = []
  let end = 0
  for (const [name, shape, values] of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + values.byteLength] }
    parts.push(Buffer.from(values.buffer, values.byteOffset, values.byteLength))
    end += values.byteLength
  }
  const text = JSON.stringify(header)
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(padded.length))
  return Buffer.concat([length, padded, ...parts])
}

/**
 * Writes a PEFT directory with a manifest: aside, flushed, renamed, so that it is there whole or not at all.
 * `state` is what the trainer needs to go on from here.
 */
export async function writeVersion(
  directory: string,
  lora: LoraWeights,
  manifest: Omit<Manifest, 'format' | 'files' | 'digest'>,
  state: Readonly<Record<string, Buffer>> = {},
): Promise<void> {
  const tensors = [...lora.pairs].flatMap(([module, { a, b }]) => [
    [`base_model.model.${module}.lora_A.weight`, [lora.rank, a.length / lora.rank], a] as const,
    [`base_model.model.${module}.lora_B.weight`, [b.length / lora.rank, lora.rank], b] as const,
  ])
  const files: Record<string, Buffer> = {
    [WEIGHTS]: encodeSafetensors(tensors),
    [CONFIG]: Buffer.from(JSON.stringify(peftConfig(lora, manifest.base), null, 2)),
    ...state,
  }
  const hashes = Object.fromEntries(Object.entries(files).map(([name, data]) => [name, sha256(data)]))
  const body = { format: 1 as const, ...manifest, files: hashes }
  const whole: Manifest = { ...body, digest: sha256(Buffer.from(JSON.stringify(body))) }
  files[MANIFEST] = Buffer.from(JSON.stringify(whole))

  await writeWhole(directory, files)
}

/** Writes a directory aside, flushes it and renames it. It takes the place of one that is there and is another. */
async function writeWhole(directory: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const aside = join(dirname(directory), `.${basename(directory)}.${process.pid}.tmp`)
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true })
  for (const [name, data] of Object.entries(files)) {
    const file = await open(join(aside, name), 'w')
    try {
      await file.writeFile(data)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  // Another process may have put the same version there meanwhile, and read it by now.
  const here = await readFile(join(directory, MANIFEST)).catch(() => null)
  if (here !== null && files[MANIFEST] !== undefined && here.equals(files[MANIFEST])) {
    await rm(aside, { recursive: true, force: true })
    return
  }
  await rm(directory, { recursive: true, force: true })
  await rename(aside, directory)
  await syncDirectory(dirname(directory))
}

/** All files of a version, by name, or null where it is not on this machine. Throws POLICY_CORRUPT. */
export async function readVersion(directory: string): Promise<Record<string, Buffer> | null> {
  const manifest = await readFile(join(directory, MANIFEST)).catch(() => null)
  if (manifest === null) return null
  const files: Record<string, Buffer> = { [MANIFEST]: manifest }
  for (const name of Object.keys((await readManifest(directory)).files)) {
    files[name] = await readFile(join(directory, name))
  }
  return files
}

/**
 * Puts a version that was made elsewhere into `directory`, unless it is there. `read` gives its files by name, null
 * for one that it has not. Returns false where there is no such version. Throws POLICY_CORRUPT, and then writes nothing.
 */
export async function fetchVersion(
  directory: string,
  read: (name: string) => Promise<Buffer | null>,
): Promise<boolean> {
  const manifest = await read(MANIFEST)
  if (manifest === null) return false
  const here = await readFile(join(directory, MANIFEST)).catch(() => null)
  if (here !== null && manifest.equals(here)) return true
  const files: Record<string, Buffer> = { [MANIFEST]: manifest }
  const need = async (name: string) => {
    const data = files[name] ?? (await read(name))
    if (data === null) throw new Error(`${name} is missing`)
    files[name] = data
    return data
  }
  await guarded(directory, () => checked(need))
  await writeWhole(directory, files)
  return true
}

/** The manifest, after checking that every file is the one it names. Throws POLICY_CORRUPT. */
export async function readManifest(directory: string): Promise<Manifest> {
  return guarded(directory, () => checked((name) => readFile(join(directory, name))))
}

async function checked(read: (name: string) => Promise<Buffer>, only?: readonly string[]): Promise<Manifest> {
  const manifest = JSON.parse((await read(MANIFEST)).toString()) as Manifest
  const { digest, ...body } = manifest
  if (sha256(Buffer.from(JSON.stringify(body))) !== digest) throw new Error('its manifest was changed')
  if (manifest.format !== 1) throw new Error('its manifest is of another format')
  for (const [name, hash] of Object.entries(manifest.files)) {
    if (basename(name) !== name) throw new Error('its manifest names a file elsewhere')
    if (only !== undefined && !only.includes(name)) continue
    // Not by `sha256`: a thread of its own hashes it, and whoever is being answered here need not wait.
    const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', await read(name)))
    if (digest.toString('hex') !== hash) throw new Error(`${name} was changed`)
  }
  return manifest
}

/**
 * LoRA weights that are those the manifest names, belong to the model and are finite. `state`: files of the trainer that
 * have to be the manifest's as well. The thread is given back again and again, because replies are made on it. Throws
 * POLICY_CORRUPT.
 */
export async function readLora(
  directory: string,
  { config, hash }: BaseModel,
  state: readonly string[] = [],
): Promise<LoraWeights> {
  return guarded(directory, async () => {
    const { base } = await checked((name) => readFile(join(directory, name)), [WEIGHTS, CONFIG, ...state])
    if (base !== hash) throw new Error('it was trained on another model')
    const peft = JSON.parse(await readFile(join(directory, CONFIG), 'utf8')) as Record<string, unknown>
    const { r: rank, lora_alpha: alpha } = peft
    if (typeof rank !== 'number' || !Number.isInteger(rank) || rank < 1 || rank > 256) throw new Error('its rank')
    if (typeof alpha !== 'number' || !(alpha > 0)) throw new Error('its alpha')
    const file = openFile(join(directory, WEIGHTS))
    try {
      const stored = readSafetensors(file)
      const read = (name: string, shape: readonly number[]) => {
        const tensor = stored.get(name)
        if (tensor === undefined || String(tensor.shape) !== String(shape)) throw new Error(`${name} does not fit`)
        const values = widen(file.read(tensor.offset, tensor.shape[0]! * tensor.shape[1]! * 4), 'F32')
        if (!values.every(Number.isFinite)) throw new Error(`${name} is not finite`)
        return values
      }
      const pairs = new Map<string, { a: Float32Array; b: Float32Array }>()
      for (const { module, inputs, outputs } of projections(config)) {
        const name = `base_model.model.${module}`
        const a = read(`${name}.lora_A.weight`, [rank, inputs])
        pairs.set(module, { a, b: read(`${name}.lora_B.weight`, [outputs, rank]) })
        await breathe()
      }
      return { rank, alpha, pairs }
    } finally {
      file.close()
    }
  })
}

function peftConfig({ rank, alpha }: LoraWeights, base: string) {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: rank,
    lora_alpha: alpha,
    target_modules: PROJECTIONS.map((name) => name.split('.').at(-1)),
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    use_rslora: false,
    use_dora: false,
    modules_to_save: null,
    inference_mode: true,
  }
}

async function guarded<T>(directory: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new ClawError('POLICY_CORRUPT', `Policy ${basename(directory)} cannot be used: ${reason(error)}`, {
      remedy: 'Roll back to an earlier version: /claw rollback',
      cause: error,
    })
  }
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE, type CatalogueEntry } from '../../config/models.ts'
import { ClawError } from '../errors.ts'
import { type ModelConfig, openModel } from './files.ts'
import { readManifest } from './manifest.ts'

/** A line of `claw model list`. */
export interface ListedModel extends CatalogueEntry {
  /** What to open, or null where it is not pulled. */
  readonly path: string | null
  /** Bytes on disk, or null where it is not pulled. */
  readonly size: number | null
}

/** What `claw model info` shows. */
export interface ModelInfo {
  readonly name: string
  readonly path: string
  /** Bytes on disk. */
  readonly size: number
  readonly parameters: number
  /** The type that most weights are stored in: `Q4_1`, `BF16`, … */
  readonly quantisation: string
  /** Tokens. */
  readonly contextLength: number
  readonly license: string | null
  /** SHA-256 of the weights. */
  readonly hash: string
  readonly source: string | null
  readonly config: ModelConfig
}

/** Throws MODEL_UNKNOWN. */
export function catalogueEntry(name: string): CatalogueEntry {
  const entry = CATALOGUE.find((known) => known.name === name)
  if (entry) return entry
  throw new ClawError('MODEL_UNKNOWN', `There is no model called ${name}`, {
    remedy: `Name one of ${CATALOGUE.map((known) => known.name).join(', ')}, a Hugging Face folder or a .gguf file.`,
  })
}

export const modelFolder = (name: string, dataDir: string) => join(dataDir, 'models', name)

/** What to open for a pulled model, or null where it is not pulled. A folder without a manifest is none of ours. */
export function pulledPath(name: string, dataDir: string): string | null {
  const folder = modelFolder(name, dataDir)
  const manifest = readManifest(folder)
  return manifest && join(folder, manifest.entry)
}

/**
 * A pulled model's path, or the path itself where something lies there.
 * Throws MODEL_MISSING for a model of the catalogue that is not pulled, MODEL_UNKNOWN for anything else.
 */
export function resolveModel(nameOrPath: string, dataDir: string): string {
  const isName = CATALOGUE.some(({ name }) => name === nameOrPath)
  if (!isName && existsSync(nameOrPath)) return nameOrPath
  const { name } = catalogueEntry(nameOrPath)
  const path = pulledPath(name, dataDir)
  if (path) return path
  throw new ClawError('MODEL_MISSING', `The model ${name} is not here yet`, { remedy: `claw model pull ${name}` })
}

/** The catalogue, and what of it is pulled. */
export function listModels(dataDir: string): readonly ListedModel[] {
  return CATALOGUE.map((entry) => {
    const path = pulledPath(entry.name, dataDir)
    return { ...entry, path, size: path === null ? null : sizeOnDisk(path) }
  })
}

/** Opens a model for its figures. Throws as `openModel` does. */
export async function modelInfo(path: string): Promise<ModelInfo> {
  const { name, license, hash, source, quantisation, config, tensors, close } = await openModel(path)
  try {
    const sizes = tensors.names().map((tensor) => tensors.shape(tensor).reduce((product, size) => product * size, 1))
    return {
      name,
      path,
      size: sizeOnDisk(path),
      parameters: sizes.reduce((sum, size) => sum + size, 0),
      quantisation,
      contextLength: config.contextLength,
      license,
      hash,
      source,
      config,
    }
  } finally {
    await close()
  }
}

function sizeOnDisk(path: string): number {
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
  return files.reduce((sum, file) => sum + statSync(file).size, 0)
}

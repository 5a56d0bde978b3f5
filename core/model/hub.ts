import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { downloadFile, type ListFileEntry, listFiles } from '@huggingface/hub'
import { corrupt } from './bytes.ts'

export interface HubOptions {
  /** Where the hub is; its public address when left out. */
  readonly hubUrl?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((file: string, received: number, total: number) => void) | undefined
}

/** Everything that `openModel` reads from a folder, and nothing else of the repository. */
const WANTED =
  /^(?:(?:config|generation_config|tokenizer|tokenizer_config|model\.safetensors\.index)\.json|chat_template\.jinja|model(?:-\d{5}-of-\d{5})?\.safetensors)$/

/** A machine without a network must learn it soon. */
const LIST_TIMEOUT_MS = 5_000
const STALL_TIMEOUT_MS = 20_000
const ATTEMPTS = 3

/**
 * Downloads a repository's model into a folder. A file gets its name only once its hash agrees, so a folder left by a
 * killed run is continued: whole files are kept, a partial one grows from its end. Returns their names.
 * Throws MODEL_CORRUPT, or whatever the network says.
 */
export async function pullFromHub(repo: string, folder: string, options: HubOptions): Promise<readonly string[]> {
  const entries = await list(repo, options)
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (const entry of entries) {
    await pullFile(repo, entry, join(folder, entry.path), {
      ...options,
      onProgress: (file, received) => options.onProgress?.(file, before + received, total),
    })
    before += entry.size
  }
  return entries.map(({ path }) => path)
}

async function list(repo: string, { hubUrl, signal }: HubOptions): Promise<ListFileEntry[]> {
  const deadline = AbortSignal.any([AbortSignal.timeout(LIST_TIMEOUT_MS), ...(signal ? [signal] : [])])
  const entries: ListFileEntry[] = []
  for await (const entry of listFiles({ repo, fetch: fetchUntil(deadline), ...(hubUrl ? { hubUrl } : {}) })) {
    if (entry.type === 'file' && WANTED.test(entry.path)) entries.push(entry)
  }
  if (!entries.some(({ path }) => path.endsWith('.safetensors'))) throw new Error(`${repo} has no safetensors there`)
  return entries
}

async function pullFile(repo: string, entry: ListFileEntry, target: string, options: HubOptions): Promise<void> {
  const expected = entry.lfs?.oid ?? entry.oid
  if (!expected) throw new Error(`the hub gives no hash for ${entry.path}`)
  if (existsSync(target) && (await hashEntry(target, entry)) === expected) return
  // Named by its content, so a partial file is never continued with the bytes of another revision.
  const partial = `${target}.${expected.slice(0, 16)}.partial`
  const resumed = sizeOf(partial) > 0
  for (let attempt = 1; sizeOf(partial) < entry.size; attempt++) {
    try {
      await append(repo, entry, partial, options)
    } catch (error) {
      if (options.signal?.aborted || attempt === ATTEMPTS) throw error
    }
  }
  if ((await hashEntry(partial, entry)) === expected) return rename(partial, target)
  await rm(partial)
  if (!resumed) throw corrupt(entry.path, 'its hash is not the one that the hub gives')
  return pullFile(repo, entry, target, options)
}

/** Downloads from where the partial file ends. */
async function append(repo: string, entry: ListFileEntry, partial: string, options: HubOptions): Promise<void> {
  const { hubUrl, signal, onProgress } = options
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error('the hub stopped sending')), STALL_TIMEOUT_MS)
  const fetch = fetchUntil(AbortSignal.any([stalled.signal, ...(signal ? [signal] : [])]))
  const file = await open(partial, 'a')
  try {
    let position = sizeOf(partial)
    const blob = await downloadFile({ repo, path: entry.path, xet: false, fetch, ...(hubUrl ? { hubUrl } : {}) })
    if (!blob) throw new Error(`the hub has no ${entry.path}`)
    for await (const chunk of blob.slice(position).stream()) {
      timer.refresh()
      await file.write(chunk)
      position += chunk.length
      onProgress?.(entry.path, position, entry.size)
    }
    if (position < entry.size) throw new Error('the hub stopped sending')
    await file.sync()
  } finally {
    clearTimeout(timer)
    await file.close()
  }
}

/** SHA-256 where the hub gives that, else the hash Git gives the file. */
async function hashEntry(path: string, { lfs }: ListFileEntry): Promise<string> {
  const hash = createHash(lfs ? 'sha256' : 'sha1')
  if (!lfs) hash.update(`blob ${sizeOf(path)}\0`)
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function fetchUntil(signal: AbortSignal): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

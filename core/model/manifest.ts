import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const FILE = 'manifest.json'

const schema = z.object({
  name: z.string(),
  /** Where it came from: `hub` or `pypi`, and what. */
  source: z.string(),
  license: z.string(),
  /** The file to open, or `.` for the folder itself. */
  entry: z.string(),
  files: z.array(z.object({ path: z.string(), size: z.number(), modified: z.number(), sha256: z.string() })),
})

/** What a pull leaves beside the files it verified. */
export type Manifest = Readonly<z.output<typeof schema>>

export const manifestPath = (folder: string) => join(folder, FILE)

/** The manifest of a pulled folder, or null where there is none. */
export function readManifest(folder: string): Manifest | null {
  try {
    return schema.parse(JSON.parse(readFileSync(manifestPath(folder), 'utf8')))
  } catch {
    return null
  }
}

/** The hash found when the file was pulled, where it has not been touched since. */
export function knownHash(path: string): string | null {
  const entry = readManifest(dirname(path))?.files.find((file) => join(dirname(path), file.path) === path)
  if (!entry) return null
  const { size, mtimeMs } = statSync(path)
  return size === entry.size && mtimeMs === entry.modified ? entry.sha256 : null
}

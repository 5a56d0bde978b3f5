import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkspaceRef } from './types.ts'

/** Where what is kept of a person is written for them: one file a person, named without naming them. */
export function exportFile(dataDir: string, { platform, workspace }: WorkspaceRef, person: string): string {
  const about = JSON.stringify([platform, workspace, person])
  return join(dataDir, 'exports', `${createHash('sha256').update(about).digest('hex').slice(0, 16)}.json`)
}

/** How long an export waits for whoever asked for it. */
export const EXPORT_DAYS = 7

/** Deletes exports that have waited long enough. */
export async function expireExports(dataDir: string, now: number): Promise<void> {
  const folder = join(dataDir, 'exports')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names) {
    const file = join(folder, name)
    const written = await stat(file).catch(() => null)
    if (written !== null && written.mtimeMs < now - EXPORT_DAYS * 24 * 3_600_000) await rm(file, { force: true })
  }
}

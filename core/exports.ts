import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { WorkspaceRef } from './types.ts'

/** Where what is kept of a person is written for them: one file a person, named without naming them. */
export function exportFile(dataDir: string, { platform, workspace }: WorkspaceRef, person: string): string {
  const about = JSON.stringify([platform, workspace, person])
  return join(dataDir, 'exports', `${createHash('sha256').update(about).digest('hex').slice(0, 16)}.json`)
}

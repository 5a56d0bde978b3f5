import { basename, dirname, join } from 'node:path'
import { keepFiles, keptFile } from '../store/files.ts'
import type { Db } from '../store/schema.ts'
import type { NewVersion, PolicyVersion } from '../store/versions.ts'
import { fetchVersion, readVersion } from './version.ts'

/**
 * The versions of a bot that is several machines: their files are in the database, and come into a machine's own data
 * folder when they are needed there.
 */
export interface Library {
  /** Puts a new version's files into the database, in this transaction: they are there when it is served, or not at all. */
  keep(db: Db, made: NewVersion): Promise<void>
  /**
   * The record, with the version's files on this machine. Unchanged where the database has none: then they are where
   * they were made, or nowhere. Throws POLICY_CORRUPT for files that are not those of the manifest.
   */
  here(record: PolicyVersion): Promise<PolicyVersion>
}

export function createLibrary(db: Db, dataDir: string): Library {
  /** One version is fetched once at a time. */
  const fetching = new Map<string, Promise<PolicyVersion>>()

  async function fetched(record: PolicyVersion): Promise<PolicyVersion> {
    const directory = join(dataDir, 'policies', basename(dirname(record.directory)), basename(record.directory))
    const there = await fetchVersion(directory, (name) => keptFile(db, record.ref, record.version, name))
    return there ? { ...record, directory } : record
  }

  return {
    async keep(tx, { ref, version, directory }) {
      const files = await readVersion(directory)
      if (files !== null) await keepFiles(tx, ref, version, files)
    },
    here(record) {
      const key = record.directory
      const known = fetching.get(key)
      if (known !== undefined) return known
      const run = fetched(record).finally(() => fetching.delete(key))
      fetching.set(key, run)
      return run
    },
  }
}

import { join } from 'node:path'
import type { Method } from '../../config/config.ts'
import type { KeptNote } from '../memory/notes.ts'
import { createLibrary } from '../policy/library.ts'
import type { PolicyRef, WorkspaceRef } from '../types.ts'
import { openDatabase } from './database.ts'
import * as learned from './learned.ts'
import * as notes from './notes.ts'
import { openPostgres } from './postgres.ts'
import { type Question, recentQuestions } from './questions.ts'
import * as samples from './samples.ts'
import type { Db } from './schema.ts'
import { transact } from './transact.ts'
import * as versions from './versions.ts'
import * as workspaces from './workspaces.ts'

/** The trainer's half of the store: samples in, versions out. */
export interface LessonStore {
  /** What may be trained, longest waiting first: where learning is on and not paused. */
  readySamples(): Promise<samples.ReadySamples[]>
  /** All weights that have lessons and may be trained. */
  trainedPolicies(): Promise<PolicyRef[]>
  /** What the workspace's admins chose; null follows the operator's setting. */
  method(ref: WorkspaceRef): Promise<Method | null>
  /** When anyone last said anything, in milliseconds since the epoch; 0 for never. */
  lastActivity(): Promise<number>
  /** The oldest samples that may be trained, on what is served. */
  batch(ref: PolicyRef, limit: number): Promise<learned.OwnedSample[]>
  /** What the given lineage has learned from, oldest first; lessons of versions rejected on its way included. */
  pool(ref: PolicyRef, versions: readonly number[]): Promise<learned.OwnedSample[]>
  /** The newest training prompts, each once, newest first. */
  recentQuestions(ref: PolicyRef, limit: number): Promise<Question[]>
  /** All notes of the workspace that stand, retired ones included, oldest first. */
  workspaceNotes(ref: WorkspaceRef): Promise<KeptNote[]>
  /** A note that stands in prompts and has not been compared with the replies of the served version yet. */
  uncheckedNote(ref: PolicyRef, version: number): Promise<KeptNote | null>
  /** Records whether a version's replies without the note were as good as with it, if it still serves these weights. */
  recordCheck(ref: PolicyRef, note: string, version: number, held: boolean): Promise<void>
  /** The version and its ancestors, newest first, the base (0) left out. */
  lineage(ref: WorkspaceRef, version: number): Promise<number[]>
  servingVersion(ref: PolicyRef): Promise<number>
  nextVersion(ref: WorkspaceRef): Promise<number>
  /** With its files on this machine, wherever it was made. Throws POLICY_CORRUPT. */
  findVersion(ref: WorkspaceRef, version: number): Promise<versions.PolicyVersion | null>
  /** All versions of these weights that were not dropped, newest first. */
  listVersions(ref: PolicyRef): Promise<versions.ListedVersion[]>
  /**
   * Writes the version, its samples and turns as trained and the serving pointer, all or nothing. A version whose parent
   * is no longer served is rejected: the state returned says what became of it.
   */
  recordVersion(version: versions.NewVersion): Promise<versions.NewVersion['state']>
  /** Nats a token that the sample's reply loses under its teacher. */
  recordPotency(sample: string, value: number): Promise<void>
}

export interface Store extends LessonStore {
  readonly db: Db
  /** The record, with the version's files on this machine. Throws POLICY_CORRUPT. */
  here(record: versions.PolicyVersion): Promise<versions.PolicyVersion>
  close(): Promise<void>
}

/**
 * Opens the truth about everything that has happened: `<dataDir>/claw.sqlite`, or the PostgreSQL database at
 * `databaseUrl`. Several processes may hold it open, of SQLite each once. While PostgreSQL does not answer it waits and
 * calls `waiting` with a line for a person; without `waiting` it gives up. Throws STORE_UNUSABLE, STORE_UNREACHABLE.
 */
export async function openStore(
  dataDir: string,
  databaseUrl: string | null = null,
  waiting?: (line: string) => void,
): Promise<Store> {
  const db =
    databaseUrl === null ? await openDatabase(join(dataDir, 'claw.sqlite')) : await openPostgres(databaseUrl, waiting)
  const library = databaseUrl === null ? null : createLibrary(db, dataDir)
  const here = library?.here ?? (async (record: versions.PolicyVersion) => record)
  return {
    db,
    readySamples: () => samples.readySamples(db),
    trainedPolicies: () => workspaces.trainedPolicies(db),
    method: async (ref) => (await workspaces.findWorkspace(db, ref))?.method ?? null,
    lastActivity: () => workspaces.lastActivity(db),
    async batch(ref, limit) {
      const line = await versions.lineage(db, ref, await versions.servingVersion(db, ref))
      return learned.batch(db, ref, line, limit)
    },
    pool: (ref, of) => learned.pool(db, ref, of),
    recentQuestions: (ref, limit) => recentQuestions(db, ref, limit),
    workspaceNotes: (ref) => notes.workspaceNotes(db, ref),
    uncheckedNote: (ref, version) => notes.uncheckedNote(db, ref, version),
    recordCheck: (ref, note, version, held) =>
      transact(db, async (tx) => {
        if ((await versions.servingVersion(tx, ref)) === version) await notes.recordCheck(tx, note, version, held)
      }),
    lineage: (ref, version) => versions.lineage(db, ref, version),
    servingVersion: (ref) => versions.servingVersion(db, ref),
    nextVersion: (ref) => versions.nextVersion(db, ref),
    async findVersion(ref, version) {
      const record = await versions.findVersion(db, ref, version)
      return record === null ? null : here(record)
    },
    here,
    listVersions: (ref) => versions.listVersions(db, ref),
    recordVersion: (version) => versions.recordVersion(db, version, Date.now(), library?.keep),
    recordPotency: (sample, value) => samples.recordPotency(db, sample, value),
    close: () => db.destroy(),
  }
}

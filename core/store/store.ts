import { join } from 'node:path'
import type { Sample, WorkspaceRef } from '../types.ts'
import { openDatabase } from './database.ts'
import { openPostgres } from './postgres.ts'
import * as samples from './samples.ts'
import type { Db } from './schema.ts'
import * as versions from './versions.ts'
import { learningWorkspaces } from './workspaces.ts'

/** The trainer's half of the store: samples in, versions out. */
export interface LessonStore {
  /** Every workspace with samples to train, where learning is on; longest waiting first. */
  readySamples(): Promise<samples.ReadySamples[]>
  /** Every workspace where learning is on. */
  learningWorkspaces(): Promise<WorkspaceRef[]>
  /** The workspace's oldest ready samples. */
  batch(ref: WorkspaceRef, limit: number): Promise<Sample[]>
  /** What the given lineage has learned from, oldest first; lessons of versions rejected on its way included. */
  pool(ref: WorkspaceRef, versions: readonly number[]): Promise<Sample[]>
  /** The newest training prompts, each once, newest first. */
  recentQuestions(ref: WorkspaceRef, limit: number): Promise<samples.Question[]>
  /** The version and its ancestors, newest first, the base (0) left out. */
  lineage(ref: WorkspaceRef, version: number): Promise<number[]>
  servingVersion(ref: WorkspaceRef): Promise<number>
  nextVersion(ref: WorkspaceRef): Promise<number>
  findVersion(ref: WorkspaceRef, version: number): Promise<versions.PolicyVersion | null>
  /**
   * Writes the version, its samples and turns as trained and the serving pointer, all or nothing. A version whose parent
   * is no longer served is rejected: the state returned says what became of it.
   */
  recordVersion(version: versions.NewVersion): Promise<versions.PolicyVersion['state']>
  /** Nats a token that the sample's reply loses under its teacher. */
  recordPotency(sample: string, value: number): Promise<void>
}

export interface Store extends LessonStore {
  readonly db: Db
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
  return {
    db,
    readySamples: () => samples.readySamples(db),
    learningWorkspaces: () => learningWorkspaces(db),
    batch: (ref, limit) => samples.batch(db, ref, limit),
    pool: (ref, of) => samples.pool(db, ref, of),
    recentQuestions: (ref, limit) => samples.recentQuestions(db, ref, limit),
    lineage: (ref, version) => versions.lineage(db, ref, version),
    servingVersion: (ref) => versions.servingVersion(db, ref),
    nextVersion: (ref) => versions.nextVersion(db, ref),
    findVersion: (ref, version) => versions.findVersion(db, ref, version),
    recordVersion: (version) => versions.recordVersion(db, version),
    recordPotency: (sample, value) => samples.recordPotency(db, sample, value),
    close: () => db.destroy(),
  }
}

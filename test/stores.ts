import { rmSync } from 'node:fs'
import { inject } from 'vitest'
import { openStore, type Store } from '../core/store/store.ts'
import { scratch } from './scratch.ts'
import { newDatabase } from './services/postgres.ts'

/** An empty place for a store. */
export interface Place {
  readonly dir: string
  readonly databaseUrl: string | null
  open(): Promise<Store>
  remove(): void
}

/** Whether this run is the one on PostgreSQL: tests that use a place run on both databases (vitest.config.ts). */
export const onPostgres = postgres() !== undefined

/** None where a program of its own uses the tests' parts. */
function postgres(): ReturnType<typeof inject<'postgres'>> | undefined {
  return process.env.VITEST === undefined ? undefined : inject('postgres')
}

/** A database with its tables, to copy. */
let template: Promise<string> | undefined

export async function newPlace(): Promise<Place> {
  const dir = scratch()
  const server = postgres()
  if (server !== undefined) template ??= makeTemplate(server)
  const databaseUrl = server === undefined ? null : await newDatabase(server, await template)
  return {
    dir,
    databaseUrl,
    open: () => openStore(dir, databaseUrl),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function makeTemplate(server: string): Promise<string> {
  const url = await newDatabase(server)
  const store = await openStore('', url)
  await store.close()
  return new URL(url).pathname.slice(1)
}

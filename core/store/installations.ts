import { first } from './database.ts'
import type { Db } from './schema.ts'

/** How a workspace lets the bot in, sealed by the adapter whose business it is. */
export interface SealedInstallation {
  /** The workspace, or the organisation that it belongs to. */
  readonly id: string
  readonly sealed: string
}

export async function saveInstallation(db: Db, { id, sealed }: SealedInstallation, now: number): Promise<void> {
  await db
    .insertInto('installations')
    .values({ id, organisation: null, sealed, at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ organisation: null, sealed, at: now }))
    .execute()
}

/** A workspace that an organisation's installation lets the bot into. */
export async function joinInstallation(db: Db, id: string, organisation: string, now: number): Promise<void> {
  await db
    .insertInto('installations')
    .values({ id, organisation, sealed: null, at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** The workspace's own installation, or its organisation's. */
export async function findInstallation(db: Db, id: string): Promise<SealedInstallation | null> {
  // Every event waits for it.
  const row = await first(() => db.selectFrom('installations').selectAll().where('id', '=', id).executeTakeFirst())
  if (row?.organisation != null) return findInstallation(db, row.organisation)
  return row?.sealed == null ? null : { id: row.id, sealed: row.sealed }
}

export async function allInstallations(db: Db): Promise<SealedInstallation[]> {
  const rows = await db.selectFrom('installations').select(['id', 'sealed']).orderBy('id').execute()
  return rows.flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }]))
}

/** When it was installed last, in milliseconds since the epoch; null where it is not. */
export async function installedAt(db: Db, id: string): Promise<number | null> {
  const row = await db.selectFrom('installations').select('at').where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : Number(row.at)
}

/** The workspaces that an organisation's installation lets the bot into, as far as they are known. */
export async function joinedInstallation(db: Db, organisation: string): Promise<string[]> {
  const joined = db.selectFrom('installations').select('id').where('organisation', '=', organisation)
  return (await joined.execute()).map((row) => row.id)
}

/** An organisation's takes its workspaces with it. */
export async function dropInstallation(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('installations')
    .where((eb) => eb.or([eb('id', '=', id), eb('organisation', '=', id)]))
    .execute()
}

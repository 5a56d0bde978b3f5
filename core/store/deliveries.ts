import { sql } from 'kysely'
import type { Delivery } from '../stream/outlet.ts'
import type { WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/**
 * What of the reply to the message at `position` has been handed to its platform, as an earlier life of the program may
 * have left it.
 */
export async function openDelivery(
  db: Db,
  { platform, workspace }: WorkspaceRef,
  position: number,
  now: () => number,
): Promise<Delivery> {
  const rows = await db.selectFrom('deliveries').select(['part', 'message']).where('position', '=', position).execute()
  const parts: (string | null | undefined)[] = []
  for (const { part, message } of rows) parts[part] = message
  const record = async (part: number, message: string | null) => {
    const at = now()
    await db
      .insertInto('deliveries')
      .values({ platform, workspace, position, part, message, at })
      .onConflict((conflict) => conflict.columns(['position', 'part']).doUpdateSet({ message, at }))
      .execute()
  }
  return {
    parts,
    sending: (part) => record(part, null),
    sent: record,
    async refused(part) {
      await db
        .deleteFrom('deliveries')
        .where((on) => on.and({ position, part, message: null }))
        .execute()
    },
  }
}

/** The reply is shown, or will not come: which messages carry it is on record elsewhere. */
export async function closeDelivery(db: Db, position: number): Promise<void> {
  await db.deleteFrom('deliveries').where('position', '=', position).execute()
}

/** Closes deliveries of messages that are handled: what was forgotten meanwhile left them open. */
export async function closeLeftBehind(db: Db): Promise<void> {
  const underWay = db
    .selectFrom('inbox')
    .select('seq')
    .where('state', '<>', sql.lit('handled' as const))
  await db.deleteFrom('deliveries').where('position', 'not in', underWay).execute()
}

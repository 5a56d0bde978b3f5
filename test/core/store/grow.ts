import { openDatabase } from '../../../core/store/database.ts'
import { openPostgres } from '../../../core/store/postgres.ts'
import { transact } from '../../../core/store/transact.ts'

/** A process of its own that counts up in the database, reading before it writes. */
const [place = '', times = '0'] = process.argv.slice(2)
const db = place.startsWith('postgres:') ? await openPostgres(place) : await openDatabase(place)
await db
  .insertInto('workspaces')
  .values({ platform: 'p', workspace: 'w', learning: 1, method: null, serving_version: 0, created_at: 0 })
  .onConflict((conflict) => conflict.doNothing())
  .execute()
for (let i = 0; i < Number(times); i += 1) {
  await transact(db, async (tx) => {
    const row = await tx.selectFrom('workspaces').select('serving_version').executeTakeFirstOrThrow()
    await tx
      .updateTable('workspaces')
      .set({ serving_version: row.serving_version + 1 })
      .execute()
  })
}
await db.destroy()

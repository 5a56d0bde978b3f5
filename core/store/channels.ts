import type { Speak } from '../../config/config.ts'
import type { WorkspaceRef } from '../types.ts'
import type { Db } from './schema.ts'

/** What the channel's admins have chosen; null where they have not. */
export async function channelSpeak(db: Db, ref: WorkspaceRef, channel: string): Promise<Speak | null> {
  const row = await db
    .selectFrom('channels')
    .select('speak')
    .where('platform', '=', ref.platform)
    .where('workspace', '=', ref.workspace)
    .where('channel', '=', channel)
    .executeTakeFirst()
  return row?.speak ?? null
}

export async function setChannelSpeak(db: Db, ref: WorkspaceRef, channel: string, speak: Speak): Promise<void> {
  const { platform, workspace } = ref
  await db
    .insertInto('channels')
    .values({ platform, workspace, channel, speak })
    .onConflict((conflict) => conflict.columns(['platform', 'workspace', 'channel']).doUpdateSet({ speak }))
    .execute()
}

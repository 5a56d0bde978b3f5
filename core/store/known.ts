import { sql } from 'kysely'
import type { Speak } from '../../config/config.ts'
import type { Event } from '../types.ts'
import { first } from './database.ts'
import type { Db } from './schema.ts'

/** What is on record around an event. */
export interface Known {
  /** What the channel's admins have chosen; null where they have not, or there is no channel. */
  readonly speak: Speak | null
  /** Of its thread, which is not the channel itself, a message was taken before. */
  readonly thread: boolean
  /** The message that it names carries a reply. */
  readonly reply: boolean
  /** A reply is being handed over just now, so that the message it names may yet turn out to carry it. */
  readonly sending: boolean
  /** The message that it names is one that a person said to the bot. */
  readonly said: boolean
}

/** How long a platform may take to name a message that it was handed, in milliseconds. */
const SENDING_MS = 10_000

/** One statement, because the platform waits. */
export async function knownOf(db: Db, event: Event, now: number): Promise<Known> {
  const { conversation, channel } = event
  const message = (event.type === 'message' ? event.replyTo : 'message' in event ? event.message : undefined) ?? null
  const row = await first(() =>
    db
      .selectNoFrom((eb) => {
        const here = { platform: event.platform, workspace: event.workspace }
        const waiting = eb
          .selectFrom('inbox')
          .select('seq')
          .where((on) => on.and({ ...here, type: 'message' }))
          .where('state', '<>', sql.lit('handled' as const))
        const turns = eb.selectFrom('turns').select('id')
        const naming = (table: 'outbound' | 'deliveries' | 'messages' | 'signals') =>
          eb.exists(
            eb
              .selectFrom(table)
              .select('message')
              .where((on) => on.and(here))
              .where('message', '=', message),
          )
        return [
          eb
            .selectFrom('channels')
            .select('speak')
            .where((on) => on.and(here))
            .where('channel', '=', channel ?? null)
            .as('speak'),
          eb
            .or([
              eb.exists(turns.where((on) => on.and({ ...here, conversation }))),
              eb.exists(waiting.where('conversation', '=', conversation)),
            ])
            .as('thread'),
          eb.or([naming('outbound'), naming('deliveries')]).as('reply'),
          eb
            .exists(
              eb
                .selectFrom('deliveries')
                .select('part')
                .where((on) => on.and({ ...here, message: null }))
                .where('at', '>', now - SENDING_MS),
            )
            .as('sending'),
          eb.or([naming('messages'), naming('signals'), eb.exists(waiting.where('message', '=', message))]).as('said'),
        ]
      })
      .executeTakeFirstOrThrow(),
  )
  return {
    speak: row.speak,
    thread: conversation !== channel && Boolean(row.thread),
    reply: Boolean(row.reply),
    sending: Boolean(row.sending),
    said: Boolean(row.said),
  }
}

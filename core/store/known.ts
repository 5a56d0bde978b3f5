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
  /** A reply is being handed over just now in the channel, so that the message it names may yet turn out to carry it. */
  readonly sending: boolean
  /** The message that it names is one that a person said to the bot. */
  readonly said: boolean
}

/** Conversations that are held in a channel are named after it. */
function inside(channel: string) {
  const beginning = `${channel}:`
  return sql<boolean>`substr(i.conversation, 1, ${sql.lit(beginning.length)}) = ${beginning}`
}

/** How long a platform may take to name a message that it was handed, in milliseconds. */
const SENDING_MS = 10_000

/** One statement, because the platform waits. */
export async function knownOf(db: Db, event: Event, now: number): Promise<Known> {
  const { conversation, channel } = event
  const place = channel ?? conversation
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
            .exists(
              eb
                .selectFrom('inbox')
                .select('seq')
                .where((on) => on.and({ ...here, conversation }))
                // Written out, as in the index.
                .where('type', '=', sql.lit('message' as const)),
            )
            .as('thread'),
          eb.or([naming('outbound'), naming('deliveries')]).as('reply'),
          eb
            .exists(
              eb
                .selectFrom('deliveries as d')
                .innerJoin('inbox as i', 'i.seq', 'd.position')
                .select('d.part')
                .where((on) =>
                  on.and({ 'd.platform': here.platform, 'd.workspace': here.workspace, 'd.message': null }),
                )
                .where('d.at', '>', now - SENDING_MS)
                .where((on) => on.or([on('i.conversation', 'in', [conversation, place]), inside(place)])),
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

import type { webApi } from '@slack/bolt'
import { hasCode } from '../../core/errors.ts'
import type { ReplyTo } from '../../core/stream/outlet.ts'
import type { NativeStream, Part } from '../adapter.ts'

import { fitsSlack, slackMarkdown } from '../markdown/slack.ts'
import { call } from './api.ts'
import { metadataOf, thumbs } from './content.ts'
import { messageId, placeOf } from './place.ts'
import { settled } from './settled.ts'

export interface StreamOptions {
  readonly client: webApi.WebClient
  readonly token: () => Promise<string>
  /** Sends a part as a message of its own. */
  readonly send: (part: Part) => Promise<string>
  /** Puts a part in the place of a message. */
  readonly edit: (message: string, part: Part) => Promise<void>
  /** The message in the thread that was begun and is not ended. */
  readonly begun: () => Promise<string | null>
}

/**
 * One message in a thread that Slack shows while it is written. What it shows cannot be taken back until it is ended;
 * where it is to say something else in the end, it is edited then.
 */
export function nativeStream(to: ReplyTo, { client, token, send, edit, begun }: StreamOptions): NativeStream {
  const { channel, thread } = placeOf(to.conversation)
  let ts: string | null = null
  let shown = ''

  async function start(text: string): Promise<void> {
    const place = { token: await token(), channel, thread_ts: thread ?? '', markdown_text: text }
    await to.delivery.sending(0)
    const recipient = { recipient_team_id: to.workspace, recipient_user_id: to.person }
    try {
      const started = await call('chat.startStream', () => client.chat.startStream({ ...place, ...recipient }))
      ts = started.ts ?? null
    } catch (error) {
      if (!hasCode(error, 'PLATFORM_LOST')) throw error
      // It stands there, or it does not: beside the reply it would be a second one.
      const found = await begun().catch(() => null)
      if (found === null) throw error
      ts = placeOf(found).thread
    }
  }

  return {
    get message() {
      return ts === null ? null : messageId(channel, ts)
    },
    async append(markdown) {
      const beginning = settled(markdown)
      const text = slackMarkdown(beginning)
      if (!text.startsWith(shown) || text.length === shown.length || !fitsSlack(beginning)) return
      if (ts === null) await start(text)
      else {
        const more = { token: await token(), channel, ts, markdown_text: text.slice(shown.length) }
        await call('chat.appendStream', () => client.chat.appendStream(more))
      }
      shown = text
    },
    async stop(whole) {
      // Slack would start an empty message where none was started.
      if (ts === null) return send(whole)
      const text = slackMarkdown(whole.markdown)
      const grown = text.startsWith(shown)
      const left = grown ? text.slice(shown.length) : ''
      const end = {
        ...{ token: await token(), channel, ts, metadata: metadataOf(whole.key) },
        ...(left === '' ? {} : { markdown_text: left }),
        ...(grown && whole.thumbs ? { blocks: thumbs(whole) } : {}),
      }
      await call('chat.stopStream', () => client.chat.stopStream(end))
      const message = messageId(channel, ts)
      if (!grown) await edit(message, whole)
      return message
    },
  }
}

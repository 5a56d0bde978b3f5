import type { webApi } from '@slack/bolt'
import { spellings } from '../../config/reactions.ts'
import { ClawError } from '../../core/errors.ts'
import type { ConversationRef, ReplyTo } from '../../core/stream/outlet.ts'
import type { Manner, Part, Verbs } from '../adapter.ts'
import { limited } from '../limited.ts'
import { fitsSlack } from '../markdown/slack.ts'
import { isSentWith } from '../parts.ts'
import { call, refusedFor } from './api.ts'
import { formatted, metadataOf, REPLY, UNFORMATTED, unformatted } from './content.ts'
import { messageId, placeOf } from './place.ts'
import { nativeStream } from './stream.ts'
import type { Tenants } from './tenants.ts'

/** Slack takes about one edit a second of one message, and 50 a minute of all. */
export const slackManner: Manner = {
  fits: fitsSlack,
  progress: () => 'edits',
  editMs: 1_500,
  typingMs: 45_000,
  thumbs: () => true,
}

/** Stands on a question while its answer is on its way, where nothing else can show that. */
const SEEN = '👀'

/** Pages of a history that are looked through for a message, and messages on each. */
const [PAGES, PAGE] = [5, 200]

/** Slack's Web API, one call each. */
export function slackVerbs(client: webApi.WebClient, tenants: Tenants): Verbs {
  const at = async (to: ConversationRef) => {
    const { token } = await tenants.find(to.workspace)
    const { channel, thread } = placeOf(to.conversation)
    return { token, channel, thread }
  }

  async function send(to: ConversationRef, part: Part): Promise<string> {
    const { token, channel, thread } = await at(to)
    const place = { token, channel, ...(thread === null ? {} : { thread_ts: thread }) }
    // What unfolds under a reply is told as an edit of it.
    const quiet = { unfurl_links: false, unfurl_media: false, metadata: metadataOf(part.key) }
    const post = (content: { text: string }) =>
      call('chat.postMessage', () => client.chat.postMessage({ ...place, ...quiet, ...content }))
    const { ts } = await plainly(
      () => post(formatted(part)),
      () => post({ ...unformatted(part), mrkdwn: false } as { text: string }),
    )
    if (ts === undefined) throw new ClawError('PLATFORM_LOST', 'Slack did not name the message that it took')
    return messageId(channel, ts)
  }

  async function edit(to: ConversationRef, message: string, part: Part): Promise<void> {
    const { token } = await tenants.find(to.workspace)
    const { channel, thread: ts } = placeOf(message)
    const place = { token, channel, ts: ts ?? '', metadata: metadataOf(part.key) }
    const update = (content: { text: string }) =>
      call('chat.update', () => client.chat.update({ ...place, ...content }))
    await plainly(
      () => update(formatted(part)),
      () => update({ ...unformatted(part), blocks: [] } as { text: string }),
    )
  }

  /**
   * Among what was said since the question: the message that is wanted, and one in the thread that was begun and not
   * ended, since all that the bot has said carries metadata, which a message gets when it is whole. Both are undefined
   * where there is more than can be looked through.
   */
  async function look(to: ReplyTo, wanted: (said: Said) => boolean): Promise<[Found, Found]> {
    const { self } = await tenants.find(to.workspace)
    const { token, channel, thread } = await at(to)
    const asked = placeOf(to.message).thread ?? '0'
    const query = { token, channel, oldest: asked, limit: PAGE, include_all_metadata: true }
    let cursor: string | undefined
    let begun: string | null = null
    for (let page = 0; page < PAGES; page++) {
      const next = { ...query, ...(cursor === undefined ? {} : { cursor }) }
      const { messages = [], response_metadata: more } = await (thread === null
        ? call('conversations.history', () => client.conversations.history(next))
        : call('conversations.replies', () => client.conversations.replies({ ...next, ts: thread })))
      for (const said of messages as Said[]) {
        if (said.ts !== undefined && wanted(said)) return [messageId(channel, said.ts), null]
        const unended = said.user === self.user && said.metadata === undefined && thread !== null
        // A thread's first message comes with its replies, however old it is.
        if (unended && said.ts !== undefined && said.ts > asked) begun = messageId(channel, said.ts)
      }
      cursor = more?.next_cursor || undefined
      if (cursor === undefined) return [null, begun]
    }
    return [undefined, undefined]
  }

  async function reactionOf({ workspace }: ConversationRef, message: string, emoji: string) {
    const { token } = await tenants.find(workspace)
    const { channel, thread: ts } = placeOf(message)
    return { token, channel, timestamp: ts ?? '', name: spellings(emoji)?.name ?? emoji.replaceAll(':', '') }
  }

  async function react(to: ConversationRef, message: string, emoji: string): Promise<void> {
    const reaction = await reactionOf(to, message, emoji)
    await call('reactions.add', () => client.reactions.add(reaction))
  }

  return {
    send,
    edit,
    async delete({ workspace }, message) {
      const { token } = await tenants.find(workspace)
      const { channel, thread: ts } = placeOf(message)
      await call('chat.delete', () => client.chat.delete({ token, channel, ts: ts ?? '' }))
    },
    react,
    async typing(to) {
      const { token, channel, thread } = await at(to)
      // Only threads have a status. Elsewhere the question shows that it was seen.
      if (thread === null) return react(to, to.message, SEEN)
      const status = { channel_id: channel, thread_ts: thread, status: 'is writing…' }
      await call('assistant.threads.setStatus', () => client.assistant.threads.setStatus({ token, ...status }))
    },
    async typed(to) {
      if (placeOf(to.conversation).thread !== null) return
      const reaction = await reactionOf(to, to.message, SEEN)
      await limited(() => call('reactions.remove', () => client.reactions.remove(reaction)))
    },
    async find(to, key) {
      const [sent, begun] = await look(to, (said) => isSentWith(keyOf(said), key))
      return sent === null && key.endsWith('.0') ? begun : sent
    },
    stream(to) {
      if (placeOf(to.conversation).thread === null) return null
      return nativeStream(to, {
        client,
        token: async () => (await tenants.find(to.workspace)).token,
        send: (part) => send(to, part),
        edit: (message, part) => edit(to, message, part),
        begun: async () => (await look(to, () => false))[1] ?? null,
      })
    },
  }
}

/** A message's id, null where there is surely none. */
type Found = string | null | undefined

interface Said {
  readonly user?: string
  readonly ts?: string
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly key?: string } }
}

const keyOf = ({ metadata }: Said) => (metadata?.event_type === REPLY ? metadata.event_payload?.key : undefined)

/** Where Slack does not take the formatting, the words go without; once, and never after anything but a clear no. */
async function plainly<Result>(work: () => Promise<Result>, plain: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!refusedFor(error, UNFORMATTED)) throw error
    return plain()
  }
}

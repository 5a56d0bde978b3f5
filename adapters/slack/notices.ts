import type { types, webApi } from '@slack/bolt'
import { ClawError, RateLimited } from '../../core/errors.ts'
import type { ConversationRef, Notice, Question } from '../../core/stream/outlet.ts'
import type { Part } from '../adapter.ts'
import { limited } from '../limited.ts'
import { THANKS } from '../said.ts'
import { ASK, CORRECTION, FIELD, type Subject } from './actions.ts'
import { call, Refused, refusedFor, translated } from './api.ts'
import { type Content, formatted, UNFORMATTED, unformatted } from './content.ts'
import { isDirect, placeOf } from './place.ts'
import type { Tenants } from './tenants.ts'

/** Tells it from a reply that was begun and not ended. */
const NOTICE = { event_type: 'claw_notice', event_payload: {} }

/** How long Slack takes answers to a command, in milliseconds, and how many. */
const ANSWERABLE = { ms: 30 * 60_000, times: 5 }
/** Commands that may still be answered. */
const REMEMBERED = 1_000
const ANSWER_TIMEOUT = 10_000
/** How long something that is said waits for Slack to take more, in milliseconds. */
const PATIENCE = 10_000

export interface Notices {
  /** A command can be answered at this address for a while, wherever it was given. */
  remember(command: string, responseUrl: string): void
  notify(to: ConversationRef, notice: Notice, parts: readonly Part[]): Promise<void>
  whisper(to: ConversationRef, person: string, text: string): Promise<void>
  ask(to: ConversationRef, question: Question): Promise<void>
  /** Shows the form behind the button of a question. */
  openForm(trigger: string, subject: Subject): Promise<void>
  /** The form was filled: the question is asked no more. */
  closeQuestion(subject: Subject): Promise<void>
}

/** Everything that is said and is not a reply; what is for one person alone, nobody else is shown. */
export function slackNotices(
  client: webApi.WebClient,
  tenants: Tenants,
  now: () => number,
  closing: AbortSignal,
): Notices {
  const patiently = <Result>(work: () => Promise<Result>) => limited(work, PATIENCE, closing)
  const answers = new Map<string, { readonly url: string; readonly at: number; left: number }>()

  /** False where the command cannot be answered, or not any more. Throws PLATFORM_LOST. */
  async function answer(command: string, only: boolean, content: Content | { text: string }): Promise<boolean> {
    const known = answers.get(command)
    if (known === undefined || known.left === 0 || now() - known.at > ANSWERABLE.ms) return false
    known.left -= 1
    return respond(known.url, { ...content, response_type: only ? 'ephemeral' : 'in_channel', replace_original: false })
  }

  /** False where the address is good for nothing any more. Throws PLATFORM_LOST. */
  async function respond(url: string, body: object): Promise<boolean> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    }).catch((error: unknown) => {
      const fault = translated('a late answer', error)
      if (fault instanceof RateLimited) return null
      throw fault
    })
    if (response === null) return false
    await response.body?.cancel()
    if (response.status >= 500) throw new ClawError('PLATFORM_LOST', 'Slack failed on a late answer')
    return response.ok
  }

  async function whisper(to: ConversationRef, person: string, content: Content | { text: string }): Promise<void> {
    const { token } = await tenants.find(to.workspace)
    const { channel, thread } = placeOf(to.conversation)
    const place = { token, channel, user: person, ...(thread === null ? {} : { thread_ts: thread }) }
    await call('chat.postEphemeral', () => client.chat.postEphemeral({ ...place, ...content }))
  }

  async function privately(to: ConversationRef, person: string, content: Content | { text: string }): Promise<void> {
    try {
      await whisper(to, person, content)
    } catch (error) {
      if (!(error instanceof Refused) || refusedFor(error, UNFORMATTED)) throw error
      // Not in this channel, or not any more: between the two of them.
      const { token } = await tenants.find(to.workspace)
      const opened = await call('conversations.open', () => client.conversations.open({ token, users: person }))
      await post(token, opened.channel?.id ?? '', null, content)
    }
  }

  async function post(token: string, channel: string, thread: string | null, content: Content | { text: string }) {
    const place = { token, channel, ...(thread === null ? {} : { thread_ts: thread }) }
    const quiet = { unfurl_links: false, unfurl_media: false, metadata: NOTICE }
    await call('chat.postMessage', () => client.chat.postMessage({ ...place, ...quiet, ...content }))
  }

  return {
    remember(command, url) {
      answers.set(command, { url, at: now(), left: ANSWERABLE.times })
      const oldest = answers.size > REMEMBERED ? answers.keys().next().value : undefined
      if (oldest !== undefined) answers.delete(oldest)
    },
    async notify(to, { only, command }, parts) {
      const { channel, thread } = placeOf(to.conversation)
      const say = async (content: Content | { text: string }) => {
        if (command !== undefined && (await answer(command, only !== undefined, content))) return
        if (only !== undefined && !isDirect(channel)) return privately(to, only, content)
        await post((await tenants.find(to.workspace)).token, channel, thread, content)
      }
      for (const part of parts) {
        await patiently(() => say(formatted(part))).catch((error: unknown) => {
          if (!refusedFor(error, UNFORMATTED)) throw error
          return patiently(() => say(unformatted(part)))
        })
      }
    },
    whisper: (to, person, text) => patiently(() => whisper(to, person, unformatted({ markdown: text, key: 'news' }))),
    async ask(to, { person, message, text }) {
      const subject: Subject = { workspace: to.workspace, conversation: to.conversation, message }
      const label = { type: 'plain_text' as const, text: 'Say it' }
      const button = { type: 'button' as const, action_id: ASK, text: label, value: JSON.stringify(subject) }
      const blocks: types.AnyBlock[] = [
        { type: 'section', text: { type: 'plain_text', text } },
        { type: 'actions', elements: [button] },
      ]
      await patiently(() => privately(to, person, { text, blocks }))
    },
    async openForm(trigger, subject) {
      const { token } = await tenants.find(subject.workspace)
      const plain = (text: string) => ({ type: 'plain_text' as const, text })
      const element = { type: 'plain_text_input' as const, action_id: FIELD, multiline: true, max_length: 3_000 }
      const view = {
        type: 'modal' as const,
        callback_id: CORRECTION,
        private_metadata: JSON.stringify(subject),
        title: plain('A better reply'),
        submit: plain('Send'),
        close: plain('Cancel'),
        blocks: [{ type: 'input' as const, block_id: FIELD, label: plain('What should it have been?'), element }],
      }
      await call('views.open', () => client.views.open({ token, trigger_id: trigger, view }))
    },
    async closeQuestion({ questionAt }) {
      if (questionAt !== undefined) await respond(questionAt, { replace_original: true, text: THANKS })
    },
  }
}

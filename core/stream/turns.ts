import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { ClawError, hasCode, reason } from '../errors.ts'
import type { GeneratedToken, Generation, PolicyEngine } from '../policy/engine.ts'
import type { Served, Serving } from '../policy/serving.ts'
import type { Prompter } from '../samples/sample.ts'
import { forgetOptedOut, optedOut, quotesOptedOut } from '../store/consent.ts'
import { closeDelivery, openDelivery } from '../store/deliveries.ts'
import { history, recordMessage, recordReply } from '../store/history.ts'
import { isWanted, setAnswering, setFailed, setHandled } from '../store/inbox.ts'
import { activeNotes } from '../store/notes.ts'
import { recordPending, recordSent } from '../store/outbound.ts'
import type { Db } from '../store/schema.ts'
import { hang, rootOf } from '../store/threads.ts'
import { transact } from '../store/transact.ts'
import { forgetText, insertTurn, turnAt } from '../store/turns.ts'
import type { ChatMessage, Event, EventOf, SamplingParameters, Turn } from '../types.ts'
import type { Outlet, ReplyStream, ReplyTo } from './outlet.ts'
import { buildRequest } from './request.ts'
import { onlyUnread, unreadNote } from './unread.ts'

export interface Responder {
  readonly db: Db
  readonly config: Pick<Config, 'serving' | 'memory'>
  readonly engine: PolicyEngine
  readonly serving: Serving
  readonly prompter: Prompter
  readonly outlet: (platform: string) => Outlet
  readonly now: () => number
  /** Aborts when the program stops: what was not finished is done again at the next start. */
  readonly stopping: AbortSignal
  /** Is told of faults that no person can be told of. */
  readonly report: (error: unknown) => void
}

/** Messages that are looked at before the context budget decides. */
const REMEMBERED = 64

/** The same event makes the same turn, however often it is tried. */
export function turnId(event: Pick<Event, 'platform' | 'workspace' | 'id'>): string {
  const about = JSON.stringify([event.platform, event.workspace, event.id])
  return createHash('sha256').update(about).digest('base64url').slice(0, 16)
}

/**
 * Replies to a message. `again` is the request to answer once more where the message only corrected the last reply:
 * with the correction as a note, a small model does better on the question itself than on a talk about its own
 * mistake. It does so only where notes stand in the prompt. The turn, the reply in the history and the end of the
 * event's work are one transaction; then the reply is delivered. A reply that fails says so in one line and leaves the
 * reason with the event. Where someone who opted out has asked, or is heard in the prompt, the turn is a side turn, and
 * nothing stays of it but what the conversation still needs.
 */
export async function reply(
  responder: Responder,
  event: EventOf<'message'>,
  text: string,
  position: number,
  again: readonly ChatMessage[] | null,
): Promise<void> {
  const { db, config, prompter, now } = responder
  const id = turnId(event)
  const unread = onlyUnread({ ...event, text })
  if (unread !== null) return refuse(responder, position, await open(responder, event, id, position), unread)
  const heard = await transact(db, async (tx) => {
    if (!(await isWanted(tx, position))) return false
    await recordMessage(tx, event, text, position)
    await hang(tx, event, position)
    return true
  })
  if (!heard) return
  const stream = await open(responder, event, id, position)
  let turn: Turn
  try {
    const notes = config.memory.notes ? await activeNotes(db, event, event.person.id) : []
    const root = await rootOf(db, event)
    const conversation =
      again !== null && config.memory.notes
        ? again
        : [...root.messages, ...(await history(db, event, position + 1, REMEMBERED))]
    const { context, maxTokens, temperature, topP, systemPrompt } = config.serving
    const words = notes.map((note) => note.text)
    const request = buildRequest(systemPrompt, conversation, words, context - maxTokens, prompter)
    if (request === null) {
      throw new ClawError(
        'REQUEST_INVALID',
        `The message is longer than the ${context - maxTokens} tokens I can read at once`,
      )
    }
    const heard = again === null ? request.messages.length : REMEMBERED
    const silent = await optedOut(db, event, [event.person.id, ...root.people])
    const side =
      event.person.kind !== 'human' || silent.size > 0 || (await quotesOptedOut(db, event, position + 1, heard))
    const sampling: SamplingParameters = { temperature, topP, maxTokens, seed: seedOf(id) }
    const { served, generation } = await generate(responder, event, request.promptIds, sampling, stream)
    turn = {
      platform: event.platform,
      workspace: event.workspace,
      id,
      conversation: event.conversation,
      person: event.person.id,
      kind: side ? 'side' : 'main',
      state: 'open',
      request: side ? [] : request.messages,
      notes: notes.map((note) => ({ id: note.id, text: note.text })),
      promptIds: side ? [] : request.promptIds,
      responseIds: side ? [] : generation.ids,
      logprobs: side ? new Float32Array() : generation.logprobs,
      text: generation.text,
      policyVersion: served.version,
      sampling,
      finish: generation.finish,
      createdAt: now(),
    }
  } catch (error) {
    if (responder.stopping.aborted || hasCode(error, 'STORE_UNREACHABLE')) throw error
    const why = error instanceof ClawError ? error.message : 'something inside went wrong'
    return refuse(responder, position, stream, `Sorry, I could not answer: ${why}.`, reason(error))
  }
  const wanted = await transact(db, async (tx) => {
    if (!(await setAnswering(tx, position, null))) return false
    const asked = { message: event.message, text: turn.kind === 'side' ? '' : text, at: event.at, position }
    await insertTurn(tx, turn, asked)
    await recordPending(tx, event, id)
    await recordReply(tx, event, id, turn.text, position)
    await forgetOptedOut(tx, event, REMEMBERED)
    return true
  })
  // Its person had it forgotten, or the bot has left, while it was being written.
  if (!wanted) return stream.fail('This was forgotten before it was answered.')
  await deliver(responder, event, turn, position, stream)
}

/** Says in one line why there is no reply. `error` stays with the event where it is a fault. */
async function refuse(
  { db }: Responder,
  position: number,
  stream: ReplyStream,
  notice: string,
  error: string | null = null,
): Promise<void> {
  await setAnswering(db, position, notice, error)
  await say(db, position, stream, notice)
}

/** Shows again what a message was answered with when the program was stopped before it knew that it was shown. */
export async function resume(
  responder: Responder,
  event: EventOf<'message'>,
  position: number,
  notice: string | null,
): Promise<void> {
  const turn = await turnAt(responder.db, event, position)
  const stream = await open(responder, event, turn?.id ?? turnId(event), position)
  if (turn !== undefined) return deliver(responder, event, turn, position, stream)
  await say(responder.db, position, stream, notice ?? 'Sorry, I could not answer.')
}

/** The rest of a reply will not come. What of it is shown can be spoken of all the same. */
export async function abandon(
  { db, now }: Responder,
  event: EventOf<'message'>,
  position: number,
  error: string,
): Promise<void> {
  await transact(db, async (tx) => {
    const turn = await turnAt(tx, event, position)
    if (turn !== undefined) {
      const { parts } = await openDelivery(tx, event, position, now)
      const shown = parts.filter((message) => message != null)
      if (shown.length > 0) await recordSent(tx, turn, turn.id, shown, now())
      if (turn.kind === 'side') await forgetText(tx, turn.id)
    }
    await closeDelivery(tx, position)
    await setFailed(tx, position, error)
  })
}

async function say(db: Db, position: number, stream: ReplyStream, notice: string): Promise<void> {
  await stream.fail(notice)
  await transact(db, async (tx) => {
    await closeDelivery(tx, position)
    await setHandled(tx, position)
  })
}

/** The reply as its platform shows it; what an earlier life of the program has shown of it is not sent again. */
async function open(
  { db, outlet, now }: Responder,
  event: EventOf<'message'>,
  turn: string,
  position: number,
): Promise<ReplyStream> {
  const { platform, workspace, conversation, message, person } = event
  const delivery = await openDelivery(db, event, position, now)
  const to: ReplyTo = { platform, workspace, conversation, turn, message, person: person.id, delivery }
  return outlet(platform).reply(to)
}

/** Platforms refuse empty messages. */
const SILENCE = '…'

/** Said where nobody knows whether a reply was shown, and it cannot be sent again. */
const UNSURE = 'My answer may not have reached you. If you do not see it, please ask again.'

async function deliver(
  { db, now, outlet, report }: Responder,
  event: EventOf<'message'>,
  turn: Turn,
  position: number,
  stream: ReplyStream,
): Promise<void> {
  // Whoever answers the reply has read it, and so writes after it was handed over.
  const visibleAt = now()
  const text = turn.text.trim() === '' ? SILENCE : turn.text
  const messages = await stream.finish(`${text}${unreadNote(event)}`)
  await transact(db, async (tx) => {
    await recordSent(tx, turn, turn.id, messages, visibleAt)
    await closeDelivery(tx, position)
    if (turn.kind === 'side') await forgetText(tx, turn.id)
    await setHandled(tx, position)
  })
  if (messages.length === 0) await outlet(event.platform).notify(event, { text: UNSURE }).catch(report)
}

/** Generates with the serving version; once more when the engine has lost it. */
async function generate(
  responder: Responder,
  event: Event,
  promptIds: readonly number[],
  sampling: SamplingParameters,
  stream: ReplyStream,
): Promise<{ served: Served; generation: Generation }> {
  const run = async (served: Served) => {
    const { policy } = served
    const generation = await until(responder.stopping, stream.stopped, (signal) =>
      show(responder.engine.generate({ promptIds, policy, sampling, priority: 1, signal }), stream),
    )
    return { served, generation }
  }
  const ref = await responder.serving.policyOf(event, event.person.id)
  try {
    return await run(await responder.serving.use(ref))
  } catch (error) {
    if (!(error instanceof ClawError) || error.code !== 'POLICY_UNKNOWN') throw error
    return run(await responder.serving.reload(ref))
  }
}

/** Runs `work` with a signal that aborts when one of two does. Nothing stays with those, which may live for long. */
async function until<Result>(
  one: AbortSignal,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (other === undefined) return work(one)
  const both = new AbortController()
  const abort = () => both.abort()
  for (const signal of [one, other]) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  }
  try {
    return await work(both.signal)
  } finally {
    for (const signal of [one, other]) signal.removeEventListener('abort', abort)
  }
}

/** Shows the reply while it is written. What was shown of one that its person stopped is the reply. */
async function show(
  tokens: AsyncGenerator<GeneratedToken, Generation, void>,
  stream: ReplyStream,
): Promise<Generation> {
  const shown: GeneratedToken[] = []
  try {
    for (;;) {
      const next = await tokens.next()
      if (next.done) return next.value
      shown.push(next.value)
      if (next.value.text !== '') stream.write(next.value.text)
    }
  } catch (error) {
    if (!hasCode(error, 'REQUEST_ABORTED') || stream.stopped?.aborted !== true) throw error
    const logprobs = Float32Array.from(shown, ({ logprob }) => logprob)
    const text = shown.map((token) => token.text).join('')
    return { ids: shown.map(({ id }) => id), logprobs, text, finish: 'aborted', cachedTokens: 0 }
  }
}

function seedOf(turn: string): number {
  return createHash('sha256').update(turn).digest().readUInt32LE()
}

import type { Message, Update } from 'grammy/types'
import type { Together } from './events.ts'

/** Clients cut a text that is longer than a message, a little before its end where words allow. */
const CUT = 4_000

/** How long the next part of an album, or of a text that was cut, may take, in milliseconds. */
const ALBUM_MS = 300
const TEXT_MS = 1_500

/** Updates in order, with those that belong together as one, and how long to wait for what may still belong to some. */
export interface Gathered {
  readonly units: readonly Together[]
  /** Those that nothing more can belong to. */
  readonly whole: readonly Together[]
  /** 0 where nothing is waited for. */
  readonly waitMs: number
}

/**
 * Puts albums and long texts together that Telegram delivers in parts. The last part gives the update: whatever came
 * before it may have been delivered already, alone.
 */
export function gather(updates: readonly Update[]): Gathered {
  const units: { update: Update; messages: Message[] }[] = []
  for (const update of sorted(updates)) {
    const { message } = update
    const open = message && units.findLast(({ messages: [said] }) => said && speakerOf(said) === speakerOf(message))
    if (message !== undefined && open !== undefined && continues(open.messages.at(-1)!, message)) {
      open.update = update
      open.messages.push(message)
    } else units.push({ update, messages: message === undefined ? [] : [message] })
  }
  const messages = units.flatMap((unit) => unit.messages)
  const waits = units.map((unit) => waitFor(unit.messages.at(-1), messages))
  const all = units.map(together)
  return { units: all, whole: all.filter((_, index) => waits[index] === 0), waitMs: Math.max(0, ...waits) }
}

/** How long after the first part of something others are taken for such. Who answers waits a little longer. [ms] */
const OPEN_MS = 1_500
const REST_MS = 2_000

/**
 * The same where Telegram delivers one update after another, and the next only when this one is durable: each part says
 * what came before it, and how long more may come.
 */
export function createGatherer(now: () => number): (update: Update) => Together {
  const open = new Map<string, { readonly messages: readonly Message[]; readonly until: number }>()
  return (update) => {
    const { message } = update
    if (message === undefined) return { update, rest: [] }
    for (const [speaker, { until }] of open) if (until <= now()) open.delete(speaker)
    const speaker = speakerOf(message)
    const { messages: said, until } = open.get(speaker) ?? { messages: [], until: now() + OPEN_MS }
    // One that is delivered again stands where it stood.
    const again = said.findIndex(({ message_id: id }) => id === message.message_id)
    const last = said.at(-1)
    const before = again >= 0 ? said.slice(0, again) : last !== undefined && continues(last, message) ? said : []
    const restMs = before.length === 0 && waitFor(message, [message]) > 0 ? REST_MS : 0
    if (again < 0) open.delete(speaker)
    if (again < 0 && (before.length > 0 || restMs > 0)) {
      open.set(speaker, { messages: [...before, message], until: before.length > 0 ? until : now() + OPEN_MS })
    }
    return { update, rest: [], before, restMs }
  }
}

/** One of each, in the order in which they came about. */
function sorted(updates: readonly Update[]): Update[] {
  const unique = new Map(updates.map((update) => [update.update_id, update]))
  return [...unique.values()].sort((a, b) => a.update_id - b.update_id)
}

function together({ update, messages: [first, ...rest] }: { update: Update; messages: Message[] }): Together {
  if (first === undefined || rest.length === 0) return { update, rest: [] }
  return { update: { ...update, message: first as NonNullable<Update['message']> }, rest }
}

/** Whoever speaks, and where: what others say in between does not end what one has begun. */
const speakerOf = ({ chat, message_thread_id: topic, from, sender_chat: behind }: Message): string =>
  `${chat.id} ${topic ?? ''} ${(behind ?? from)?.id ?? ''}`

/** Of two messages of one speaker, whether the second belongs to the first. */
function continues(before: Message, after: Message): boolean {
  if (before.media_group_id !== undefined) return before.media_group_id === after.media_group_id
  return (
    isCut(before) && after.text !== undefined && after.reply_to_message === undefined && after.date - before.date <= 2
  )
}

const isCut = ({ text, forward_origin: forwarded }: Message): boolean =>
  text !== undefined && text.length >= CUT && forwarded === undefined

/** Nothing is waited for where its speaker has said something else since. */
function waitFor(message: Message | undefined, all: readonly Message[]): number {
  if (message === undefined) return 0
  if (all.findLast((said) => speakerOf(said) === speakerOf(message)) !== message) return 0
  return message.media_group_id !== undefined ? ALBUM_MS : isCut(message) ? TEXT_MS : 0
}

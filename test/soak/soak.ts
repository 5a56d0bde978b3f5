import { random } from '../../core/policy/sampling.ts'
import { discord } from '../conformance/discord.ts'
import { slack } from '../conformance/slack.ts'
import type { Fault, Stage } from '../conformance/stage.ts'
import { openTelegram, type TelegramStage } from '../conformance/telegram.ts'

/** What one platform came to. */
export interface Tally {
  asked: number
  /** Asked, and never answered. */
  lost: number
  /** Answered more than once. */
  doubled: number
  /** Unanswered since the platform failed at this very answer and cannot say what came of it. */
  unknown: number
  reactions: number
  faults: number
}

export interface SoakReport {
  readonly seconds: number
  readonly platforms: Readonly<Record<string, Tally>>
  /** Bytes after a collection, about every twenty seconds. */
  readonly memory: readonly { readonly second: number; readonly heap: number; readonly rss: number }[]
  /** The questions without an answer, by their platform and in their own words. */
  readonly unanswered: readonly string[]
  /** Faults that the bot has reported and nobody was told of. */
  readonly reported: readonly string[]
}

export interface SoakOptions {
  /** How many things happen altogether. */
  readonly events: number
  /** Events a second, over all platforms. */
  readonly rate: number
  readonly seed?: number
  /** Is told how many have happened, now and then. */
  readonly progress?: (events: number, memory: { heap: number; rss: number }) => void
}

/** One event in so many meets each kind of fault. */
const ONE_IN = 12

/** How often the answers are counted, memory is looked at and the platforms forget, in milliseconds. */
const LOOK_MS = 20_000

/** How many messages of a conversation a platform still has after it has forgotten: more than come between two looks. */
const KEEP = 400

/** Longest that people make up for, in milliseconds. */
const LATE_MS = 1_000

/** Longest that the end waits for what is still on its way, in milliseconds. */
const DRAIN_MS = 40_000

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const { gc } = globalThis

function memory(): { heap: number; rss: number } {
  gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  return { heap, rss }
}

function faultOf(below: (limit: number) => number): Fault {
  const faults: readonly Fault[] = [
    { type: 'limited', seconds: 1 },
    { type: 'refused' },
    { type: 'lost' },
    { type: 'slow', ms: 300 },
    { type: 'duplicate', copies: 2 + below(2) },
    { type: 'reorder', count: 2 },
    { type: 'disconnect' },
  ]
  return faults[below(faults.length)]!
}

const said = (number: number): string => `question ${number}?`

/** The question that a reply answers; null where it answers none. */
function answeredBy(reply: string): number | null {
  const number = /^re: question (\d+)\?$/.exec(reply.replace(/\\(?=[^\w\s])|\u200B/g, ''))?.[1]
  return number === undefined ? null : Number(number)
}

interface Watched {
  readonly stage: Stage
  readonly tally: Tally
  /** Questions without an answer so far. */
  readonly open: Set<number>
  /** Replies that are shown and counted. */
  counted: Set<string>
  /** Replies that the platform failed at without saying what came of them, and cannot be asked about or told again. */
  readonly unsure: () => readonly string[]
}

/** People ask on three platforms at once, whatever goes wrong there; then it is counted who was answered how often. */
export async function soak({ events, rate, seed = 1, progress }: SoakOptions): Promise<SoakReport> {
  const uniform = random(seed)
  const below = (limit: number) => Math.floor(uniform() * limit)
  const [onSlack, onDiscord, onTelegram] = await Promise.all([slack.open(), discord.open(), openTelegram()])
  const stages: readonly Stage[] = [onSlack, onDiscord, onTelegram]
  const watched = stages.map(
    (stage): Watched => ({
      stage,
      tally: { asked: 0, lost: 0, doubled: 0, unknown: 0, reactions: 0, faults: 0 },
      open: new Set(),
      counted: new Set(),
      unsure: () => (stage === onTelegram ? failedReplies(onTelegram) : []),
    }),
  )
  // The bot is known in every place before anything goes wrong there.
  for (const { stage } of watched) {
    const { direct, channel, elsewhere } = stage.places
    for (const place of [direct, channel, elsewhere]) {
      await stage.say(place, stage.people.ann, 'good morning', { mention: place !== direct })
    }
    await stage.settle()
  }
  const began = performance.now()
  const looks: { second: number; heap: number; rss: number }[] = []
  const second = () => Math.round((performance.now() - began) / 1_000)

  function look(happened: number): void {
    const now = memory()
    looks.push({ second: second(), ...now })
    progress?.(happened, now)
  }

  async function happen(number: number): Promise<void> {
    const one = watched[number % watched.length]!
    const { stage, tally } = one
    if (below(ONE_IN) === 0) {
      const fault = faultOf(below)
      tally.faults += 1
      stage.fault(fault)
    }
    const places = [stage.places.direct, stage.places.channel, stage.places.elsewhere]
    const at = below(places.length)
    const person = at > 0 && below(2) === 0 ? stage.people.ben : stage.people.ann
    if (below(5) === 0) {
      const reply = stage.newest(places[at]!)
      if (reply !== null) {
        tally.reactions += 1
        return stage.react(places[at]!, person, reply.id, ['👍', '👎'][below(2)]!).catch(() => {})
      }
    }
    tally.asked += 1
    one.open.add(number)
    await stage.say(places[at]!, person, said(number), { mention: at > 0 })
  }

  let looked = performance.now()
  let due = looked
  look(0)
  const underway = new Set<Promise<void>>()
  for (let number = 0; number < events; number++) {
    // A machine that has slept does not make up for it in one moment.
    due = Math.max(due + 1_000 / rate, performance.now() - LATE_MS)
    if (due > performance.now()) await sleep(due - performance.now())
    const happening = happen(number).finally(() => underway.delete(happening))
    underway.add(happening)
    if (performance.now() - looked < LOOK_MS) continue
    looked = performance.now()
    for (const one of watched) {
      count(one)
      one.stage.forget(KEEP)
    }
    look(number)
  }
  for (const { stage } of watched) stage.fault({ type: 'reorder', count: 0 })
  await Promise.all(underway)
  for (const one of watched) await drain(one)
  look(events)
  const reported = stages.flatMap(({ faults }) =>
    faults.map((fault) => (fault instanceof Error ? fault.message : String(fault))),
  )
  for (const stage of stages) await stage.close()
  const platforms = Object.fromEntries(watched.map(({ stage, tally }) => [stage.platform, tally]))
  const unanswered = watched.flatMap(({ stage, open }) =>
    [...open].map((number) => `${stage.platform}: ${said(number)}`),
  )
  return { seconds: second(), platforms, memory: looks, unanswered, reported }
}

/** Takes note of the replies that are new since the last time. */
function count(one: Watched): void {
  const { stage, tally, open } = one
  const { direct, channel, elsewhere } = stage.places
  const shown = new Set<string>()
  for (const place of [direct, channel, elsewhere]) {
    for (const { id, text } of stage.shown(place)) {
      const number = answeredBy(text)
      const reply = `${place.workspace} ${id}`
      if (number === null || shown.has(reply)) continue
      shown.add(reply)
      if (!one.counted.has(reply) && !open.delete(number)) tally.doubled += 1
    }
  }
  one.counted = shown
}

/** Messages that Telegram failed to take. An edit that fails is tried again. */
function failedReplies({ fake }: TelegramStage): string[] {
  return fake.failed.filter(({ method }) => method === 'sendMessage').map(({ parameters }) => `${parameters.text}`)
}

/** Waits for the answers that are still on their way, and tells those that are lost from those that nobody can know of. */
async function drain(one: Watched): Promise<void> {
  const { stage, tally, open, unsure } = one
  const end = performance.now() + DRAIN_MS
  for (;;) {
    await stage.settle().catch(() => {})
    count(one)
    const unknown = new Set(unsure().map(answeredBy))
    tally.unknown = [...open].filter((number) => unknown.has(number)).length
    tally.lost = open.size - tally.unknown
    if (tally.lost === 0 || performance.now() > end) return
    await sleep(500)
  }
}

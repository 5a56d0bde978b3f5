import { random } from '../../core/policy/sampling.ts'
import { discord } from '../conformance/discord.ts'
import { slack } from '../conformance/slack.ts'
import type { Fault, Stage } from '../conformance/stage.ts'
import { openTelegram } from '../conformance/telegram.ts'

/** What one platform came to. */
export interface Tally {
  asked: number
  /** Asked, and never answered. */
  lost: number
  /** Answered more than once. */
  doubled: number
  /** Unanswered where the platform failed while it was told the answer and cannot say what came of it. */
  unknown: number
  reactions: number
  faults: number
}

export interface SoakReport {
  readonly seconds: number
  readonly platforms: Readonly<Record<string, Tally>>
  /** Bytes after a collection, about once a minute. */
  readonly memory: readonly { readonly second: number; readonly heap: number; readonly rss: number }[]
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

/** How often memory is looked at, and the stages' own records are dropped, in milliseconds. */
const LOOK_MS = 20_000

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

interface Watched {
  readonly stage: Stage
  readonly tally: Tally
  readonly asked: Set<number>
  /** Replies that may be missing, since a server's fault says nothing of what it has done. */
  excused: number
}

/** People ask on three platforms at once, whatever goes wrong there; then it is counted who was answered how often. */
export async function soak({ events, rate, seed = 1, progress }: SoakOptions): Promise<SoakReport> {
  const uniform = random(seed)
  const below = (limit: number) => Math.floor(uniform() * limit)
  const stages = await Promise.all([slack.open(), discord.open(), openTelegram()])
  const watched = stages.map(
    (stage): Watched => ({
      stage,
      tally: { asked: 0, lost: 0, doubled: 0, unknown: 0, reactions: 0, faults: 0 },
      asked: new Set(),
      excused: 0,
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
      if (fault.type === 'refused') one.excused += 1
      stage.fault(fault)
    }
    const places = [stage.places.direct, stage.places.channel, stage.places.elsewhere]
    const at = below(places.length)
    const person = at > 0 && below(2) === 0 ? stage.people.ben : stage.people.ann
    if (below(5) === 0) {
      const [reply] = stage.shown(places[1]!).slice(-1)
      if (reply !== undefined && reply.only === null) {
        tally.reactions += 1
        return stage.react(places[1]!, stage.people.ben, reply.id, ['👍', '👎'][below(2)]!).catch(() => {})
      }
    }
    tally.asked += 1
    one.asked.add(number)
    await stage.say(places[at]!, person, `question ${number}?`, { mention: at > 0 })
  }

  let looked = performance.now()
  look(0)
  const underway = new Set<Promise<void>>()
  for (let number = 0; number < events; number++) {
    const due = began + (number * 1_000) / rate
    if (due > performance.now()) await sleep(due - performance.now())
    const happening = happen(number).finally(() => underway.delete(happening))
    underway.add(happening)
    if (performance.now() - looked < LOOK_MS) continue
    looked = performance.now()
    for (const { stage } of watched) stage.engine.prompts.length = 0
    look(number)
  }
  await Promise.all(underway)
  for (const { stage } of watched) stage.fault({ type: 'reorder', count: 1 })
  for (const one of watched) await drain(one)
  look(events)
  for (const one of watched) count(one)
  const reported = stages.flatMap(({ faults }) =>
    faults.map((fault) => (fault instanceof Error ? fault.message : String(fault))),
  )
  for (const stage of stages) await stage.close()
  const platforms = Object.fromEntries(watched.map(({ stage, tally }) => [stage.platform, tally]))
  return { seconds: second(), platforms, memory: looks, reported }
}

/** What is there of a stage's replies, by the number of the question. */
function answersOf(stage: Stage): Map<number, number> {
  const { direct, channel, elsewhere } = stage.places
  const answers = new Map<number, number>()
  const seen = new Set<string>()
  for (const place of [direct, channel, elsewhere]) {
    for (const { id, text } of stage.shown(place)) {
      const number = /^re: question (\d+)\?$/.exec(text.replace(/\\(?=[^\w\s])|\u200B/g, ''))?.[1]
      if (number === undefined || seen.has(`${place.workspace} ${id}`)) continue
      seen.add(`${place.workspace} ${id}`)
      answers.set(Number(number), (answers.get(Number(number)) ?? 0) + 1)
    }
  }
  return answers
}

async function drain({ stage, asked, excused }: Watched): Promise<void> {
  const end = performance.now() + DRAIN_MS
  for (;;) {
    await stage.settle().catch(() => {})
    const answers = answersOf(stage)
    const missing = [...asked].filter((number) => !answers.has(number)).length
    if (missing === 0 || performance.now() > end) return
    // Where nobody knows, nobody tries again: there is nothing to wait for.
    if (stage.platform === 'telegram' && missing <= excused) return
    await sleep(500)
  }
}

function count({ stage, tally, asked, excused }: Watched): void {
  const answers = answersOf(stage)
  const missing = [...asked].filter((number) => !answers.has(number)).length
  // Only Telegram can neither be asked nor told a second time without harm.
  tally.unknown = stage.platform === 'telegram' ? Math.min(missing, excused) : 0
  tally.lost = missing - tally.unknown
  tally.doubled = [...answers.values()].filter((times) => times > 1).length
}

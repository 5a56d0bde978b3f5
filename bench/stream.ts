/**
 * The inbox and the turn stream under a flood: many conversations at once, a fifth of the events delivered twice, all
 * of them out of order by up to five seconds. The real runtime on a database file on disk; only the model is a parrot.
 *
 *   npm run bench:stream -- [--quick] [--json] [--dir FOLDER]
 *
 * The yardstick is better-sqlite3 alone, one durable transaction an event.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { loadConfig } from '../config/config.ts'
import { judge } from '../core/judge/judge.ts'
import type { PolicyEngine } from '../core/policy/engine.ts'
import { random } from '../core/policy/sampling.ts'
import { startRuntime } from '../core/runtime.ts'
import type { Db } from '../core/store/schema.ts'
import { openStore } from '../core/store/store.ts'
import { type KnownTurn, nextState } from '../core/stream/nextstate.ts'
import type { Outlet } from '../core/stream/outlet.ts'
import { redact } from '../core/stream/redact.ts'
import { turnId } from '../core/stream/turns.ts'
import type { Event, EventOf } from '../core/types.ts'
import { progress, round, surroundings } from './measure.ts'
import { finish } from './result.ts'

const PLATFORMS = ['playground', 'slack', 'telegram']
const CONVERSATIONS = 120
const PEOPLE = 40
/** Events a second, by the platforms' clocks. */
const RATE = 1_000
const DELAY_MS = 5_000
const DOUBLED = 0.2
/** Events that the adapters have handed over and not heard back about. */
const IN_FLIGHT = 32

/** What people of many conversations do, in the order in which it happened: half of it speaks, half of it reacts. */
function happenings(count: number): Event[] {
  const uniform = random(1)
  const below = (limit: number) => Math.floor(uniform() * limit)
  const start = Date.now() - count
  const said: EventOf<'message'>[] = []
  return Array.from({ length: count }, (_, i): Event => {
    const at = start + Math.floor((i * 1000) / RATE)
    const person = { id: `p${below(PEOPLE)}`, kind: 'human' as const }
    const about = said[said.length - 1 - below(Math.min(said.length, 500))]
    if (about === undefined || uniform() < 0.5) {
      const conversation = below(CONVERSATIONS)
      const platform = PLATFORMS[conversation % PLATFORMS.length]!
      const where = { platform, workspace: `w${conversation % 9}`, conversation: `c${conversation}` }
      const text = `question ${i}: what is the way from ${below(1000)} to ${below(1000)}?`
      const message: EventOf<'message'> = { ...where, id: `e${i}`, at, person, type: 'message', message: `m${i}`, text }
      said.push(message)
      return message
    }
    const { platform, workspace, conversation } = about
    const event = { platform, workspace, conversation, id: `e${i}`, at, person, message: carrier(turnId(about)) }
    const kind = uniform()
    if (kind < 0.15) return { ...event, type: 'button', value: kind < 0.1 ? 'up' : 'down' }
    return { ...event, type: kind < 0.8 ? 'reaction' : 'reaction_removed', emoji: kind < 0.6 ? '👍' : '👎' }
  })
}

const carrier = (turn: string) => `reply-${turn}`

/** As platforms deliver: late, out of order, and some of it twice. */
function delivered(events: readonly Event[]): Event[] {
  const uniform = random(2)
  const twice = events.filter(() => uniform() < DOUBLED)
  return [...events, ...twice]
    .map((event) => ({ event, due: event.at + uniform() * DELAY_MS }))
    .sort((a, b) => a.due - b.due)
    .map(({ event }) => event)
}

const parrot: PolicyEngine = {
  async *generate({ promptIds }) {
    const ids = promptIds.slice(-8)
    for (const id of ids) yield { id, logprob: -1, text: 'word ' }
    const logprobs = new Float32Array(ids.length).fill(-1)
    return { ids: [...ids], logprobs, text: 'word '.repeat(ids.length), finish: 'stop', cachedTokens: 0 }
  },
  generateAll: async () => [],
  async score() {
    throw new Error('nobody scores here')
  },
  async load() {},
  async unload() {},
  async stats() {
    const idle = { running: 0, waiting: 0, generatedTokens: 0, prefillTokens: 0, cachedTokens: 0 }
    return { model: 'parrot', weights: 'none', loaded: [], ...idle }
  },
  async close() {},
}

function outletOf(platform: string, shown: Map<string, number>): Outlet {
  return {
    platform,
    reply: ({ turn }) => ({
      write() {},
      async finish() {
        shown.set(turn, (shown.get(turn) ?? 0) + 1)
        return [carrier(turn)]
      },
      async fail() {},
    }),
    async notify() {},
    isAdmin: async () => true,
  }
}

async function runStream(dir: string, events: readonly Event[]) {
  const shown = new Map<string, number>()
  const store = await openStore(dir)
  const faults: unknown[] = []
  const config = loadConfig({ dataDir: dir }, {})
  const runtime = await startRuntime({
    config,
    store,
    engine: parrot,
    prompter: { prompt: (messages) => messages.flatMap(({ content }) => [...content].map((c) => c.charCodeAt(0))) },
    judge,
    outlets: PLATFORMS.map((platform) => outletOf(platform, shown)),
    onSampleReady() {},
    report: (fault) => faults.push(fault),
  })
  const waits: number[] = []
  const queue = delivered(events)[Symbol.iterator]()
  const started = performance.now()
  const deliver = async () => {
    for (const event of queue) {
      const before = performance.now()
      await runtime.deliver(event)
      waits.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, deliver))
  const acknowledged = (performance.now() - started) / 1000
  await runtime.idle()
  const handled = (performance.now() - started) / 1000
  const count = await compare(store.db, events, shown)
  await runtime.close()
  await store.close()
  if (faults.length > 0) throw faults[0]
  const sorted = waits.toSorted((a, b) => a - b)
  return { ...count, acknowledged, handled, deliveries: waits.length, p99: sorted[Math.floor(sorted.length * 0.99)]! }
}

/** What happened against what is on record and was shown. */
async function compare(db: Db, events: readonly Event[], shown: ReadonlyMap<string, number>) {
  const expected = new Map<string, number>()
  const found = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const votes = new Map<string, Event>()
  for (const event of events) {
    add(expected, `event ${event.platform} ${event.id}`)
    if (event.type === 'message') {
      add(expected, `turn ${turnId(event)}`)
      add(expected, `shown ${turnId(event)}`)
    }
    if (event.type === 'button') votes.set(`${event.message} ${event.person.id}`, event)
    if (event.type === 'reaction' || event.type === 'reaction_removed') {
      votes.set(`${event.message} ${event.person.id} ${event.emoji}`, event)
    }
  }
  for (const [key, { type }] of votes) if (type !== 'reaction_removed') add(expected, `vote ${key}`)
  for (const row of await db.selectFrom('inbox').select(['platform', 'event']).execute()) {
    add(found, `event ${row.platform} ${row.event}`)
  }
  for (const { id } of await db.selectFrom('turns').select('id').execute()) add(found, `turn ${id}`)
  for (const [turn, times] of shown) for (let i = 0; i < times; i++) add(found, `shown ${turn}`)
  const signals = await db
    .selectFrom('signals')
    .selectAll()
    .where('active', '=', 1)
    .where('turn', 'is not', null)
    .where('type', 'in', ['reaction', 'button'])
    .execute()
  for (const { type, message, person, content } of signals) {
    add(found, `vote ${message} ${person}${type === 'button' ? '' : ` ${content}`}`)
  }
  const missing = (of: ReadonlyMap<string, number>, from: ReadonlyMap<string, number>) =>
    [...of].reduce((sum, [key, times]) => sum + Math.max(0, times - (from.get(key) ?? 0)), 0)
  return { lost: missing(expected, found), doubled: missing(found, expected) }
}

/** Events a second that better-sqlite3 alone writes, each in a durable transaction of its own. */
function runPeer(dir: string, events: readonly Event[]): number {
  const db = new Database(join(dir, 'peer.sqlite'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('create table inbox (seq integer primary key, event text not null unique, body text not null)')
  const insert = db.prepare('insert into inbox (event, body) values (?, ?) on conflict do nothing')
  const started = performance.now()
  for (const event of delivered(events)) insert.run(`${event.platform} ${event.id}`, JSON.stringify(event))
  const seconds = (performance.now() - started) / 1000
  db.close()
  return events.length / seconds
}

/** The pure part: attributions a second among fifty turns, and redaction of one message in microseconds. */
function runPure(events: readonly Event[]) {
  const turns = Array.from({ length: 50 }, (_, i): KnownTurn => {
    const messages = [`reply-${i}`]
    return {
      id: `${i}`,
      kind: 'main',
      person: `p${i % PEOPLE}`,
      message: `m${i}`,
      asked: 'what?',
      visibleAt: i,
      messages,
    }
  })
  const before = performance.now()
  for (const event of events) nextState(event, turns)
  const attributed = performance.now()
  const texts = events.flatMap((event) => (event.type === 'message' ? [event.text] : []))
  for (const text of texts) redact(text)
  const redacted = performance.now()
  return {
    attributions_per_s: Math.round((events.length / (attributed - before)) * 1000),
    redaction_us: round(((redacted - attributed) / texts.length) * 1000, 1),
  }
}

await finish(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
    },
  })
  const around = surroundings()
  const dir = mkdtempSync(join(values.dir ?? tmpdir(), 'claw-stream-'))
  try {
    const events = happenings(values.quick ? 2_000 : 10_000)
    const peer = runPeer(dir, events)
    progress(`better-sqlite3 alone: ${Math.round(peer)} events/s`)
    const run = await runStream(dir, events)
    const result = {
      events_per_s: Math.round(events.length / run.acknowledged),
      ack_p99_ms: round(run.p99, 1),
      lost: run.lost,
      doubled: run.doubled,
      handled_per_s: Math.round(events.length / run.handled),
      ...runPure(events),
      events: events.length,
      deliveries: run.deliveries,
      peer: { name: 'better-sqlite3, one transaction an event', events_per_s: Math.round(peer) },
      ratio: round(events.length / run.acknowledged / peer),
      ...around,
    }
    const table = [
      ['events acknowledged a second', result.events_per_s],
      ['acknowledgement p99, ms', result.ack_p99_ms],
      ['lost', result.lost],
      ['doubled', result.doubled],
      ['events handled a second', result.handled_per_s],
      ['attributions a second', result.attributions_per_s],
      ['redaction of a message, µs', result.redaction_us],
      ['better-sqlite3 alone, events/s', result.peer.events_per_s],
      ['ratio', result.ratio],
    ] as const
    return { json: values.json, result, table }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'vite'
import { openStore, type Store } from '../../core/store/store.ts'
import { turnId } from '../../core/stream/turns.ts'
import type { Event } from '../../core/types.ts'
import { scratch } from '../scratch.ts'
import { type PostgresServer, startPostgres } from '../services/postgres.ts'
import { type RedisServer, startRedis } from '../services/redis.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Inside the project, where its packages are found. */
const BUILT = join(ROOT, 'node_modules/.cache/claw-drill')

const MEMBERS = ['serve', 'serve', 'train', 'train'] as const
const CONVERSATIONS = 12
const PEOPLE = 5

export interface Drill {
  readonly kills: number
  /** How often Redis, and how often PostgreSQL, is stopped and started. */
  readonly outages: number
  readonly seed: () => number
}

export interface Report {
  readonly questions: number
  readonly events: number
  readonly kills: number
  /** From a service's answer after its outage to the next reply that a person sees, in milliseconds. */
  readonly resumed: readonly { readonly after: string; readonly ms: number }[]
  /** What is wrong, one line each; empty when nothing was lost or doubled. */
  readonly flaws: readonly string[]
}

/** Builds the members once: they start faster than their sources do. */
export async function buildMembers(): Promise<void> {
  const ssr = join(import.meta.dirname, 'member.ts')
  await build({ configFile: false, logLevel: 'error', root: ROOT, build: { ssr, outDir: BUILT, minify: false } })
}

/**
 * Two processes serve and two train on one PostgreSQL and one Redis, people ask and react without a pause, everything
 * is delivered by a platform that repeats itself and what it got no acknowledgement for; meanwhile processes are killed
 * and services stopped. In the end everything must be there, once.
 */
export async function runDrill(drill: Drill): Promise<Report> {
  const dir = scratch()
  const postgres = await startPostgres()
  const redis = await startRedis()
  const cluster = new Cluster(dir, postgres, redis)
  try {
    await cluster.start()
    let done = false
    const load = Array.from({ length: CONVERSATIONS }, (_, at) => converse(cluster, at, () => done, drill.seed))
    const resumed: { after: string; ms: number }[] = []
    const steps = [
      ...Array<() => Promise<void>>(drill.kills).fill(() => cluster.kill(drill.seed)),
      ...Array<RedisServer | PostgresServer>(drill.outages).fill(redis),
      ...Array<RedisServer | PostgresServer>(drill.outages).fill(postgres),
    ].sort(() => drill.seed() - 0.5)
    for (const step of steps) {
      await sleep(100 + 500 * drill.seed())
      if (typeof step === 'function') await step()
      else {
        const ms = await cluster.outage(step, 500 + 1_500 * drill.seed())
        resumed.push({ after: step === redis ? 'Redis' : 'PostgreSQL', ms })
      }
    }
    done = true
    const events = (await Promise.all(load)).flat()
    const store = await openStore(dir, postgres.url)
    const flaws = await settled(store, events.length)
    flaws.push(...(await check(store, events, cluster.screen())), ...cluster.faults())
    await store.close()
    const questions = events.filter(({ type }) => type === 'message').length
    return { questions, events: events.length, kills: drill.kills, resumed, flaws }
  } finally {
    await cluster.close()
    await redis.close()
    await postgres.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

class Cluster {
  readonly #dir: string
  readonly #args: readonly string[]
  readonly #members: ChildProcess[] = []
  readonly #waiting = new Map<string, () => void>()
  #closing = false

  constructor(dir: string, postgres: PostgresServer, redis: RedisServer) {
    this.#dir = dir
    this.#args = [dir, postgres.url, redis.url]
  }

  async start(): Promise<void> {
    await Promise.all(MEMBERS.map((_, at) => this.#launch(at)))
  }

  /** Resolves when a process says that the event is durable. */
  async deliver(event: Event, random: () => number): Promise<void> {
    for (let known = false; !known; ) {
      const acknowledged = new Promise<void>((resolve) => this.#waiting.set(event.id, resolve))
      const servers = this.#members.filter((member, at) => MEMBERS[at] === 'serve' && member.connected)
      servers[Math.floor(random() * servers.length)]?.send(event, () => {})
      known = await Promise.race([acknowledged.then(() => true), sleep(1_500).then(() => false)])
    }
  }

  async kill(random: () => number): Promise<void> {
    const at = Math.floor(random() * MEMBERS.length)
    this.#members[at]?.kill('SIGKILL')
    await this.#launch(at)
  }

  /** Returns how long after its end the next reply came, in milliseconds. */
  async outage(service: PostgresServer | RedisServer, milliseconds: number): Promise<number> {
    await service.stop('SIGQUIT')
    await sleep(milliseconds)
    await service.start()
    const [back, before] = [Date.now(), this.#shown()]
    while (this.#shown() === before && Date.now() - back < 60_000) await sleep(10)
    return Date.now() - back
  }

  screen(): { turn: string; text: string }[] {
    const lines = readFileSync(join(this.#dir, 'screen.jsonl'), 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
  }

  faults(): string[] {
    const file = join(this.#dir, 'faults')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  async close(): Promise<void> {
    this.#closing = true
    for (const member of this.#members) member.kill('SIGKILL')
    await sleep(50)
  }

  #shown(): number {
    const file = join(this.#dir, 'screen.jsonl')
    return existsSync(file) ? statSync(file).size : 0
  }

  async #launch(at: number): Promise<void> {
    if (this.#closing) return
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
    const member = fork(join(BUILT, 'member.js'), [MEMBERS[at] ?? '', ...this.#args], { stdio: [...stdio] })
    this.#members[at] = member
    member.on('message', (id: string) => this.#waiting.get(id)?.())
    member.on('error', () => {})
  }
}

/** One conversation of several people, each of whom likes what they are told. */
async function converse(cluster: Cluster, at: number, done: () => boolean, random: () => number): Promise<Event[]> {
  const events: Event[] = []
  const say = async (event: Event) => {
    events.push(event)
    await cluster.deliver(event, random)
    if (random() < 0.2) await cluster.deliver(event, random)
  }
  const base = { platform: 'playground', workspace: `w${at % 3}`, conversation: `c${at}` }
  for (let n = 0; !done(); n++) {
    const person = { id: `p${n % PEOPLE}`, kind: 'human' } as const
    const asked = { ...base, id: `ask-${at}-${n}`, person, at: Date.now() }
    await say({ ...asked, type: 'message', message: asked.id, text: `question ${n}` })
    const reaction = { ...base, id: `up-${at}-${n}`, person, at: Date.now() }
    await say({ ...reaction, type: 'reaction', message: `reply to ${turnId(asked)}`, emoji: '👍' })
    await sleep(20 + 60 * random())
  }
  return events
}

/**
 * Waits until nothing is left to do, however much it is: people ask without waiting for answers. What is left when
 * nothing more gets done for 10 seconds is a flaw.
 */
async function settled(store: Store, events: number): Promise<string[]> {
  let [least, since] = [Number.POSITIVE_INFINITY, Date.now()]
  for (;;) {
    const inbox = await store.db.selectFrom('inbox').select('state').execute()
    const turns = await store.db.selectFrom('turns').select('state').execute()
    const left = [
      ...(inbox.length === events ? [] : [`${inbox.length} of ${events} events`]),
      ...inbox.filter(({ state }) => state !== 'handled').map(({ state }) => `an event is ${state}`),
      ...turns.filter(({ state }) => state !== 'trained').map(({ state }) => `a turn is ${state}`),
    ]
    if (left.length < least) [least, since] = [left.length, Date.now()]
    if (left.length === 0 || Date.now() - since > 10_000) return [...new Set(left)]
    await sleep(50)
  }
}

async function check({ db }: Store, events: readonly Event[], screen: readonly { turn: string; text: string }[]) {
  const flaws: string[] = []
  const expect = (right: boolean, flaw: string) => {
    if (!right) flaws.push(flaw)
  }
  const inbox = await db.selectFrom('inbox').select(['event', 'error']).execute()
  expect(new Set(inbox.map((row) => row.event)).size === events.length, 'an event is lost')
  for (const { error } of inbox) expect(error === null, `an event failed: ${error}`)
  const questions = events.filter(({ type }) => type === 'message')
  const turns = await db.selectFrom('turns').select(['id', 'text', 'message', 'visible_at']).execute()
  expect(turns.length === questions.length, `${turns.length} turns for ${questions.length} questions`)
  expect(new Set(turns.map((turn) => turn.message)).size === turns.length, 'a question is answered twice')
  const shown = new Set(screen.map((line) => JSON.stringify(line)))
  const recorded = new Set(turns.map(({ id, text }) => JSON.stringify({ turn: id, text })))
  for (const line of shown) expect(recorded.has(line), `shown and not on record: ${line}`)
  for (const line of recorded) expect(shown.has(line), `on record and never shown: ${line}`)
  const samples = await db.selectFrom('samples').select(['turn', 'state', 'version', 'workspace']).execute()
  const standing = samples.filter(({ state }) => state !== 'withdrawn')
  expect(standing.length === turns.length, `${standing.length} samples for ${turns.length} turns`)
  expect(new Set(standing.map(({ turn }) => turn)).size === standing.length, 'a turn has two samples')
  for (const workspace of new Set(standing.map((sample) => sample.workspace))) {
    const versions = await db
      .selectFrom('versions')
      .select(['version', 'parent', 'lessons', 'state'])
      .where('workspace', '=', workspace)
      .orderBy('version')
      .execute()
    expect(
      versions.every(({ version, parent }, at) => version === at + 1 && parent === at),
      `${workspace} has gaps in its versions`,
    )
    const lessons = versions.reduce((sum, version) => sum + version.lessons, 0)
    const trained = samples.filter((sample) => sample.workspace === workspace && sample.version !== null).length
    expect(lessons === trained, `${workspace} learned from ${lessons} lessons and has ${trained}`)
  }
  return flaws
}

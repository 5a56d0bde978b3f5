import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../adapters/playground/remote.ts'
import { PLATFORM } from '../../adapters/playground/said.ts'
import type { Config, Scope } from '../../config/config.ts'
import { ClawError } from '../../core/errors.ts'
import { judge } from '../../core/judge/judge.ts'
import { BASE_POLICY } from '../../core/policy/engine.ts'
import { findTurn } from '../../core/store/turns.ts'
import { listVersions, servingVersion } from '../../core/store/versions.ts'
import type { PolicyRef } from '../../core/types.ts'
import type { Outcome } from '../../trainer/learner.ts'
import { ensureModel } from '../chat.ts'
import { logFault } from '../log.ts'
import { type Server, serve } from '../serve.ts'
import { configure, prepareData, type Settings } from '../settings.ts'
import { type Answers, askHeldBack, complianceOf } from './measure.ts'
import { Participant } from './participant.ts'
import { type Exchange, questionOf, satisfied } from './person.ts'
import { percent } from './plot.ts'
import { type Curve, type Progress, readProgress, writeProgress } from './progress.ts'
import { crowdResult, demoResult, describeCrowd, describeResult, oneLine, round } from './report.ts'
import { loadWish, WISHES, type Wish } from './wishes.ts'

export interface DemoOptions extends Settings {
  readonly wish: string
  readonly seed: number
  readonly replies: number
  /** How many simulated people; each has a workspace and a wish of their own. */
  readonly people: number
  /** All in one workspace: with one wish, or each with their own where each has weights of their own. */
  readonly joint?: boolean
  readonly scope: Scope
  readonly watch?: boolean
  readonly json?: boolean
}

/** A person pauses after a few replies; the trainer uses the time. */
const PAUSE = 4

/** Enough for the wishes, and a run of minutes. */
const MAX_TOKENS = 96

/** Replies after which the held-back questions are asked: what the JSON needs, and more for the eye. */
const MEASURED = { json: [8], text: [8, 16, 24] } as const

const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gail', 'Hugo']

/** One of the simulated people, before they come. */
interface Place {
  readonly name: string
  readonly wish: Wish
  readonly workspace: string
  /** Whose weights their lessons change. */
  readonly ref: PolicyRef
}

/** `claw demo`: the whole story without hands. A run that was killed goes on where it stopped. */
export async function demo(options: DemoOptions): Promise<void> {
  const places = await placesOf(options)
  const own = configure(options)
  prepareData(own.dataDir)
  const path = await ensureModel(own)
  const config: Config = {
    ...own,
    dataDir: join(own.dataDir, 'demo', nameOf(options, own)),
    databaseUrl: null,
    redisUrl: null,
    serving: { ...own.serving, maxTokens: MAX_TOKENS },
    trainer: { ...own.trainer, batch: PAUSE, waitSeconds: 600, when: 'always' },
    learning: { ...own.learning, scope: options.scope, personHour: 1_000, workspaceHour: 10_000 },
    http: { ...own.http, port: options.port ?? 0 },
  }
  if (readProgress(config.dataDir) === null) rmSync(config.dataDir, { recursive: true, force: true })
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const run = new DemoRun(options, places, config)
  const report = (error: unknown) => logFault(config.dataDir, error)
  const server = await serve(config, path, { report, version: run.learned })
  try {
    await run.play(server)
  } finally {
    await server.close()
  }
}

async function placesOf({ wish, people, joint = false, scope }: DemoOptions): Promise<Place[]> {
  const wishes = Object.keys(WISHES)
  const alike = people === 1 || (joint && scope === 'workspace')
  const most = alike ? NAMES.length : wishes.length
  if (people < 1 || people > most) {
    throw new ClawError('WISH_INVALID', `There can be 1 to ${most} people`, {
      remedy: 'Each needs a name and, in a workspace or with weights of their own, a wish of their own.',
    })
  }
  const chosen = await Promise.all(
    (alike ? NAMES.slice(0, people).map(() => wish) : wishes.slice(0, people)).map(loadWish),
  )
  return chosen.map((wanted, i) => {
    const workspace = joint ? 'demo' : `demo-${filed(wanted.name)}`
    const shared = { platform: PLATFORM, workspace }
    const ref = scope === 'person' ? { ...shared, scope: NAMES[i]!.toLowerCase() } : shared
    return { name: NAMES[i]!, wish: wanted, workspace, ref }
  })
}

function nameOf({ wish, seed, people, joint = false, scope }: DemoOptions, { memory }: Config): string {
  const crowd = people === 1 ? filed(wish) : `${people}-people${joint ? `-joint-${filed(wish)}` : ''}`
  return [
    crowd,
    seed,
    ...(scope === 'person' ? ['own-weights'] : []),
    ...(memory.notes ? [] : ['without-memory']),
  ].join('-')
}

const filed = (wish: string) => wish.replace(/[^\w.-]+/g, '-')

class DemoRun {
  readonly #options: DemoOptions
  readonly #places: readonly Place[]
  readonly #config: Config
  readonly #progress: Progress
  #people: readonly Participant[] = []

  constructor(options: DemoOptions, places: readonly Place[], config: Config) {
    this.#options = options
    this.#places = places
    this.#config = config
    this.#progress = readProgress(config.dataDir) ?? { finished: false, curves: {} }
    for (const { name } of places) this.#progress.curves[name] ??= { points: [], hinted: null, feedbackToServed: [] }
    this.#save()
  }

  /** Hears of every version once the engine has it. */
  readonly learned = ({ ref, version, state, lessons, reason }: Outcome): void => {
    const what = lessons > 0 ? `${lessons} lessons` : 'rehearsal'
    const where = this.#places.length === 1 ? '' : `${ref.scope ?? ref.workspace} `
    this.#say(dim(`     ${where}version ${version}${state === 'served' ? ` is live (${what})` : `: ${reason}`}`))
    if (lessons === 0) return
    for (const [i, place] of this.#places.entries()) {
      const participant = this.#people[i]
      if (participant?.feedbackAt == null || !sameWeights(place.ref, ref)) continue
      if (state === 'served') this.#curve(i).feedbackToServed.push((Date.now() - participant.feedbackAt) / 1000)
      participant.feedbackAt = null
    }
    this.#save()
  }

  async play(server: Server): Promise<void> {
    const { replies, people, json, watch } = this.#options
    const first = this.#places[0]!
    // With --json, what is no figure goes past stdout.
    if (watch) process.stderr.write(`Watch it at ${server.url}#${encodeURIComponent(first.workspace)}\n`)
    this.#people = await Promise.all(this.#places.map((place, i) => this.#join(server, place, i)))
    this.#say(
      people === 1
        ? `A person who wants “${first.wish.name}” of every reply. ● as wished, ○ not.\n`
        : `${people} people at once. ● as wished, ○ not.\n`,
    )
    await this.#measure(server, 0)
    while (this.#people.some((participant) => !participant.left)) {
      await Promise.all(this.#people.map((participant) => participant.play(PAUSE)))
      const ended = this.#people.every((participant) => participant.left)
      await server.bot.settle(ended)
      const least = Math.min(...this.#people.map(({ exchanges }) => exchanges.length))
      const due = MEASURED[json ? 'json' : 'text'].filter((point) => point <= least).at(-1)
      if (due !== undefined && due < replies && people === 1) await this.#measure(server, due)
    }
    await this.#measure(server, replies)
    await this.#report(server)
    this.#progress.finished = true
    this.#save()
  }

  async #join(server: Server, { name, wish, workspace }: Place, i: number): Promise<Participant> {
    const { seed, replies } = this.#options
    const { runtime, store } = server.bot
    const persona = { wish, seed: seed + i, first: 5 * i }
    const lost = (error: unknown) => logFault(this.#config.dataDir, error)
    return new Participant({
      persona,
      someone: { id: name.toLowerCase(), name },
      replies,
      client: await connect({ ...server, workspace, lost }),
      turn: async (id) => (await findTurn(store.db, id))?.turn,
      idle: runtime.idle,
      on: (exchange, said) => this.#show(name, persona, exchange, said),
    })
  }

  async #measure(server: Server, replies: number): Promise<void> {
    const { engine, store, model } = server.bot
    const { temperature, topP, maxTokens } = this.#config.serving
    const sampling = { temperature, topP, maxTokens }
    const answers = new Map<string, Answers>()
    for (const [i, { ref, wish }] of this.#places.entries()) {
      const { points, hinted } = this.#curve(i)
      // People who share weights, or a wish, are answered alike.
      const ask = async (policy: string, notes: readonly string[] = []) => {
        const key = JSON.stringify([policy, notes])
        const known = answers.get(key)
        if (known !== undefined) return known
        const asked = await askHeldBack(engine, model.tokenizer, policy, sampling, this.#options.seed, notes)
        answers.set(key, asked)
        return asked
      }
      if (hinted === null && this.#places.length > 1) {
        this.#curve(i).hinted = complianceOf(wish, await ask(BASE_POLICY, [noteFor(wish)])).compliance
        this.#save()
      }
      if (points.some((point) => point.replies >= replies)) continue
      const version = await servingVersion(store.db, ref)
      const record = await store.findVersion(ref, version)
      const policy = record === null ? BASE_POLICY : `demo/${record.directory}`
      if (record !== null) await engine.load(policy, record.directory)
      points.push({ replies, measured: complianceOf(wish, await ask(policy)) })
      if (record !== null) await engine.unload(policy)
      this.#save()
    }
    if (this.#places.length > 1) return
    const { compliance } = this.#curve(0).points.at(-1)!.measured
    this.#say(`\n     held-back questions, no note in the prompt: ${percent(compliance)} as wished\n`)
  }

  async #report(server: Server): Promise<void> {
    const { json, joint = false, scope } = this.#options
    const results = await Promise.all(
      this.#people.map(async ({ persona, exchanges }, i) =>
        demoResult(persona, exchanges, this.#curve(i), await listVersions(server.bot.store.db, this.#places[i]!.ref)),
      ),
    )
    if (results.length === 1) {
      const { persona, exchanges } = this.#people[0]!
      return console.log(
        json ? JSON.stringify(results[0]) : describeResult(results[0]!, persona, exchanges, this.#curve(0)),
      )
    }
    const crowd = crowdResult({
      joint,
      scope,
      results: results.map((result, i) => {
        const { name, workspace } = this.#places[i]!
        return { ...result, person: name, workspace, hinted: round(this.#curve(i).hinted ?? 0) }
      }),
    })
    console.log(json ? JSON.stringify(crowd) : describeCrowd(crowd))
  }

  #show(name: string, persona: Participant['persona'], exchange: Exchange, said: string): void {
    const who = this.#places.length === 1 ? '' : `${name.padEnd(5)} `
    if (exchange.kind === 'correction') this.#say(`     ${who}“${said}”`)
    const mark = satisfied(persona, exchange) ? '●' : '○'
    const question = questionOf(persona, exchange.question)
    this.#say(`${mark} ${who}${question}  ${dim(oneLine(exchange.reply, 100))}`)
  }

  #curve(i: number): Curve {
    return this.#progress.curves[this.#places[i]!.name]!
  }

  #save(): void {
    writeProgress(this.#config.dataDir, this.#progress)
  }

  #say(line: string): void {
    if (!this.#options.json) console.log(line)
  }
}

function sameWeights(a: PolicyRef, b: PolicyRef): boolean {
  return a.workspace === b.workspace && a.scope === b.scope
}

/** The note that the wish becomes. */
function noteFor({ corrections }: Wish): string {
  const signal = {
    id: 'wish',
    turn: 'wish',
    type: 'message',
    person: 'person',
    content: corrections[0]!,
    at: 0,
  } as const
  const { hint } = judge({ request: '', reply: '', asker: 'person', signals: [signal] })
  return hint?.text ?? corrections[0]!
}

function dim(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? `\x1b[2m${text}\x1b[22m` : text
}

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DemoAdapter, PLATFORM } from '../adapters/demo/adapter.ts'
import { measure } from '../adapters/demo/measure.ts'
import { type Act, type Exchange, nextAct, satisfied } from '../adapters/demo/person.ts'
import { percent } from '../adapters/demo/plot.ts'
import { type Progress, readProgress, writeProgress } from '../adapters/demo/progress.ts'
import { QUESTIONS } from '../adapters/demo/questions.ts'
import { demoResult, describeResult, oneLine } from '../adapters/demo/report.ts'
import { loadWish, type Wish } from '../adapters/demo/wishes.ts'
import type { Config } from '../config/config.ts'
import { BASE_POLICY } from '../core/policy/engine.ts'
import { degenerate } from '../core/samples/degenerate.ts'
import { findTurn } from '../core/store/turns.ts'
import { listVersions } from '../core/store/versions.ts'
import { turnId } from '../core/stream/turns.ts'
import type { Event, WorkspaceRef } from '../core/types.ts'
import type { Outcome } from '../trainer/learner.ts'
import { type Bot, startBot } from './bot.ts'
import { ensureModel } from './chat.ts'
import { logFault } from './log.ts'
import { configure, prepareData, type Settings } from './settings.ts'

export interface DemoOptions extends Settings {
  readonly wish: string
  readonly seed: number
  readonly replies: number
  readonly json?: boolean
}

/** A person pauses after a few replies; the trainer uses the time. */
const PAUSE = 4

/** Enough for the wishes, and a run of minutes. */
const MAX_TOKENS = 96

/** Replies after which the held-back questions are asked: what the JSON needs, and more for the eye. */
const MEASURED = { json: [8], text: [8, 16, 24] } as const

/** `claw demo`: the whole story without hands. A run that was killed goes on where it stopped. */
export async function demo(options: DemoOptions): Promise<void> {
  const wish = await loadWish(options.wish)
  const own = configure(options)
  prepareData(own.dataDir)
  const path = await ensureModel(own)
  const name = `${wish.name.replace(/[^\w.-]+/g, '-')}-${options.seed}${own.memory.notes ? '' : '-without-memory'}`
  const config: Config = {
    ...own,
    dataDir: join(own.dataDir, 'demo', name),
    serving: { ...own.serving, maxTokens: MAX_TOKENS },
    trainer: { ...own.trainer, batch: PAUSE, waitSeconds: 600 },
  }
  if (readProgress(config.dataDir) === null) rmSync(config.dataDir, { recursive: true, force: true })
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const run = new DemoRun(options, wish, config)
  const bot = await startBot(config, path, [run.adapter], {
    report: (error) => logFault(config.dataDir, error),
    version: run.learned,
  })
  try {
    await run.play(bot)
  } finally {
    await bot.close()
  }
}

class DemoRun {
  readonly adapter = new DemoAdapter()
  readonly #options: DemoOptions
  readonly #wish: Wish
  readonly #config: Config
  readonly #progress: Progress
  readonly #exchanges: Exchange[] = []
  #sincePause = 0
  /** When the person last said what they think, until a version has learned from it. */
  #feedbackAt: number | null = null

  constructor(options: DemoOptions, wish: Wish, config: Config) {
    this.#options = options
    this.#wish = wish
    this.#config = config
    this.#progress = readProgress(config.dataDir) ?? { finished: false, curve: [], feedbackToServed: [] }
    this.#save()
  }

  /** Hears of every version once the engine has it. */
  readonly learned = ({ version, state, lessons, reason }: Outcome): void => {
    const what = lessons > 0 ? `${lessons} lessons` : 'rehearsal'
    this.#say(
      dim(state === 'served' ? `     version ${version} is live (${what})` : `     version ${version}: ${reason}`),
    )
    if (lessons === 0 || this.#feedbackAt === null) return
    if (state === 'served') this.#progress.feedbackToServed.push((Date.now() - this.#feedbackAt) / 1000)
    this.#feedbackAt = null
    this.#save()
  }

  async play(bot: Bot): Promise<void> {
    const { replies, seed, json } = this.#options
    await this.adapter.start(bot.runtime.deliver)
    this.#say(`A person who wants “${this.#wish.name}” of every reply, seed ${seed}. ● as wished, ○ not.\n`)
    await this.#measure(bot, 0)
    for (let act = this.#next(); act.type !== 'leave'; act = this.#next()) {
      if (act.type === 'react') await this.#react(bot, act.emoji)
      else {
        if (act.kind === 'question' && this.#sincePause >= PAUSE) await this.#pause(bot, false)
        await this.#exchange(bot, act)
      }
    }
    await this.#pause(bot, true)
    await this.#measure(bot, replies)
    this.#progress.finished = true
    this.#save()
    const versions = await listVersions(bot.store.db, this.#ref)
    const result = demoResult(this.#wish, seed, this.#exchanges, this.#progress, versions)
    console.log(json ? JSON.stringify(result) : describeResult(result, this.#wish, this.#exchanges, this.#progress))
  }

  get #ref(): WorkspaceRef {
    return { platform: PLATFORM, workspace: this.#wish.name }
  }

  #next(): Act {
    const { seed, replies } = this.#options
    return nextAct(this.#wish, seed, this.#exchanges, replies)
  }

  /** Says something and takes in the reply. Ids follow from seed and order alone, so nothing is ever said twice. */
  async #exchange(bot: Bot, { kind, question, conversation, text }: Extract<Act, { type: 'say' }>): Promise<void> {
    const n = this.#exchanges.length
    const id = `demo-${this.#options.seed}-${n}`
    const event: Event = { ...this.#event(id, conversation), type: 'message', message: id, text }
    const fresh = (await findTurn(bot.store.db, turnId(event))) === undefined
    await this.adapter.deliver(event)
    if (fresh && n > 0) this.#feedbackAt = Date.now()
    await bot.runtime.idle()
    const stored = await findTurn(bot.store.db, turnId(event))
    const { text: reply = '', responseIds: ids = [], finish } = stored?.turn ?? {}
    const broken = degenerate(finish === 'stop' ? ids.slice(0, -1) : ids)
    const exchange: Exchange = { kind, question, conversation, reply, degenerate: broken, reaction: null }
    this.#exchanges.push(exchange)
    this.#sincePause++
    if (kind === 'correction') this.#say(`     “${text}”`)
    const mark = satisfied(this.#wish, exchange) ? '●' : '○'
    this.#say(`${mark} ${String(n + 1).padStart(2)}  ${QUESTIONS[question]}  ${dim(oneLine(reply, 100))}`)
  }

  async #react(bot: Bot, emoji: '+' | '-'): Promise<void> {
    const n = this.#exchanges.length - 1
    const exchange = this.#exchanges[n]!
    const id = `demo-${this.#options.seed}-${n}`
    const asked = this.#event(id, exchange.conversation)
    // The adapter's message of a reply is its turn.
    const event: Event = { ...asked, id: `${id}-thumb`, type: 'reaction', message: turnId(asked), emoji }
    await this.adapter.deliver(event)
    this.#feedbackAt = Date.now()
    await bot.runtime.idle()
    this.#exchanges[n] = { ...exchange, reaction: emoji }
  }

  async #pause(bot: Bot, last: boolean): Promise<void> {
    this.#sincePause = 0
    await bot.settle(last)
    const due = MEASURED[this.#options.json ? 'json' : 'text'].filter((replies) => replies <= this.#exchanges.length)
    const point = due.at(-1)
    if (point !== undefined && point < this.#options.replies) await this.#measure(bot, point)
  }

  async #measure(bot: Bot, replies: number): Promise<void> {
    const { curve } = this.#progress
    if (curve.some((point) => point.replies >= replies)) return
    const version = await bot.store.servingVersion(this.#ref)
    const record = await bot.store.findVersion(this.#ref, version)
    const policy = record === null ? BASE_POLICY : 'demo/measure'
    if (record !== null) await bot.engine.load(policy, record.directory)
    const { temperature, topP, maxTokens } = this.#config.serving
    const sampling = { temperature, topP, maxTokens }
    const measured = await measure(bot.engine, bot.model.tokenizer, policy, this.#wish, sampling, this.#options.seed)
    if (record !== null) await bot.engine.unload(policy)
    curve.push({ replies, measured })
    this.#save()
    this.#say(`\n     held-back questions, no note in the prompt: ${percent(measured.compliance)} as wished\n`)
  }

  #event(id: string, conversation: number) {
    const person = { id: 'person', kind: 'human' } as const
    return { ...this.#ref, id, conversation: `question-${conversation}`, person, at: Date.now() }
  }

  #save(): void {
    writeProgress(this.#config.dataDir, this.#progress)
  }

  #say(line: string): void {
    if (!this.#options.json) console.log(line)
  }
}

function dim(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? `\x1b[2m${text}\x1b[22m` : text
}

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Method } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import type { Generation } from '../core/policy/engine.ts'
import { random } from '../core/policy/sampling.ts'
import { pathOf, versionName, writeVersion } from '../core/policy/version.ts'
import { advantageOf, rewardBaseline } from '../core/samples/credit.ts'
import { type Contribution, shares } from '../core/samples/shares.ts'
import type { OwnedSample } from '../core/store/learned.ts'
import type { PolicyRef, WorkspaceRef } from '../core/types.ts'
import { decide, type GateMeasurement } from './gate.ts'
import type { TrainerParts } from './parts.ts'
import { GATE, RECIPE } from './recipe.ts'
import { type Rehearsal, startRehearsal } from './rehearsal.ts'
import { isStillNeeded } from './retirement.ts'
import { distillable, imitationStep, type Lesson, lessonStep, potencies, praised, type StepReport } from './steps.ts'

export interface Outcome {
  readonly ref: PolicyRef
  readonly version: number
  readonly state: 'served' | 'rejected'
  readonly reason: string | null
  /** New lessons; 0 for a rehearsal. */
  readonly lessons: number
}

/** What a version goes on from. */
interface Start {
  readonly parent: number
  /** The parent and its ancestors, newest first. */
  readonly line: readonly number[]
  /** Milliseconds since the epoch, before anything was read: what is forgotten from then on may have been read. */
  readonly startedAt: number
}

/** When a sample was first seen, and what the weights made of it then. */
interface FirstSight {
  readonly parent: number
  readonly logprobs: Float32Array
}

/** Turns samples into policy versions, one set of weights and one version at a time. */
export class Learner {
  readonly #options: TrainerParts
  readonly #rehearsal: Rehearsal
  /** By sample. Lost with the process: then the current policy takes their place. */
  readonly #firstSights = new Map<string, FirstSight>()

  constructor(options: TrainerParts) {
    this.#options = options
    this.#rehearsal = startRehearsal(options)
  }

  /** Learns from the oldest ready samples. Null where another trainer has learned from them, or they were taken back. */
  async learn(ref: PolicyRef): Promise<Outcome | null> {
    const { config, store, engine } = this.#options
    const start = await this.#start(ref)
    const { line, parent } = start
    const method = await this.#method(ref)
    const samples = await store.batch(ref, 2 * config.trainer.batch)
    if (samples.length === 0) return null
    return this.#makeVersion(ref, start, samples, method, async (draw) => {
      const amended = new Set(samples.map(({ turn }) => turn))
      const pool = (await store.pool(ref, line)).filter(({ turn }) => !amended.has(turn))
      const fresh = this.#lessons(samples, pool, method, line)
      // Distillation takes no reward back: what was learned by another method is, in a step that knows both.
      const takesBack = method === 'opd' && samples.some(({ learned }) => learned !== 0)
      const reports: StepReport[] = []
      for (let step = 0; step < RECIPE.freshSteps; step++) {
        reports.push(await lessonStep(engine, fresh, takesBack ? 'combined' : method))
      }
      for (const [i, { id }] of samples.entries()) this.#remember(id, { parent, logprobs: fresh[i]!.proximal! })
      const counts = shares([...pool, ...samples].map(contribution))
      const all = [...this.#lessons(pool, [], method, line), ...fresh].map((one, i) => ({ ...one, share: counts[i]! }))
      for (let step = 0; step < RECIPE.drawnSteps; step++) {
        reports.push(await lessonStep(engine, draw(all, RECIPE.stepSize), method))
      }
      if (method === 'binary') return reports
      for (const [i, potency] of (await potencies(engine, fresh)).entries()) {
        if (potency !== null) await store.recordPotency(samples[i]!.id, potency)
      }
      return reports
    })
  }

  /**
   * One round without a person: replies to questions already asked, taught by the hinted base. Null where nobody has
   * asked for anything yet, and where no teacher may be asked.
   */
  async rehearse(ref: PolicyRef): Promise<Outcome | null> {
    const { store, engine, model } = this.#options
    const start = await this.#start(ref)
    const { line, parent } = start
    const method = await this.#method(ref)
    const questions = method === 'binary' ? [] : await this.#rehearsal.questions(ref)
    if (questions.length === 0) return null
    return this.#makeVersion(ref, start, [], 'opd', async (draw) => {
      const { stepSize, rehearsal } = RECIPE
      const { teacherSteps, studentSteps, studentReplies, praisedSteps } = rehearsal
      const pool = this.#lessons(await store.pool(ref, line), [], 'combined', line)
      const own = await this.#rehearsal.studentReplies(ref, parent, draw(questions, studentReplies))
      const drawn = draw(questions, rehearsal.teacherReplies)
      const taught = await this.#rehearsal.teacherReplies(ref, questions, drawn, parent)
      const good = pool
        .filter(({ advantage, responseIds }) => advantage !== null && advantage > 0 && distillable(responseIds))
        .filter(({ responseIds }) => model.tokenizer.endOfTurn.has(responseIds.at(-1)!))
        .map(praised)
      const steps = [
        ...repeat(own.length > 0 ? studentSteps : 0, () => lessonStep(engine, draw(own, stepSize), 'opd')),
        ...repeat(taught.length > 0 ? teacherSteps : 0, () => imitationStep(engine, draw(taught, stepSize))),
        ...repeat(good.length > 0 ? praisedSteps : 0, () => imitationStep(engine, draw(good, stepSize))),
      ]
      const reports: StepReport[] = []
      for (const step of draw(steps, steps.length)) reports.push(await step())
      return reports
    })
  }

  /** Asks of one note whether the served version still needs it. */
  async checkNote(ref: PolicyRef): Promise<void> {
    const { store } = this.#options
    const version = await store.servingVersion(ref)
    const note = await store.uncheckedNote(ref, version)
    if (note === null) return
    const needed = await isStillNeeded(this.#options, ref, version, note)
    await store.recordCheck(ref, note.id, version, !needed)
  }

  async #method(ref: WorkspaceRef): Promise<Method> {
    return (await this.#options.store.method(ref)) ?? this.#options.config.trainer.method
  }

  async #start(ref: PolicyRef): Promise<Start> {
    const { store } = this.#options
    const startedAt = Date.now()
    const parent = await store.servingVersion(ref)
    return { parent, line: await store.lineage(ref, parent), startedAt }
  }

  /** Trains from the serving version, writes the result aside, asks the gate, records. */
  async #makeVersion(
    ref: PolicyRef,
    { parent, startedAt }: Start,
    samples: readonly OwnedSample[],
    method: Method,
    train: (draw: Draw) => Promise<StepReport[]>,
  ): Promise<Outcome> {
    const { config, store, model, engine } = this.#options
    const version = await store.nextVersion(ref)
    const from = parent === 0 ? null : await store.findVersion(ref, parent)
    await engine.loadState(from?.directory ?? null)
    const directory = join(config.dataDir, 'policies', pathOf(ref), versionName(version))
    const record = async (reason: string | null, metrics: Readonly<Record<string, number>>): Promise<Outcome> => {
      const state = await store.recordVersion({
        ref,
        version,
        parent,
        state: reason === null ? 'served' : 'rejected',
        reason,
        directory,
        metrics,
        samples: ids,
        startedAt,
      })
      if (state === 'rejected') await rm(directory, { recursive: true, force: true })
      return { ref, version, state, reason, lessons: samples.length }
    }
    const ids = samples.map(({ id }) => id)
    let reports: StepReport[]
    try {
      reports = await train(drawFrom(random(version)))
    } catch (error) {
      // Lessons that break the numbers must not be tried again and again.
      if (error instanceof ClawError && error.code === 'TRAINER_FAILED') return record(error.message, {})
      throw error
    }
    const last = reports.at(-1)!
    const lora = engine.exportPolicy()
    const rewarded = method === 'opd' ? 0 : 1
    const metrics = { loss: last.loss, gradientNorm: last.gradientNorm, steps: reports.length, rewarded }
    const createdAt = new Date().toISOString()
    const manifest = { version, parent, base: model.hash, samples: ids, metrics, createdAt }
    await writeVersion(directory, lora, manifest, engine.saveState())
    const measured = await this.#measure(directory)
    const decision = decide(measured, GATE.limits)
    return record(decision.accepted ? null : decision.reason, { ...metrics, drift: measured.drift })
  }

  async #measure(directory: string): Promise<GateMeasurement> {
    const { engine, policy, model } = this.#options
    const finite = [...engine.exportPolicy().pairs.values()].every(
      ({ a, b }) => a.every(Number.isFinite) && b.every(Number.isFinite),
    )
    if (!finite) return { replies: [], drift: 0, finite }
    const name = `gate/${directory}`
    await policy.load(name, directory)
    try {
      const prompts = GATE.prompts.map((content) => model.tokenizer.prompt([{ role: 'user', content }]))
      const { temperature, topP } = RECIPE
      const sampling = { temperature, topP, maxTokens: GATE.maxTokens, seed: 0 }
      const items = prompts.map((promptIds) => ({ promptIds, sampling }))
      const generations = await policy.generateAll({ policy: name, items })
      const replies = generations.map(({ ids }) => ids.filter((id) => !model.tokenizer.endOfTurn.has(id)))
      return { replies, drift: await this.#drift(prompts, generations), finite }
    } finally {
      await policy.unload(name)
    }
  }

  /** The policy's own log-probabilities were recorded when it replied. */
  async #drift(prompts: readonly (readonly number[])[], replies: readonly Generation[]): Promise<number> {
    const items = replies.map(({ ids }, i) => ({
      ids: [...prompts[i]!, ...ids.slice(0, -1)],
      rows: ids.map((_, t) => prompts[i]!.length - 1 + t),
      candidates: Int32Array.from(ids),
    }))
    const base = await this.#options.engine.forward(items, 'base')
    const gaps = replies.flatMap(({ logprobs }, i) => [...logprobs].map((own, t) => own - base[i]!.logprobs[t]!))
    return gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  }

  /** The newest stay. */
  #remember(sample: string, sight: FirstSight): void {
    this.#firstSights.set(sample, sight)
    for (const oldest of this.#firstSights.keys()) {
      if (this.#firstSights.size <= RECIPE.keptFirstSights) break
      this.#firstSights.delete(oldest)
    }
  }

  /**
   * No teacher is asked for the method that knows none; nobody weighs more than their share. What was first seen by
   * versions outside the line was seen by other weights.
   */
  #lessons(
    samples: readonly OwnedSample[],
    earlier: readonly OwnedSample[],
    method: Method,
    line: readonly number[],
  ): Lesson[] {
    const baseline = rewardBaseline([...earlier, ...samples].map(({ reward }) => reward))
    const counts = shares(samples.map(contribution))
    return samples.map((sample, i): Lesson => {
      const sight = this.#firstSights.get(sample.id)
      const known = sight !== undefined && (sight.parent === 0 || line.includes(sight.parent))
      const taught = method !== 'binary' && distillable(sample.responseIds)
      return {
        promptIds: sample.promptIds,
        responseIds: sample.responseIds.slice(0, RECIPE.trainedTokens),
        teacherPromptIds: taught ? sample.teacherPromptIds : null,
        advantage: advantageOf(sample, baseline, method),
        share: counts[i]!,
        ...(known ? { proximal: sight.logprobs } : {}),
      }
    })
  }
}

/** To take something back is to say something. */
function contribution({ people, weight, learned }: OwnedSample): Contribution {
  return { people, weight: weight + Math.abs(learned) }
}

function repeat<Item>(count: number, item: Item): Item[] {
  return new Array<Item>(count).fill(item)
}

/** Some of the items, each at most once, in random order. */
type Draw = <Item>(items: readonly Item[], count: number) => Item[]

function drawFrom(uniform: () => number): Draw {
  return (items, count) => {
    const rest = [...items]
    const drawn = []
    while (drawn.length < count && rest.length > 0) drawn.push(rest.splice(Math.floor(uniform() * rest.length), 1)[0]!)
    return drawn
  }
}

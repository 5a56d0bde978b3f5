import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Method } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import type { Generation } from '../core/policy/engine.ts'
import { random } from '../core/policy/sampling.ts'
import { pathOf, versionName, writeVersion } from '../core/policy/version.ts'
import { rewardBaseline } from '../core/samples/credit.ts'
import { shares } from '../core/samples/shares.ts'
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

/** Turns samples into policy versions, one set of weights and one version at a time. */
export class Learner {
  readonly #options: TrainerParts
  readonly #rehearsal: Rehearsal
  /** First-sight log-probabilities of samples, by id. Lost with the process: then the current policy takes their place. */
  readonly #proximal = new Map<string, Float32Array>()

  constructor(options: TrainerParts) {
    this.#options = options
    this.#rehearsal = startRehearsal(options)
  }

  /** Learns from the oldest ready samples. Null where another trainer has learned from them, or they were taken back. */
  async learn(ref: PolicyRef): Promise<Outcome | null> {
    const { config, store, engine } = this.#options
    const method = await this.#method(ref)
    const samples = await store.batch(ref, 2 * config.trainer.batch)
    if (samples.length === 0) return null
    return this.#makeVersion(ref, samples, async (parent, draw) => {
      const pool = await store.pool(ref, await store.lineage(ref, parent))
      const fresh = this.#lessons(samples, pool, method)
      const reports: StepReport[] = []
      for (let step = 0; step < RECIPE.freshSteps; step++) reports.push(await lessonStep(engine, fresh, method))
      for (const [i, sample] of samples.entries()) this.#remember(sample.id, fresh[i]!.proximal!)
      const counts = shares([...pool, ...samples])
      const all = [...this.#lessons(pool, [], method), ...fresh].map((one, i) => ({ ...one, share: counts[i]! }))
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
    const method = await this.#method(ref)
    const questions = method === 'binary' ? [] : await this.#rehearsal.questions(ref)
    if (questions.length === 0) return null
    return this.#makeVersion(ref, [], async (parent, draw) => {
      const { stepSize, rehearsal } = RECIPE
      const { teacherSteps, studentSteps, studentReplies, praisedSteps } = rehearsal
      const pool = this.#lessons(await store.pool(ref, await store.lineage(ref, parent)), [], method)
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

  /** Trains from the serving version, writes the result aside, asks the gate, records. */
  async #makeVersion(
    ref: PolicyRef,
    samples: readonly OwnedSample[],
    train: (parent: number, draw: Draw) => Promise<StepReport[]>,
  ): Promise<Outcome> {
    const { config, store, model, engine } = this.#options
    const startedAt = Date.now()
    const parent = await store.servingVersion(ref)
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
      reports = await train(parent, drawFrom(random(version)))
    } catch (error) {
      // Lessons that break the numbers must not be tried again and again.
      if (error instanceof ClawError && error.code === 'TRAINER_FAILED') return record(error.message, {})
      throw error
    }
    const last = reports.at(-1)!
    const lora = engine.exportPolicy()
    const metrics = { loss: last.loss, gradientNorm: last.gradientNorm, steps: reports.length }
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
  #remember(sample: string, proximal: Float32Array): void {
    this.#proximal.set(sample, proximal)
    for (const oldest of this.#proximal.keys()) {
      if (this.#proximal.size <= RECIPE.keptFirstSights) break
      this.#proximal.delete(oldest)
    }
  }

  /** No teacher is asked for the method that knows none; nobody weighs more than their share. */
  #lessons(samples: readonly OwnedSample[], earlier: readonly OwnedSample[], method: Method): Lesson[] {
    const rewards = [...earlier, ...samples].map(({ reward }) => reward)
    const baseline = rewardBaseline(rewards)
    const counts = shares(samples)
    return samples.map((sample, i): Lesson => {
      const proximal = this.#proximal.get(sample.id)
      const taught = method !== 'binary' && distillable(sample.responseIds)
      return {
        promptIds: sample.promptIds,
        responseIds: sample.responseIds.slice(0, RECIPE.trainedTokens),
        teacherPromptIds: taught ? sample.teacherPromptIds : null,
        advantage: (sample.reward - baseline) * sample.weight - sample.learned,
        share: counts[i]!,
        ...(proximal === undefined ? {} : { proximal }),
      }
    })
  }
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

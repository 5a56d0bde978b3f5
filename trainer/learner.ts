import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import { withNotes } from '../core/memory/notes.ts'
import type { ModelFiles } from '../core/model/files.ts'
import { BASE_POLICY, type Generation, type PolicyEngine } from '../core/policy/engine.ts'
import { random } from '../core/policy/sampling.ts'
import { versionName, writeVersion } from '../core/policy/version.ts'
import { rewardBaseline } from '../core/samples/credit.ts'
import type { LessonStore } from '../core/store/store.ts'
import type { Sample, WorkspaceRef } from '../core/types.ts'
import type { TrainerEngine } from './engines/engine.ts'
import { decide, type GateMeasurement } from './gate.ts'
import { GATE, RECIPE } from './recipe.ts'
import {
  distillable,
  freshReplies,
  imitationStep,
  type Lesson,
  lessonStep,
  type ModelReply,
  potencies,
  praised,
  type Question,
  type StepReport,
  teacherReplies,
} from './steps.ts'

export interface LearnerOptions {
  readonly config: Config
  readonly store: LessonStore
  readonly model: ModelFiles
  readonly engine: TrainerEngine
  /** Generates for the gate and for rehearsal. */
  readonly policy: PolicyEngine
}

export interface Outcome {
  readonly ref: WorkspaceRef
  readonly version: number
  readonly state: 'served' | 'rejected'
  readonly reason: string | null
  /** New lessons; 0 for a rehearsal. */
  readonly lessons: number
}

/** Turns samples into policy versions, one workspace and one version at a time. */
export class Learner {
  readonly #options: LearnerOptions
  /** Replies of the hinted base, newest first. Lost with the process: then rehearsal makes others. */
  readonly #taught: { readonly question: Question; readonly reply: ModelReply }[] = []
  /** First-sight log-probabilities of samples, by id. Lost with the process: then the current policy takes their place. */
  readonly #proximal = new Map<string, Float32Array>()

  constructor(options: LearnerOptions) {
    this.#options = options
  }

  /** Learns from the oldest ready samples of a workspace. */
  async learn(ref: WorkspaceRef): Promise<Outcome> {
    const { config, store, engine } = this.#options
    const samples = await store.batch(ref, 2 * config.trainer.batch)
    return this.#makeVersion(ref, samples, async (parent, draw) => {
      const pool = await store.pool(ref, await store.lineage(ref, parent))
      const fresh = this.#lessons(samples, pool)
      const all = [...this.#lessons(pool, []), ...fresh]
      const { method } = config.trainer
      const reports: StepReport[] = []
      for (let step = 0; step < RECIPE.freshSteps; step++) reports.push(await lessonStep(engine, fresh, method))
      for (let step = 0; step < RECIPE.drawnSteps; step++) {
        reports.push(await lessonStep(engine, draw(all, RECIPE.stepSize), method))
      }
      for (const [i, sample] of samples.entries()) this.#proximal.set(sample.id, fresh[i]!.proximal!)
      for (const [i, potency] of (await potencies(engine, fresh)).entries()) {
        if (potency !== null) await store.recordPotency(samples[i]!.id, potency)
      }
      return reports
    })
  }

  /**
   * One round without a person: replies to questions already asked, taught by the hinted base. Null where nobody has
   * asked for anything yet.
   */
  async rehearse(ref: WorkspaceRef): Promise<Outcome | null> {
    const { store, engine, model } = this.#options
    const questions = await this.#questions(ref)
    if (questions.length === 0) return null
    return this.#makeVersion(ref, [], async (parent, draw) => {
      const { stepSize, rehearsal } = RECIPE
      const { teacherSteps, studentSteps, studentReplies, praisedSteps } = rehearsal
      const pool = this.#lessons(await store.pool(ref, await store.lineage(ref, parent)), [])
      const own = await this.#studentReplies(ref, parent, draw(questions, studentReplies))
      const replies = await this.#teacherReplies(questions, draw(questions, rehearsal.teacherReplies), parent)
      const taught = wholeOnes(replies, stepSize, model.tokenizer.endOfTurn)
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

  /** Trains from the serving version, writes the result aside, asks the gate, records. */
  async #makeVersion(
    ref: WorkspaceRef,
    samples: readonly Sample[],
    train: (parent: number, draw: Draw) => Promise<StepReport[]>,
  ): Promise<Outcome> {
    const { config, store, model, engine } = this.#options
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

  #lessons(samples: readonly Sample[], earlier: readonly Sample[]): Lesson[] {
    const rewards = [...earlier, ...samples].map(({ reward }) => reward)
    const baseline = rewardBaseline(rewards)
    return samples.map((sample): Lesson => {
      const proximal = this.#proximal.get(sample.id)
      return {
        promptIds: sample.promptIds,
        responseIds: sample.responseIds.slice(0, RECIPE.trainedTokens),
        teacherPromptIds: distillable(sample.responseIds) ? sample.teacherPromptIds : null,
        advantage: (sample.reward - baseline) * sample.weight,
        ...(proximal === undefined ? {} : { proximal }),
      }
    })
  }

  /** What people asked and what they wished, newest first. */
  async #questions(ref: WorkspaceRef): Promise<Question[]> {
    const { store, model } = this.#options
    const asked = await store.recentQuestions(ref, RECIPE.questions)
    return asked
      .filter(({ notes }) => notes.length > 0)
      .map(({ promptIds, request, notes }) => ({
        promptIds,
        teacherPromptIds: model.tokenizer.prompt(withNotes(request, notes)),
      }))
  }

  /** Some fresh replies of the workspace's teachers, with those of earlier rounds to the same wishes. */
  async #teacherReplies(
    questions: readonly Question[],
    drawn: readonly Question[],
    salt: number,
  ): Promise<ModelReply[]> {
    const { engine, policy } = this.#options
    const fresh = await teacherReplies(engine, policy, drawn, salt)
    for (const [i, reply] of fresh.entries()) if (reply !== null) this.#taught.unshift({ question: drawn[i]!, reply })
    this.#taught.splice(RECIPE.keptTeacherReplies)
    const asked = new Set(questions.map(teacherKey))
    return this.#taught.flatMap(({ question, reply }) => (asked.has(teacherKey(question)) ? [reply] : []))
  }

  async #studentReplies(ref: WorkspaceRef, version: number, questions: readonly Question[]): Promise<Lesson[]> {
    const { policy, store } = this.#options
    const record = version === 0 ? null : await store.findVersion(ref, version)
    const name = record === null ? BASE_POLICY : `rehearsal/${record.directory}`
    if (record !== null) await policy.load(name, record.directory)
    try {
      const prompts = questions.map(({ promptIds }) => promptIds)
      const replies = await freshReplies(policy, name, prompts, version)
      return replies.flatMap((responseIds, i): Lesson[] =>
        responseIds === null ? [] : [{ ...questions[i]!, responseIds, advantage: null }],
      )
    } finally {
      await policy.unload(name)
    }
  }
}

function teacherKey({ teacherPromptIds }: Question): string {
  return teacherPromptIds.join(' ')
}

/** Those that came to their end, where there are enough of them: an end is part of the example. */
function wholeOnes(replies: readonly ModelReply[], enough: number, ends: ReadonlySet<number>): readonly ModelReply[] {
  const whole = replies.filter(({ responseIds }) => ends.has(responseIds.at(-1)!))
  return whole.length >= enough ? whole : replies
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

/** A folder name that no workspace id can lead out of. */
function pathOf({ platform, workspace }: WorkspaceRef): string {
  return `${encodeURIComponent(platform)}-${encodeURIComponent(workspace)}`
}

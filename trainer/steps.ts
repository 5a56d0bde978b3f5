import type { Method } from '../config/config.ts'
import { BASE_POLICY, type PolicyEngine } from '../core/policy/engine.ts'
import { type Credit, credit, type Exemplar, imitation, SUPPORT } from '../core/samples/credit.ts'
import { repetition } from '../core/samples/degenerate.ts'
import { type ItemScores, type ScoreItem, TOP, type TrainerEngine, type TrainItem } from './engines/engine.ts'
import { RECIPE } from './recipe.ts'

/** Something to learn from: a judged reply, or one made in rehearsal. */
export interface Lesson {
  /** The request without notes. */
  readonly promptIds: readonly number[]
  readonly responseIds: readonly number[]
  /** The request with the notes and the hint; null where there are none. */
  readonly teacherPromptIds: readonly number[] | null
  /** Reward above the baseline times weight; null where nobody judged. */
  readonly advantage: number | null
  /** 0..1: how much of it counts beside the lessons of other people; all of it where absent. */
  readonly share?: number
  /** Log-probabilities of the response when it was first seen, set by the first step that meets it. [R] */
  proximal?: Float32Array
  /** Its log-probabilities under the teacher, set likewise. [R] */
  taught?: Float32Array
}

/** A reply worth imitating. Of one batch, all have the same number of tokens to imitate at each position. */
export interface ModelReply extends Exemplar {
  readonly promptIds: readonly number[]
}

/** A question to rehearse: without notes, and with them. */
export interface Question {
  readonly promptIds: readonly number[]
  readonly teacherPromptIds: readonly number[]
}

export interface StepReport {
  readonly loss: number
  readonly gradientNorm: number
}

/** One step on replies of the student's own: reward, distillation on its support, or both. */
export async function lessonStep(engine: TrainerEngine, lessons: Lesson[], method: Method): Promise<StepReport> {
  const student = await engine.forward(lessons.map(ownItem), 'current')
  const teachers = await teacherScores(engine, lessons, student)
  const scored = lessons.map((lesson, i) => {
    const { logprobs, topIds, topLogprobs } = student[i]!
    const teacher = teachers[i]!
    lesson.proximal ??= logprobs
    if (teacher !== null) lesson.taught ??= teacher.response
    return {
      responseIds: lesson.responseIds,
      advantage: lesson.advantage,
      share: lesson.share ?? 1,
      student: { logprobs, topIds: support(topIds), topLogprobs: support(topLogprobs) },
      proximal: lesson.proximal,
      teacher: teacher?.support ?? null,
    }
  })
  return apply(engine, lessons, credit(scored, method))
}

/** One step towards replies that are as they should be. */
export function imitationStep(engine: TrainerEngine, replies: readonly ModelReply[]): Promise<StepReport> {
  return apply(engine, replies, imitation(replies))
}

/**
 * Mean log-probability that each reply loses when the base sees its notes and hint, in nats a token; null where no
 * step has asked a teacher.
 */
export async function potencies(engine: TrainerEngine, lessons: readonly Lesson[]): Promise<(number | null)[]> {
  const plain = await engine.forward(lessons.map(ownItem), 'base')
  return lessons.map(({ taught }, i) => (taught === undefined ? null : mean(plain[i]!.logprobs) - mean(taught)))
}

/** Replies of the hinted base, with what the teacher thought of every token; null where one is no example. */
export async function teacherReplies(
  engine: TrainerEngine,
  policy: PolicyEngine,
  questions: readonly Question[],
  salt: number,
): Promise<(ModelReply | null)[]> {
  const prompts = questions.map(({ teacherPromptIds }) => teacherPromptIds)
  const replies = await freshReplies(policy, BASE_POLICY, prompts, salt)
  const sound = replies.flatMap((ids, i) => (ids === null ? [] : [{ i, ids }]))
  const scores = await engine.forward(
    sound.map(({ i, ids }) => scoreItem(prompts[i]!, ids, Int32Array.from(ids))),
    'base',
  )
  const models: (ModelReply | null)[] = questions.map(() => null)
  for (const [at, { i, ids }] of sound.entries()) {
    const { topIds, topLogprobs } = scores[at]!
    models[i] = { promptIds: questions[i]!.promptIds, responseIds: ids, topIds, topLogprobs }
  }
  return models
}

/** A sampled reply to each prompt; null where it is empty or repeats itself too much to be distilled. */
export async function freshReplies(
  policy: PolicyEngine,
  name: string,
  prompts: readonly (readonly number[])[],
  salt: number,
): Promise<(readonly number[] | null)[]> {
  const { temperature, topP, trainedTokens } = RECIPE
  const seedOf = (ids: readonly number[]) => ids.reduce((hash, id) => (Math.imul(hash, 31) + id) >>> 0, salt)
  const items = prompts.map((promptIds) => ({
    promptIds,
    sampling: { temperature, topP, maxTokens: trainedTokens, seed: seedOf(promptIds) },
  }))
  const replies = await policy.generateAll({ policy: name, items })
  return replies.map(({ ids }) => (distillable(ids) ? ids : null))
}

/** Whether a reply may be taught token by token. */
export function distillable(ids: readonly number[]): boolean {
  return ids.length > 1 && repetition(ids) <= RECIPE.distilledRepetition
}

/** A praised reply as a model: its own tokens are the ones to imitate. */
export function praised({ promptIds, responseIds }: Lesson): ModelReply {
  const topIds = Int32Array.from(responseIds)
  return { promptIds, responseIds, topIds, topLogprobs: new Float32Array(topIds.length) }
}

async function apply(
  engine: TrainerEngine,
  lessons: readonly Pick<Lesson, 'promptIds' | 'responseIds'>[],
  credits: readonly Credit[],
): Promise<StepReport> {
  const items = lessons.map(({ promptIds, responseIds }, i): TrainItem => {
    const { candidates, ...streams } = credits[i]!
    const none = new Float32Array(candidates.length)
    return { ...scoreItem(promptIds, responseIds, candidates), ...streams, reference: none, klWeights: none }
  })
  const { loss } = await engine.forwardBackward(items)
  const { gradientNorm } = await engine.optimStep(RECIPE.adam)
  return { loss, gradientNorm }
}

interface TeacherScores {
  /** At the student's own top tokens. [R × SUPPORT] */
  readonly support: Float32Array
  /** Of the response tokens. [R] */
  readonly response: Float32Array
}

async function teacherScores(
  engine: TrainerEngine,
  lessons: readonly Lesson[],
  student: readonly ItemScores[],
): Promise<(TeacherScores | null)[]> {
  const width = SUPPORT + 1
  const taught = lessons.flatMap(({ teacherPromptIds, responseIds }, i) => {
    if (teacherPromptIds === null) return []
    const top = support(student[i]!.topIds)
    const candidates = responseIds.flatMap((id, row) => [...top.subarray(row * SUPPORT, (row + 1) * SUPPORT), id])
    return [{ i, item: scoreItem(teacherPromptIds, responseIds, Int32Array.from(candidates)) }]
  })
  const scores = await engine.forward(
    taught.map(({ item }) => item),
    'base',
  )
  const byLesson: (TeacherScores | null)[] = lessons.map(() => null)
  for (const [at, { i }] of taught.entries()) {
    const { logprobs } = scores[at]!
    byLesson[i] = {
      support: logprobs.filter((_, column) => column % width < SUPPORT),
      response: logprobs.filter((_, column) => column % width === SUPPORT),
    }
  }
  return byLesson
}

function ownItem({ promptIds, responseIds }: Lesson): ScoreItem {
  return scoreItem(promptIds, responseIds, Int32Array.from(responseIds))
}

/** Scores every response token from the position before it; the last token itself is never an input. */
function scoreItem(promptIds: readonly number[], responseIds: readonly number[], candidates: Int32Array): ScoreItem {
  const ids = [...promptIds, ...responseIds.slice(0, -1)]
  return { ids, rows: responseIds.map((_, i) => promptIds.length - 1 + i), candidates }
}

/** The first SUPPORT of every TOP. */
function support<Row extends Int32Array | Float32Array>(top: Row): Row {
  return top.filter((_: number, i: number) => i % TOP < SUPPORT) as Row
}

function mean(values: Float32Array): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length
}

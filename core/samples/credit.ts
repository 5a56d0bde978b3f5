import type { Method } from '../../config/config.ts'
import type { Score } from '../types.ts'

/** Candidates of distillation: the student's own most probable tokens. More than 4 brings nothing (arXiv 2603.10165). */
export const SUPPORT = 4

/** Largest log-ratio between teacher and student that counts, in nats. */
const RATIO_CLIP = 1

/** A sample and what the models say of its R response tokens. */
export interface ScoredSample {
  readonly responseIds: readonly number[]
  /** Reward above the baseline, times the verdict's weight; null where nobody judged (rehearsal). */
  readonly advantage: number | null
  /** 0..1: how much of it counts, whatever it is taught by. */
  readonly share: number
  /** The policy being trained, under the training prompt. */
  readonly student: {
    /** Of the response tokens. [R] */
    readonly logprobs: Float32Array
    /** Its most probable tokens, best first. [R × SUPPORT] */
    readonly topIds: Int32Array
    readonly topLogprobs: Float32Array
  }
  /** Log-probabilities of the response tokens when the sample was first seen, under the training prompt. [R] */
  readonly proximal: Float32Array
  /** The hinted base at the student's `topIds` [R × SUPPORT]; null where there is neither note nor hint. */
  readonly teacher: Float32Array | null
}

/** Streams of one sample for the trainer, all [R × K]. */
export interface Credit {
  readonly candidates: Int32Array
  readonly old: Float32Array
  readonly advantages: Float32Array
  readonly targets: Float32Array
}

/** Half the mean of recent rewards: praise for what usually pleases counts less, and complaints about it more. */
export function rewardBaseline(rewards: readonly Score[]): number {
  const recent = rewards.slice(-16)
  return recent.length === 0 ? 0 : (0.5 * recent.reduce<number>((sum, reward) => sum + reward, 0)) / recent.length
}

/**
 * Reward above the baseline times weight, less as much of the verdict that was learned before: praise that is taken back
 * leaves nothing. Of distillation only the latter is left; null for nothing.
 */
export function advantageOf(
  { reward, weight, learned }: { readonly reward: number; readonly weight: number; readonly learned: number },
  baseline: number,
  method: Method,
): number | null {
  const worth = (score: number, counts: number) => (score - baseline) * counts
  const before = worth(Math.sign(learned), Math.abs(learned))
  if (method !== 'opd') return worth(reward, weight) - before
  return learned === 0 ? null : -before
}

/**
 * Credit for every candidate of every response token of a batch. Binary: the sampled token, with the sample's
 * advantage. OPD: the student's top tokens, each with its probability times the clipped log-ratio to the teacher, so
 * that the clipped objective's gradient is that of the reverse KL on the student's support. Combined: both, as two
 * losses side by side. Each loss is a mean over its own tokens of the whole batch.
 */
export function credit(batch: readonly ScoredSample[], method: Method): Credit[] {
  const tokens = (counts: (sample: ScoredSample) => boolean) =>
    Math.max(
      1,
      batch.filter(counts).reduce((sum, { responseIds }) => sum + responseIds.length, 0),
    )
  const binaryTokens = tokens(({ advantage }) => advantage !== null)
  const opdTokens = tokens(({ teacher }) => teacher !== null)
  const sampled = method === 'opd' ? 0 : 1
  const width = sampled + (method === 'binary' ? 0 : SUPPORT)
  return batch.map(({ responseIds, advantage, share, student, proximal, teacher }) => {
    const streams: Credit = {
      candidates: new Int32Array(responseIds.length * width),
      old: new Float32Array(responseIds.length * width),
      advantages: new Float32Array(responseIds.length * width),
      targets: new Float32Array(responseIds.length * width),
    }
    responseIds.forEach((id, row) => {
      const put = (column: number, candidate: number, old: number, value: number) => {
        const at = row * width + column
        streams.candidates[at] = candidate
        streams.old[at] = old
        streams.advantages[at] = share * value
      }
      if (sampled === 1) put(0, id, proximal[row]!, (advantage ?? 0) / binaryTokens)
      for (let k = 0; k < width - sampled; k++) {
        const logprob = student.topLogprobs[row * SUPPORT + k]!
        const ratio = teacher === null ? 0 : clip(teacher[row * SUPPORT + k]! - logprob)
        put(sampled + k, student.topIds[row * SUPPORT + k]!, logprob, (Math.exp(logprob) * ratio) / opdTokens)
      }
    })
    return streams
  })
}

function clip(ratio: number): number {
  return Math.min(RATIO_CLIP, Math.max(-RATIO_CLIP, ratio))
}

/** A reply as it should be. */
export interface Exemplar {
  readonly responseIds: readonly number[]
  /** For every token the ones to imitate, and how probable each should be. [R × K] */
  readonly topIds: Int32Array
  readonly topLogprobs: Float32Array
}

/** Credit that makes the student imitate exemplars: every token's probability, a mean over the batch's tokens. */
export function imitation(batch: readonly Exemplar[]): Credit[] {
  const tokens = batch.reduce((sum, { responseIds }) => sum + responseIds.length, 0)
  return batch.map(({ topIds, topLogprobs }) => ({
    candidates: topIds,
    old: new Float32Array(topIds.length),
    advantages: new Float32Array(topIds.length),
    targets: topLogprobs.map((logprob) => Math.exp(logprob) / tokens),
  }))
}

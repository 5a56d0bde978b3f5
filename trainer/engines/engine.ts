import type { LoraWeights } from '../../core/policy/version.ts'

/** A sequence to score: after each of `rows`, the log-probabilities of the next token's candidates. */
export interface ScoreItem {
  readonly ids: readonly number[]
  /** Positions in `ids` whose next token is asked for. [R] */
  readonly rows: readonly number[]
  /** Token ids, K a row. [R × K] */
  readonly candidates: Int32Array
}

export interface ItemScores {
  /** [R × K] */
  readonly logprobs: Float32Array
  /** The most probable next tokens, best first. [R × TOP] */
  readonly topIds: Int32Array
  readonly topLogprobs: Float32Array
}

/**
 * Most probable tokens that `forward` returns for each row. Imitating only the few best of a distribution sharpens it,
 * and a sharp policy repeats itself: the tail that is left out must be small.
 */
export const TOP = 32

/** A sample's streams, all [R × K]; see objective.ts. Normalisations are folded in, so that the loss is a plain sum. */
export interface TrainItem extends ScoreItem {
  readonly old: Float32Array
  readonly advantages: Float32Array
  readonly reference: Float32Array
  readonly klWeights: Float32Array
  readonly targets: Float32Array
}

export interface AdamParameters {
  readonly learningRate: number
  readonly beta1: number
  readonly beta2: number
  readonly epsilon: number
  readonly weightDecay: number
  /** Largest norm of the whole gradient; 0 for no limit. */
  readonly maxNorm: number
}

/** The verbs of the Tinker API. The algorithm is in the streams; no engine knows it. */
export interface TrainerEngine {
  /** Scores without gradients, under the weights being trained or under the base. */
  forward(items: readonly ScoreItem[], weights: 'current' | 'base'): Promise<readonly ItemScores[]>
  /** Adds the objective's gradients to those waiting for `optimStep`. `logprobs` are the candidates' [R × K]. */
  forwardBackward(items: readonly TrainItem[]): Promise<{ loss: number; logprobs: readonly Float32Array[] }>
  /** Applies and clears the gradients. `gradientNorm` is the norm before it was limited. */
  optimStep(parameters: AdamParameters): Promise<{ gradientNorm: number }>
  /** What `loadState` needs beside the policy: files by name. */
  saveState(): Readonly<Record<string, Buffer>>
  /** Goes on from a published version, or begins anew with null. Throws POLICY_CORRUPT. */
  loadState(directory: string | null): Promise<void>
  exportPolicy(): LoraWeights
  close(): Promise<void>
}

import type { FinishReason, SamplingParameters } from '../types.ts'

/** The base model without any LoRA weights. */
export const BASE_POLICY = 'base'

export interface GenerateRequest {
  readonly promptIds: readonly number[]
  /** `base` or a name given to `load`. */
  readonly policy: string
  readonly sampling: SamplingParameters
  /** Generation ends before the first of these texts; the reply does not contain it. */
  readonly stop?: readonly string[]
  /** Higher first; live replies are 1, background work 0. */
  readonly priority?: number
  readonly signal?: AbortSignal
}

export interface GeneratedToken {
  readonly id: number
  /** Log-probability at temperature 1 of the whole distribution, before top-p. */
  readonly logprob: number
  /** Text that became certain with this token; empty while a character is incomplete. */
  readonly text: string
}

export interface Generation {
  /** Every sampled token, the end-of-turn token included when it was sampled. */
  readonly ids: readonly number[]
  /** [ids] */
  readonly logprobs: Float32Array
  readonly text: string
  readonly finish: FinishReason
  /** Prompt tokens whose keys and values were already cached. */
  readonly cachedTokens: number
}

export interface BatchRequest {
  readonly policy: string
  readonly items: readonly { readonly promptIds: readonly number[]; readonly sampling: SamplingParameters }[]
}

export interface ScoreRequest {
  readonly promptIds: readonly number[]
  readonly responseIds: readonly number[]
  readonly policy: string
  /** Candidates per response token to return; 0 for none. */
  readonly topK: number
}

export interface Scores {
  /** Log-probability of each response token at temperature 1. [response] */
  readonly logprobs: Float32Array
  /** The most probable tokens, best first. [response × topK] */
  readonly topIds: Int32Array
  readonly topLogprobs: Float32Array
}

export interface EngineStats {
  readonly model: string
  readonly weights: string
  readonly loaded: readonly string[]
  readonly running: number
  readonly waiting: number
  readonly generatedTokens: number
  readonly prefillTokens: number
  readonly cachedTokens: number
}

/**
 * Runs the policy. Requests in flight keep the version they started with; `load` and `unload` never wait for them
 * and never disturb them.
 */
export interface PolicyEngine {
  /** Streams tokens; the generator's return value is the whole reply. Throws REQUEST_ABORTED, POLICY_UNKNOWN. */
  generate(request: GenerateRequest): AsyncGenerator<GeneratedToken, Generation, void>
  /** Many whole replies of one policy, side by side and in the background. Throws REQUEST_INVALID, POLICY_UNKNOWN. */
  generateAll(request: BatchRequest): Promise<readonly Generation[]>
  score(request: ScoreRequest): Promise<Scores>
  /** Makes a policy version (a PEFT directory) servable under a name. Throws POLICY_CORRUPT. */
  load(name: string, directory: string): Promise<void>
  unload(name: string): Promise<void>
  stats(): Promise<EngineStats>
  close(): Promise<void>
}

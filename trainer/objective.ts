import type { Ops } from '../core/model/ops.ts'

/** Bounds of the probability ratio. Asymmetric: Yu et al. 2025 (DAPO), arXiv 2503.14476, section 3.1. */
export const CLIP = { low: 0.8, high: 1.28 } as const

/** Per-token candidate streams, all [R, K]; every normalisation is already folded into the three kinds of weight. */
export interface Streams<T> {
  /** Candidate token ids. */
  readonly candidates: T
  /** Log-probability of each candidate under the proximal policy. */
  readonly old: T
  readonly advantages: T
  /** Log-probability of each candidate under the base. */
  readonly reference: T
  readonly klWeights: T
  /** Probability mass to imitate. */
  readonly targets: T
}

/**
 * The one objective of all methods, a sum over response tokens and candidates:
 * −Σ min(ρ·A, clip(ρ)·A) + Σ w·(e^(ref−logp) − (ref−logp) − 1) − Σ t·logp with ρ = e^(logp−old).
 * Sources: clipped surrogate, Schulman et al. 2017, arXiv 1707.06347, eq. 7; KL estimator k3, Schulman 2020; the last
 * term is cross-entropy to the teacher's distribution, whose gradient is that of the forward KL.
 */
export function objective<T>(ops: Ops<T>, logits: T, streams: Streams<T>): { loss: T; logprobs: T } {
  const { candidates, old, advantages, reference, klWeights, targets } = streams
  const { picked: logprobs } = ops.logProbs(logits, candidates)
  const ratio = ops.exp(ops.sub(logprobs, old))
  const surrogate = ops.min(ops.mul(ratio, advantages), ops.mul(ops.clip(ratio, CLIP.low, CLIP.high), advantages))
  const gap = ops.sub(reference, logprobs)
  const k3 = ops.sub(ops.exp(gap), ops.add(gap, ops.constant([1], [1])))
  const gain = ops.add(surrogate, ops.mul(targets, logprobs))
  return { loss: ops.total(ops.sub(ops.mul(klWeights, k3), gain)), logprobs }
}

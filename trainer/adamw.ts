import type { AdamParameters } from './engines/engine.ts'

/** First and second moment of one tensor. */
export interface Moments {
  readonly m: Float32Array
  readonly v: Float32Array
}

export function zeroMoments(length: number): Moments {
  return { m: new Float32Array(length), v: new Float32Array(length) }
}

/** Norm over all tensors together. */
export function globalNorm(tensors: Iterable<Float32Array>): number {
  let sum = 0
  for (const tensor of tensors) {
    // An iterator over millions of elements costs four times the arithmetic.
    for (let i = 0; i < tensor.length; i++) sum += tensor[i]! * tensor[i]!
  }
  return Math.sqrt(sum)
}

/**
 * One step in place. `step` counts from 1; `scale` multiplies the gradient first (for a norm limit).
 * Source: Loshchilov & Hutter 2019, arXiv 1711.05101, algorithm 2, with the decay scaled by the learning rate.
 */
export function adamStep(
  weights: Float32Array,
  gradient: Float32Array,
  { m, v }: Moments,
  step: number,
  scale: number,
  { learningRate, beta1, beta2, epsilon, weightDecay }: AdamParameters,
): void {
  const correction = Math.sqrt(1 - beta2 ** step)
  const rate = (learningRate * correction) / (1 - beta1 ** step)
  const small = epsilon * correction
  const decay = 1 - learningRate * weightDecay
  for (let i = 0; i < weights.length; i++) {
    const g = gradient[i]! * scale
    const mi = beta1 * m[i]! + (1 - beta1) * g
    const vi = beta2 * v[i]! + (1 - beta2) * g * g
    m[i] = mi
    v[i] = vi
    weights[i] = weights[i]! * decay - (rate * mi) / (Math.sqrt(vi) + small)
  }
}

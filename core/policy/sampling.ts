import type { SamplingParameters } from '../types.ts'

/** Uniform numbers in [0, 1) from a seed. Source: mulberry32, T. Ettinger. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Below the maximum by this much, a token's weight is lost in float32 rounding even if all tokens had it. */
const NEGLIGIBLE = 30

/** log Σ exp(x / temperature) over a row. */
export function logSumExp(logits: Float32Array, temperature = 1): number {
  // Indexed loops: this runs over the whole vocabulary for every token.
  const max = logits[argmax(logits)]! / temperature
  const floor = (max - NEGLIGIBLE) * temperature
  let sum = 0
  for (let i = 0; i < logits.length; i++) {
    if (logits[i]! > floor) sum += Math.exp(logits[i]! / temperature - max)
  }
  return max + Math.log(sum)
}

export function argmax(logits: Float32Array): number {
  let best = 0
  let max = logits[0]!
  for (let i = 1; i < logits.length; i++) {
    if (logits[i]! > max) {
      best = i
      max = logits[i]!
    }
  }
  return best
}

/** The k most probable tokens of a row, best first. */
export function topOf(logits: Float32Array, k: number): { ids: number[]; logprobs: number[] } {
  const ids: number[] = []
  for (let i = 0; i < logits.length; i++) {
    if (ids.length === k && logits[i]! <= logits[ids[k - 1]!]!) continue
    let at = ids.length
    while (at > 0 && logits[ids[at - 1]!]! < logits[i]!) at--
    ids.splice(at, 0, i)
    if (ids.length > k) ids.pop()
  }
  const norm = logSumExp(logits)
  return { ids, logprobs: ids.map((id) => logits[id]! - norm) }
}

/** Nearer to 0, dividing by the temperature overflows; what is left is greedy. */
const COLDEST = 1e-3

export interface SampledToken {
  readonly id: number
  /** At temperature 1, over the whole vocabulary. */
  readonly logprob: number
}

/**
 * Draws the next token: temperature, then the smallest set of tokens whose probability reaches topP. The
 * log-probability is the policy's own, before both, so that it means the same wherever it is computed again.
 */
export function sample(
  logits: Float32Array,
  { temperature, topP }: Pick<SamplingParameters, 'temperature' | 'topP'>,
  uniform: () => number,
): SampledToken {
  const norm = logSumExp(logits)
  const taken = (id: number) => ({ id, logprob: logits[id]! - norm })
  if (temperature < COLDEST) return taken(argmax(logits))
  const nucleus = nucleusOf(logits, temperature, topP)
  let left = uniform() * nucleus.mass
  for (const { id, p } of nucleus.tokens) {
    left -= p
    if (left < 0) return taken(id)
  }
  return taken(nucleus.tokens[0]!.id)
}

/** The most probable tokens, best first, that together reach topP. */
function nucleusOf(logits: Float32Array, temperature: number, topP: number) {
  const norm = logSumExp(logits, temperature)
  // Tokens below this probability together weigh less than 1 − topP, so none of them can be in the nucleus.
  const least = topP >= 1 ? Number.NEGATIVE_INFINITY : Math.log((1 - topP) / logits.length)
  const floor = (least + norm) * temperature
  const tokens: { id: number; p: number }[] = []
  for (let id = 0; id < logits.length; id++) {
    if (logits[id]! >= floor) tokens.push({ id, p: Math.exp(logits[id]! / temperature - norm) })
  }
  tokens.sort((a, b) => b.p - a.p)
  let mass = 0
  let size = 0
  while (size < tokens.length && mass < topP) mass += tokens[size++]!.p
  return { tokens: tokens.slice(0, size), mass }
}

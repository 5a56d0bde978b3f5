import type { ModelConfig } from './architecture.ts'
import type { Ops } from './ops.ts'

/** The seven projections of a layer, by their Hugging Face names; LoRA weights exist for each. */
export const PROJECTIONS = [
  'self_attn.q_proj',
  'self_attn.k_proj',
  'self_attn.v_proj',
  'self_attn.o_proj',
  'mlp.gate_proj',
  'mlp.up_proj',
  'mlp.down_proj',
] as const

/** One projection of one layer: W [outputs, inputs], LoRA A [rank, inputs] and B [outputs, rank]. */
export interface Projection {
  /** `model.layers.3.self_attn.q_proj` */
  readonly module: string
  readonly inputs: number
  readonly outputs: number
}

export function projections(config: ModelConfig): readonly Projection[] {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize } = config
  const sizes: Record<(typeof PROJECTIONS)[number], readonly [number, number]> = {
    'self_attn.q_proj': [hiddenSize, heads * headDim],
    'self_attn.k_proj': [hiddenSize, kvHeads * headDim],
    'self_attn.v_proj': [hiddenSize, kvHeads * headDim],
    'self_attn.o_proj': [heads * headDim, hiddenSize],
    'mlp.gate_proj': [hiddenSize, intermediateSize],
    'mlp.up_proj': [hiddenSize, intermediateSize],
    'mlp.down_proj': [intermediateSize, hiddenSize],
  }
  return Array.from({ length: config.layers }, (_, layer) =>
    PROJECTIONS.map((name) => ({
      module: `model.layers.${layer}.${name}`,
      inputs: sizes[name][0],
      outputs: sizes[name][1],
    })),
  ).flat()
}

/** LoRA weights of one projection; `scale` is alpha / rank. */
export interface LoraPair<T> {
  /** [rank, inputs] */
  readonly a: T
  /** Transposed, which is how its products and its gradient are fastest. [rank, outputs] */
  readonly b: T
  readonly scale: number
}

/** q [kvHeads, group · N, headDim], k and v [kvHeads, N, headDim] → [kvHeads, group · N, headDim]. */
export type Attention<T> = (layer: number, q: T, k: T, v: T) => T

export interface NetworkInputs<T> {
  /** [N] */
  readonly ids: T
  /** [N] */
  readonly positions: T
  /** The tokens whose next-token distribution is wanted. [R] */
  readonly rows: T
  readonly lora: (module: string) => LoraPair<T>
  readonly attention: Attention<T>
}

export const EMBEDDING = 'model.embed_tokens.weight'
export const HEAD = 'lm_head.weight'

/** The Llama family: logits [R, vocabulary]. Source: Touvron et al. 2023, arXiv 2302.13971, section 2.2. */
export function transformer<T>(ops: Ops<T>, config: ModelConfig, inputs: NetworkInputs<T>): T {
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const project = (x: T, module: string) => {
    const { a, b, scale } = inputs.lora(module)
    const low = ops.matmul(x, a, { transposeB: true }) // [N, rank]
    return ops.matmul(low, b, { scale, plus: ops.linear(x, `${module}.weight`) })
  }
  const norm = (x: T, name: string) => ops.rmsNorm(x, ops.weight(`${name}.weight`), config.normEps).y
  const splitHeads = (x: T) => ops.transpose(ops.reshape(x, [-1, kvHeads, headDim], [-1, kvHeads * headDim]), [1, 0, 2])

  let x = ops.embed(EMBEDDING, inputs.ids)
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}`
    const h = norm(x, `${at}.input_layernorm`)
    const q = ops.rotate(project(h, `${at}.self_attn.q_proj`), inputs.positions, heads * headDim, false)
    const k = ops.rotate(project(h, `${at}.self_attn.k_proj`), inputs.positions, kvHeads * headDim, false)
    const v = project(h, `${at}.self_attn.v_proj`)
    // Query heads that share a key head become extra rows, so that attention is one product per key head.
    const qByHead = ops.transpose(ops.reshape(q, [-1, kvHeads, group, headDim], [-1, heads * headDim]), [1, 2, 0, 3])
    const attended = inputs.attention(
      layer,
      ops.reshape(qByHead, [kvHeads, -1, headDim], [kvHeads, group, -1, headDim]),
      splitHeads(k),
      splitHeads(v),
    )
    const byToken = ops.transpose(
      ops.reshape(attended, [kvHeads, group, -1, headDim], [kvHeads, -1, headDim]),
      [2, 0, 1, 3],
    )
    const merged = ops.reshape(byToken, [-1, heads * headDim], [-1, kvHeads, group, headDim])
    x = ops.add(x, project(merged, `${at}.self_attn.o_proj`))

    const m = norm(x, `${at}.post_attention_layernorm`)
    const gate = ops.silu(project(m, `${at}.mlp.gate_proj`))
    x = ops.add(x, project(ops.mul(gate, project(m, `${at}.mlp.up_proj`)), `${at}.mlp.down_proj`))
  }
  const picked = ops.rows(x, inputs.rows)
  const out = norm(picked, 'model.norm')
  return ops.linear(out, config.tiedEmbeddings ? EMBEDDING : HEAD)
}

/** Attention over the tokens given, by an additive mask [1, group · N, N]. */
export function fullAttention<T>(ops: Ops<T>, config: ModelConfig, mask: T): Attention<T> {
  const scale = 1 / Math.sqrt(config.headDim)
  return (_layer, q, k, v) => {
    const scores = ops.matmul(q, k, { transposeB: true, scale })
    return ops.matmul(ops.softmax(ops.add(scores, mask)), v)
  }
}

export interface CacheInputs<T> {
  /** Keys and values of earlier tokens, one pair a layer. [kvHeads, capacity, headDim] */
  readonly keys: readonly T[]
  readonly values: readonly T[]
  /** 0 where a token's own past is, very negative elsewhere. [1, 1 or group · N, capacity] */
  readonly pastMask: T
  /** Additive, for the new tokens among themselves. [1, group · N, N] */
  readonly mask: T
  /** capacity and N. [2] */
  readonly lengths: T
  /** Receives the new tokens' keys and values, for the caller to put into the cache. */
  readonly emit: (layer: number, keys: T, values: T) => void
}

/**
 * Attention over a cache and the new tokens. The cache is only ever an input: a graph that returned it would copy all
 * of it at every step.
 */
export function cachedAttention<T>(ops: Ops<T>, config: ModelConfig, cache: CacheInputs<T>): Attention<T> {
  const scale = 1 / Math.sqrt(config.headDim)
  return (layer, q, k, v) => {
    cache.emit(layer, k, v)
    const past = ops.add(ops.matmul(q, cache.keys[layer]!, { transposeB: true, scale }), cache.pastMask)
    const fresh = ops.add(ops.matmul(q, k, { transposeB: true, scale }), cache.mask)
    const [p, f] = ops.splitLast(ops.softmax(ops.concatLast(past, fresh)), cache.lengths)
    return ops.add(ops.matmul(p, cache.values[layer]!), ops.matmul(f, v))
  }
}

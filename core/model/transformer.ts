import type { ModelConfig } from './architecture.ts'
import type { Ops } from './ops.ts'

const ATTENTION_IN = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'] as const
const ATTENTION_OUT = ['self_attn.o_proj'] as const
const MLP_IN = ['mlp.gate_proj', 'mlp.up_proj'] as const
const MLP_OUT = ['mlp.down_proj'] as const
const STAGES = [ATTENTION_IN, ATTENTION_OUT, MLP_IN, MLP_OUT] as const

/** The seven projections of a layer, by their Hugging Face names; LoRA weights exist for each. */
export const PROJECTIONS = STAGES.flat()

/** One projection of one layer: W [outputs, inputs], LoRA A [rank, inputs] and B [outputs, rank]. */
export interface Projection {
  /** `model.layers.3.self_attn.q_proj` */
  readonly module: string
  readonly inputs: number
  readonly outputs: number
}

export function projections(config: ModelConfig): readonly Projection[] {
  return stages(config).flat()
}

/** All projections in the order they are computed; those that read the same input stand together. */
export function stages(config: ModelConfig): readonly (readonly Projection[])[] {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize } = config
  const sizes: Record<(typeof STAGES)[number][number], readonly [number, number]> = {
    'self_attn.q_proj': [hiddenSize, heads * headDim],
    'self_attn.k_proj': [hiddenSize, kvHeads * headDim],
    'self_attn.v_proj': [hiddenSize, kvHeads * headDim],
    'self_attn.o_proj': [heads * headDim, hiddenSize],
    'mlp.gate_proj': [hiddenSize, intermediateSize],
    'mlp.up_proj': [hiddenSize, intermediateSize],
    'mlp.down_proj': [intermediateSize, hiddenSize],
  }
  return Array.from({ length: config.layers }, (_, layer) =>
    STAGES.map((names) =>
      names.map((name) => ({
        module: `model.layers.${layer}.${name}`,
        inputs: sizes[name][0],
        outputs: sizes[name][1],
      })),
    ),
  ).flat()
}

/** LoRA weights of projections that read the same input; `scale` is alpha / rank. */
export interface Lora<T> {
  /** One below the other, so that the input is read once. [projections · rank, inputs] */
  readonly a: T
  /** Of each projection, transposed, which is how its products and its gradient are fastest. [rank, outputs] */
  readonly b: readonly T[]
  readonly scale: number
}

/** q [kvHeads, N, group · headDim], k and v [kvHeads, N, headDim] → [kvHeads, N, group · headDim]. */
export type Attention<T> = (layer: number, q: T, k: T, v: T) => T

export interface NetworkInputs<T> {
  /** [N] */
  readonly ids: T
  /** [N] */
  readonly positions: T
  /** The tokens whose next-token distribution is wanted. [R] */
  readonly rows: T
  readonly lora: (modules: readonly string[]) => Lora<T>
  readonly attention: Attention<T>
}

export const EMBEDDING = 'model.embed_tokens.weight'
export const HEAD = 'lm_head.weight'

/** The Llama family: logits [R, vocabulary]. Source: Touvron et al. 2023, arXiv 2302.13971, section 2.2. */
export function transformer<T>(ops: Ops<T>, config: ModelConfig, inputs: NetworkInputs<T>): T {
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const project = (x: T, at: string, names: readonly string[]) => {
    const modules = names.map((name) => `${at}.${name}`)
    const { a, b, scale } = inputs.lora(modules)
    const low = ops.split(ops.matmul(x, a, { transposeB: true }), 1, modules.length) // each [N, rank]
    return modules.map((module, i) => ops.matmul(low[i]!, b[i]!, { scale, plus: ops.linear(x, `${module}.weight`) }))
  }
  const norm = (x: T, name: string) => ops.rmsNorm(x, ops.weight(`${name}.weight`), config.normEps).y
  const byHead = (x: T, width: number) =>
    ops.transpose(ops.reshape(x, [-1, kvHeads, width], [-1, kvHeads * width]), [1, 0, 2])

  let x = ops.embed(EMBEDDING, inputs.ids)
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}`
    const h = norm(x, `${at}.input_layernorm`)
    const [q, k, v] = project(h, at, ATTENTION_IN)
    const attended = inputs.attention(
      layer,
      byHead(ops.rotate(q!, inputs.positions, heads * headDim, false), group * headDim),
      byHead(ops.rotate(k!, inputs.positions, kvHeads * headDim, false), headDim),
      byHead(v!, headDim),
    )
    const byToken = ops.transpose(attended, [1, 0, 2])
    const merged = ops.reshape(byToken, [-1, heads * headDim], [-1, kvHeads, group * headDim])
    const [o] = project(merged, at, ATTENTION_OUT)
    x = ops.add(x, o!)

    const m = norm(x, `${at}.post_attention_layernorm`)
    const [gate, up] = project(m, at, MLP_IN)
    const [down] = project(ops.mul(ops.silu(gate!), up!), at, MLP_OUT)
    x = ops.add(x, down!)
  }
  const picked = ops.rows(x, inputs.rows)
  const out = norm(picked, 'model.norm')
  return ops.linear(out, config.tiedEmbeddings ? EMBEDDING : HEAD)
}

/** Stretches of queries, each of which meets the keys up to its own end only: what comes later is hidden anyway. */
const STRETCHES = 2
/** Parts of a stretch that run side by side: key heads alone (three, say) do not fill the threads evenly. */
const PARTS = 2
/** Full attention takes tokens by multiples of this. */
export const ATTENTION_GRAIN = STRETCHES * PARTS

/** Attention over the tokens given, by an additive mask [1, ATTENTION_GRAIN, group · N / ATTENTION_GRAIN, N]. */
export function fullAttention<T>(ops: Ops<T>, { heads, kvHeads, headDim }: ModelConfig, mask: T): Attention<T> {
  const width = (heads / kvHeads) * headDim
  const upTo = (pieces: readonly T[], axis: number) => pieces.map((_, i) => ops.concat(pieces.slice(0, i + 1), axis))
  const masks = ops.split(mask, 1, STRETCHES).map((rows, i) => upTo(ops.split(rows, 3, STRETCHES), 3)[i]!)
  return (_layer, q, k, v) => {
    const keys = upTo(ops.split(k, 1, STRETCHES), 1)
    const values = upTo(ops.split(v, 1, STRETCHES), 1)
    const stretches = ops.split(q, 1, STRETCHES).map((queries, i) => {
      const { y } = ops.attend(
        ops.reshape(queries, [kvHeads, PARTS, -1, headDim], [kvHeads, -1, width]),
        ops.reshape(keys[i]!, [kvHeads, 1, -1, headDim], [kvHeads, -1, headDim]),
        ops.reshape(values[i]!, [kvHeads, 1, -1, headDim], [kvHeads, -1, headDim]),
        masks[i]!,
        1 / Math.sqrt(headDim),
      )
      return ops.reshape(y, [kvHeads, -1, width], [kvHeads, PARTS, -1, headDim])
    })
    return ops.concat(stretches, 1)
  }
}

export interface CacheInputs<T> {
  /** Keys and values of earlier tokens, one pair a layer. [kvHeads, capacity, headDim] */
  readonly keys: readonly T[]
  readonly values: readonly T[]
  /** 0 where a token's own past is, very negative elsewhere. [1, 1 or N · group, capacity] */
  readonly pastMask: T
  /** Additive, for the new tokens among themselves. [1, N · group, N] */
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
  const { heads, kvHeads, headDim } = config
  const width = (heads / kvHeads) * headDim
  const scale = 1 / Math.sqrt(headDim)
  return (layer, queries, k, v) => {
    cache.emit(layer, k, v)
    // Query heads that share a key head become extra rows, so that attention is one product per key head.
    const q = ops.reshape(queries, [kvHeads, -1, headDim], [kvHeads, -1, width])
    const past = ops.add(ops.matmul(q, cache.keys[layer]!, { transposeB: true, scale }), cache.pastMask)
    const fresh = ops.add(ops.matmul(q, k, { transposeB: true, scale }), cache.mask)
    const [p, f] = ops.split(ops.softmax(ops.concat([past, fresh], 2)), 2, 2, cache.lengths)
    const y = ops.add(ops.matmul(p!, cache.values[layer]!), ops.matmul(f!, v))
    return ops.reshape(y, [kvHeads, -1, width], [kvHeads, -1, headDim])
  }
}

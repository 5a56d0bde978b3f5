import { corrupt, unsupported } from './bytes.ts'

/** The shape of a network of the Llama family. */
export interface ModelConfig {
  readonly architecture: 'llama'
  readonly vocabSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly intermediateSize: number
  readonly ropeTheta: number
  readonly normEps: number
  /** The output head is the embedding; there is no `lm_head.weight`. */
  readonly tiedEmbeddings: boolean
  /** Tokens. */
  readonly contextLength: number
}

/** By how much each pair of a head's elements turns at each position, in radians. [positions, headDim / 2] */
export function rotaryAngles({ headDim, ropeTheta }: ModelConfig, positions: number): Float64Array {
  const half = headDim / 2
  const angle = (_: unknown, i: number) => Math.floor(i / half) * ropeTheta ** (-(i % half) / half)
  return Float64Array.from({ length: positions * half }, angle)
}

type Fields = Readonly<Record<string, unknown>>

/** Far above any model this network can run; keeps a hostile header from asking for the memory of one. */
const LIMITS = { vocabSize: 1 << 20, hiddenSize: 1 << 16, intermediateSize: 1 << 18, layers: 1024, heads: 1024 }

/** Reads config.json of a Hugging Face folder. Throws MODEL_UNSUPPORTED, MODEL_CORRUPT. */
export function configFromJson(json: Fields, file: string): ModelConfig {
  if (json.model_type !== 'llama') {
    throw unsupported(file, `its architecture is ${word(json.model_type)}, not llama`)
  }
  if (json.attention_bias === true || json.mlp_bias === true) throw unsupported(file, 'its layers have biases')
  if (json.hidden_act !== undefined && json.hidden_act !== 'silu') {
    throw unsupported(file, `its activation is ${word(json.hidden_act)}, not silu`)
  }
  const rope = { ...fields(json.rope_scaling), ...fields(json.rope_parameters) }
  const scaling = rope.rope_type ?? rope.type ?? 'default'
  if (scaling !== 'default') throw unsupported(file, `its rotary positions are scaled (${word(scaling)})`)
  const heads = count(json.num_attention_heads)
  return checked(file, {
    architecture: 'llama',
    vocabSize: count(json.vocab_size),
    hiddenSize: count(json.hidden_size),
    layers: count(json.num_hidden_layers),
    heads,
    kvHeads: json.num_key_value_heads == null ? heads : count(json.num_key_value_heads),
    headDim: json.head_dim == null ? count(json.hidden_size) / heads : count(json.head_dim),
    intermediateSize: count(json.intermediate_size),
    ropeTheta: count(json.rope_theta ?? rope.rope_theta ?? 10_000),
    normEps: count(json.rms_norm_eps ?? 1e-6),
    tiedEmbeddings: json.tie_word_embeddings === true,
    contextLength: count(json.max_position_embeddings ?? 2048),
  })
}

/** Reads the metadata of a GGUF file. Throws MODEL_UNSUPPORTED, MODEL_CORRUPT. */
export function configFromGguf(metadata: ReadonlyMap<string, unknown>, vocabSize: number, tied: boolean, file: string) {
  const architecture = metadata.get('general.architecture')
  if (architecture !== 'llama') throw unsupported(file, `its architecture is ${word(architecture)}, not llama`)
  const get = (key: string) => metadata.get(`llama.${key}`)
  const scaling = get('rope.scaling.type') ?? 'none'
  if (scaling !== 'none') throw unsupported(file, `its rotary positions are scaled (${word(scaling)})`)
  if (count(get('expert_count') ?? 0) > 0) throw unsupported(file, 'it is a mixture of experts')
  const heads = count(get('attention.head_count'))
  const headDim = count(get('attention.key_length') ?? count(get('embedding_length')) / heads)
  if ((get('attention.value_length') ?? headDim) !== headDim || (get('rope.dimension_count') ?? headDim) !== headDim) {
    throw unsupported(file, 'its heads have parts of different sizes')
  }
  return checked(file, {
    architecture: 'llama',
    vocabSize,
    hiddenSize: count(get('embedding_length')),
    layers: count(get('block_count')),
    heads,
    kvHeads: count(get('attention.head_count_kv') ?? heads),
    headDim,
    intermediateSize: count(get('feed_forward_length')),
    ropeTheta: count(get('rope.freq_base') ?? 10_000),
    normEps: shortest(count(get('attention.layer_norm_rms_epsilon'))),
    tiedEmbeddings: tied,
    contextLength: count(get('context_length')),
  })
}

/** Every weight the network needs, with its shape. */
export function weightShapes(config: ModelConfig): ReadonlyMap<string, readonly number[]> {
  const { vocabSize, hiddenSize, heads, kvHeads, headDim, intermediateSize } = config
  const shapes = new Map<string, readonly number[]>([['model.embed_tokens.weight', [vocabSize, hiddenSize]]])
  for (let layer = 0; layer < config.layers; layer++) {
    const add = (name: string, ...shape: number[]) => shapes.set(`model.layers.${layer}.${name}.weight`, shape)
    add('input_layernorm', hiddenSize)
    add('self_attn.q_proj', heads * headDim, hiddenSize)
    add('self_attn.k_proj', kvHeads * headDim, hiddenSize)
    add('self_attn.v_proj', kvHeads * headDim, hiddenSize)
    add('self_attn.o_proj', hiddenSize, heads * headDim)
    add('post_attention_layernorm', hiddenSize)
    add('mlp.gate_proj', intermediateSize, hiddenSize)
    add('mlp.up_proj', intermediateSize, hiddenSize)
    add('mlp.down_proj', hiddenSize, intermediateSize)
  }
  shapes.set('model.norm.weight', [hiddenSize])
  if (!config.tiedEmbeddings) shapes.set('lm_head.weight', [vocabSize, hiddenSize])
  return shapes
}

const GGUF_NAMES: Readonly<Record<string, string>> = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
}

/** The Hugging Face name of a GGUF tensor, or null where this network has none. */
export function nameFromGguf(name: string): string | null {
  const [, layer, part = ''] = /^(?:blk\.(\d+)\.)?(\w+)\.weight$/.exec(name) ?? []
  const known = Object.hasOwn(GGUF_NAMES, part) ? GGUF_NAMES[part] : undefined
  if (known === undefined) return null
  return layer === undefined ? `${known}.weight` : `model.layers.${Number(layer)}.${known}.weight`
}

/** NaN for anything but a finite number, so that `checked` has one thing to look for. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function word(value: unknown): string {
  return typeof value === 'string' && /^[\w.-]{1,40}$/.test(value) ? value : 'unknown'
}

/** 1e-5 stored as a float reads 0.00000999…; the decimal it was written as is the one the model was trained with. */
function shortest(value: number): number {
  return Number(value.toPrecision(7))
}

function checked(file: string, config: ModelConfig): ModelConfig {
  const { ropeTheta, normEps, architecture: _, tiedEmbeddings: __, ...sizes } = config
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || size < 1) throw corrupt(file, `its ${name} is not a positive whole number`)
  }
  for (const [name, limit] of Object.entries(LIMITS)) {
    if (sizes[name as keyof typeof LIMITS] > limit) throw corrupt(file, `its ${name} is over ${limit}`)
  }
  if (!(ropeTheta > 0)) throw corrupt(file, 'its ropeTheta is not positive')
  if (!(normEps >= 0 && normEps < 1)) throw corrupt(file, 'its normEps is not between 0 and 1')
  if (config.heads % config.kvHeads !== 0) throw corrupt(file, 'its heads are not a multiple of its kvHeads')
  if (config.headDim % 2 !== 0) throw corrupt(file, 'its headDim is odd')
  return config
}

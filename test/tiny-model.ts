import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ModelConfig, weightShapes } from '../core/model/architecture.ts'

/** A whole model small enough to write out in every test: 256 byte tokens, a few merges, two layers. */
export const tinyConfig: ModelConfig = {
  architecture: 'llama',
  vocabSize: 264,
  hiddenSize: 64,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 32,
  intermediateSize: 96,
  ropeTheta: 10_000,
  normEps: 1e-5,
  tiedEmbeddings: true,
  contextLength: 128,
}

export const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

const SPECIALS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const MERGES = ['Ġ t', 'h e', 'i n', 'Ġt he', 'a b']

/** The byte-level alphabet in GPT-2's order. */
const ALPHABET = (() => {
  const printable = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++))
})()

export const tinyTokens = [...SPECIALS, ...ALPHABET, ...MERGES.map((merge) => merge.replace(' ', ''))]

/** Weights under their Hugging Face names, the same for the same seed. */
export function tinyWeights(seed = 1): Map<string, { shape: readonly number[]; values: Float32Array }> {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648 - 0.5
  }
  return new Map(
    [...weightShapes(tinyConfig)].map(([name, shape]) => [
      name,
      { shape, values: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, random) },
    ]),
  )
}

type Weights = ReturnType<typeof tinyWeights>

export function safetensorsBytes(weights: Weights): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  let offset = 0
  for (const [name, { shape, values }] of weights) {
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + values.byteLength] }
    offset += values.byteLength
  }
  return safetensorsFile(JSON.stringify(header), ...[...weights.values()].map(({ values }) => bytesOf(values)))
}

export function safetensorsFile(header: string, ...data: readonly Uint8Array[]): Uint8Array {
  const text = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...data])
}

/** What belongs to a Hugging Face folder beside the weights: file name → JSON. */
export function folderFiles(): Record<string, unknown> {
  return {
    'config.json': {
      model_type: 'llama',
      vocab_size: tinyConfig.vocabSize,
      hidden_size: tinyConfig.hiddenSize,
      num_hidden_layers: tinyConfig.layers,
      num_attention_heads: tinyConfig.heads,
      num_key_value_heads: tinyConfig.kvHeads,
      intermediate_size: tinyConfig.intermediateSize,
      rope_theta: tinyConfig.ropeTheta,
      rms_norm_eps: tinyConfig.normEps,
      tie_word_embeddings: true,
      max_position_embeddings: tinyConfig.contextLength,
      hidden_act: 'silu',
    },
    'tokenizer.json': {
      added_tokens: SPECIALS.map((content, id) => ({ id, content, special: true, normalized: false })),
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Digits', individual_digits: true },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
        ],
      },
      decoder: { type: 'ByteLevel' },
      model: { type: 'BPE', vocab: Object.fromEntries(tinyTokens.map((token, id) => [token, id])), merges: MERGES },
    },
    'tokenizer_config.json': { eos_token: '<|im_end|>', bos_token: '<|im_start|>', chat_template: CHAT_TEMPLATE },
    'generation_config.json': { eos_token_id: 2 },
  }
}

export function writeFolder(folder: string, weights: Weights = tinyWeights()): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, json] of Object.entries(folderFiles())) writeFileSync(join(folder, name), JSON.stringify(json))
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(weights))
  return folder
}

interface GgufTensor {
  readonly name: string
  readonly shape: readonly number[]
  /** GGUF's number of the type: 0 F32, 1 F16, 2 Q4_0, 3 Q4_1, 8 Q8_0, 30 BF16. */
  readonly type: number
  readonly data: Uint8Array
}

type GgufEntry = readonly [key: string, value: string | number | readonly string[] | readonly number[]]

const GGUF_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^model\.embed_tokens/, 'token_embd'],
  [/^model\.norm/, 'output_norm'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/input_layernorm/, 'attn_norm'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/post_attention_layernorm/, 'ffn_norm'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
]

/** The tiny model's metadata as a GGUF file has it. */
export function ggufMetadata(): GgufEntry[] {
  return [
    ['general.architecture', 'llama'],
    ['general.license', 'apache-2.0'],
    ['llama.block_count', tinyConfig.layers],
    ['llama.context_length', tinyConfig.contextLength],
    ['llama.embedding_length', tinyConfig.hiddenSize],
    ['llama.feed_forward_length', tinyConfig.intermediateSize],
    ['llama.attention.head_count', tinyConfig.heads],
    ['llama.attention.head_count_kv', tinyConfig.kvHeads],
    ['llama.attention.layer_norm_rms_epsilon', tinyConfig.normEps],
    ['llama.rope.freq_base', tinyConfig.ropeTheta],
    ['tokenizer.ggml.model', 'gpt2'],
    ['tokenizer.ggml.pre', 'smollm'],
    ['tokenizer.ggml.tokens', tinyTokens],
    ['tokenizer.ggml.token_type', tinyTokens.map((_, id) => (id < SPECIALS.length ? 3 : 1))],
    ['tokenizer.ggml.merges', MERGES],
    ['tokenizer.ggml.eos_token_id', 2],
    ['tokenizer.chat_template', CHAT_TEMPLATE],
  ]
}

/** The tiny model's tensors, float32, with q and k rows interleaved as GGUF keeps them. */
export function ggufTensors(weights: Weights = tinyWeights()): GgufTensor[] {
  return [...weights].map(([name, { shape, values }]) => {
    const heads = name.includes('q_proj') ? tinyConfig.heads : name.includes('k_proj') ? tinyConfig.kvHeads : 0
    return {
      name: GGUF_NAMES.reduce((text, [from, to]) => text.replace(from, to), name),
      shape,
      type: 0,
      data: bytesOf(heads ? interleave(values, heads, shape[0]!) : values),
    }
  })
}

/** Row i of the first half of a head goes to 2i, row i of the second to 2i + 1. */
function interleave(values: Float32Array, heads: number, rows: number): Float32Array {
  const columns = values.length / rows
  const half = rows / heads / 2
  const result = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    const head = Math.floor(row / (2 * half))
    const inHead = row % (2 * half)
    const to = head * 2 * half + (inHead < half ? 2 * inHead : 2 * (inHead - half) + 1)
    result.set(values.subarray(row * columns, (row + 1) * columns), to * columns)
  }
  return result
}

export function ggufBytes(
  metadata: readonly GgufEntry[] = ggufMetadata(),
  tensors: readonly GgufTensor[] = ggufTensors(),
  version = 3,
): Uint8Array {
  const parts: Buffer[] = []
  const u32 = (value: number) => parts.push(Buffer.from(Uint32Array.of(value).buffer))
  const u64 = (value: number) => parts.push(Buffer.from(BigUint64Array.of(BigInt(value)).buffer))
  const text = (value: string) => {
    u64(Buffer.byteLength(value))
    parts.push(Buffer.from(value))
  }
  const scalar = (value: string | number) => {
    if (typeof value === 'string') text(value)
    else if (Number.isInteger(value)) u32(value)
    else parts.push(Buffer.from(Float32Array.of(value).buffer))
  }
  const typeOf = (value: string | number) => (typeof value === 'string' ? 8 : Number.isInteger(value) ? 4 : 6)
  parts.push(Buffer.from('GGUF'))
  u32(version)
  u64(tensors.length)
  u64(metadata.length)
  for (const [key, value] of metadata) {
    text(key)
    if (typeof value === 'string' || typeof value === 'number') {
      u32(typeOf(value))
      scalar(value)
      continue
    }
    u32(9)
    u32(typeOf(value[0] ?? 0))
    u64(value.length)
    for (const element of value) scalar(element)
  }
  let offset = 0
  const padded = (size: number) => Math.ceil(size / 32) * 32
  for (const { name, shape, type, data } of tensors) {
    text(name)
    u32(shape.length)
    for (const size of shape.toReversed()) u64(size)
    u32(type)
    u64(offset)
    offset += padded(data.length)
  }
  const header = Buffer.concat(parts)
  const body = tensors.map(({ data }) => Buffer.concat([data], padded(data.length)))
  return Buffer.concat([Buffer.concat([header], padded(header.length)), ...body])
}

export function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

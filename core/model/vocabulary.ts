import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { corrupt, unsupported } from './bytes.ts'
import type { GgufValue } from './gguf.ts'

/** A token whose text is found in the input before anything else is tokenized. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  /** A control token: never part of what a person says. */
  readonly special: boolean
}

/** What a tokenizer is made of, wherever it was stored. */
export interface Vocabulary {
  /** Token text in the byte-level alphabet → id. */
  readonly vocab: Readonly<Record<string, number>>
  readonly merges: readonly (string | readonly string[])[]
  readonly ignoreMerges: boolean
  readonly addedTokens: readonly AddedToken[]
  /** In the notation of tokenizer.json. */
  readonly preTokenizer: object
  readonly normalizer: object | null
  readonly chatTemplate: string
  readonly bosToken: string | null
  readonly eosToken: string | null
  /** Ids that the model's files say end a reply. */
  readonly endIds: readonly number[]
}

type Json = Readonly<Record<string, unknown>>

/** What `tokenizer.ggml.pre` stands for. */
const PRE_TOKENIZERS: Readonly<Record<string, object>> = {
  smollm: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    ],
  },
}

const GGUF_CONTROL = 3
const GGUF_USER_DEFINED = 4

/** The tokenizer inside a GGUF file's metadata. Throws MODEL_CORRUPT, MODEL_UNSUPPORTED. */
export function vocabularyFromGguf(metadata: ReadonlyMap<string, GgufValue>, file: string): Vocabulary {
  const get = (key: string) => metadata.get(`tokenizer.${key}`)
  const kind = get('ggml.model')
  if (kind !== 'gpt2') throw unsupported(file, 'its tokenizer is not byte-level BPE')
  const pre = get('ggml.pre')
  const preTokenizer = typeof pre === 'string' && Object.hasOwn(PRE_TOKENIZERS, pre) ? PRE_TOKENIZERS[pre] : undefined
  if (!preTokenizer) throw unsupported(file, 'its pre-tokenizer is not known')
  const tokens = texts(get('ggml.tokens'), file, 'its tokens')
  const types = get('ggml.token_type')
  const template = get('chat_template')
  if (typeof template !== 'string') throw unsupported(file, 'it has no chat template')
  const idOf = (key: string): number | null => {
    const id = get(`ggml.${key}_token_id`)
    return typeof id === 'number' && id in tokens ? id : null
  }
  const textOf = (key: string) => tokens[idOf(key) ?? -1] ?? null
  const vocab: Record<string, number> = Object.create(null)
  const addedTokens: AddedToken[] = []
  for (const [id, content] of tokens.entries()) {
    if (content in vocab) throw corrupt(file, 'its vocabulary has a token twice')
    vocab[content] = id
    const type = Array.isArray(types) ? types[id] : undefined
    if (type === GGUF_CONTROL || type === GGUF_USER_DEFINED) {
      addedTokens.push({ id, content, special: type === GGUF_CONTROL })
    }
  }
  return {
    vocab,
    merges: texts(get('ggml.merges'), file, 'its merges'),
    ignoreMerges: false,
    addedTokens,
    preTokenizer,
    normalizer: null,
    chatTemplate: template,
    bosToken: textOf('bos'),
    eosToken: textOf('eos'),
    endIds: ['eos', 'eot'].map(idOf).filter((id) => id !== null),
  }
}

/** The tokenizer of a Hugging Face folder. Throws MODEL_CORRUPT, MODEL_UNSUPPORTED. */
export function vocabularyFromFolder(folder: string): Vocabulary {
  const tokenizer = readJson(folder, 'tokenizer.json')
  const config = readJson(folder, 'tokenizer_config.json')
  const generation = readJson(folder, 'generation_config.json', {})
  const model = object(tokenizer.model)
  const vocab = object(model.vocab) as Record<string, number>
  if ((model.type ?? 'BPE') !== 'BPE' || object(tokenizer.decoder).type !== 'ByteLevel') {
    throw unsupported('tokenizer.json', 'it is not byte-level BPE')
  }
  if (!Array.isArray(model.merges) || !Object.values(vocab).every(Number.isSafeInteger)) {
    throw corrupt('tokenizer.json', 'its vocabulary or its merges are not there')
  }
  const addedTokens = list(tokenizer.added_tokens).map((token): AddedToken => {
    const { id, content, special } = token
    if (typeof id !== 'number' || typeof content !== 'string' || content === '') {
      throw corrupt('tokenizer.json', 'an added token has no id or no text')
    }
    const plain = !token.lstrip && !token.rstrip && !token.single_word
    if (!plain || (token.normalized && tokenizer.normalizer)) {
      throw unsupported('tokenizer.json', 'an added token takes its surroundings with it')
    }
    return { id, content, special: special === true }
  })
  const idOf = (text: string | null) =>
    text === null ? undefined : (addedTokens.find(({ content }) => content === text)?.id ?? vocab[text])
  const eosToken = tokenText(config.eos_token)
  const ends = [generation.eos_token_id, idOf(eosToken)].flat()
  return {
    vocab,
    merges: model.merges,
    ignoreMerges: model.ignore_merges === true,
    addedTokens,
    preTokenizer: object(tokenizer.pre_tokenizer),
    normalizer: (tokenizer.normalizer as object | null | undefined) ?? null,
    chatTemplate: chatTemplate(folder, config),
    bosToken: tokenText(config.bos_token),
    eosToken,
    endIds: [...new Set(ends.filter((id): id is number => typeof id === 'number'))],
  }
}

function chatTemplate(folder: string, config: Json): string {
  const own = readText(folder, 'chat_template.jinja')
  if (own !== null) return own
  const template = config.chat_template
  if (typeof template === 'string') return template
  const named = list(template).find((entry) => entry.name === 'default')?.template
  if (typeof named !== 'string') throw unsupported('tokenizer_config.json', 'it has no chat template')
  return named
}

function readText(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return null
  }
}

/** Parses a file of a model folder; `missing` stands in where it may be left out. Throws MODEL_CORRUPT. */
export function readJson(folder: string, name: string, missing?: Json): Json {
  const text = readText(folder, name)
  if (text === null) {
    if (missing) return missing
    throw corrupt(name, 'the file is not there')
  }
  try {
    return object(JSON.parse(text))
  } catch (error) {
    throw corrupt(name, 'it is not JSON', error)
  }
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object) : []
}

/** Special tokens are written as text or as an added token. */
function tokenText(value: unknown): string | null {
  const text = typeof value === 'string' ? value : object(value).content
  return typeof text === 'string' ? text : null
}

function texts(value: GgufValue | undefined, file: string, what: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) {
    throw corrupt(file, `${what} are not there`)
  }
  return value
}

import { Template } from '@huggingface/jinja'
import { Tokenizer } from '@huggingface/tokenizers'
import { ClawError, reason } from '../errors.ts'
import type { ChatMessage } from '../types.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface ModelTokenizer {
  /** Special tokens in the text are parsed, none are added. Only for text that is trusted. */
  encode(text: string): number[]
  decode(ids: readonly number[], options?: { readonly skipSpecial?: boolean }): string
  /** Decodes token by token, special tokens left out. */
  stream(): TokenStream
  /** Ids that end a reply. */
  readonly endOfTurn: ReadonlySet<number>
  /** The conversation through the model's chat template, ready for the reply. Throws REQUEST_INVALID. */
  prompt(messages: readonly ChatMessage[]): number[]
  /** What `prompt` encodes, as text. Throws REQUEST_INVALID. */
  template(messages: readonly ChatMessage[]): string
}

export interface TokenStream {
  /** The text that became certain with this token: never a part of a character. */
  push(id: number): string
  /** The rest; a character left incomplete becomes U+FFFD. */
  end(): string
}

/** Ends of a turn that a chat model may sample whether its files name them or not. */
const END_TOKENS = new Set(['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|end_of_text|>'])

const utf8 = new TextEncoder()

export function createTokenizer(vocabulary: Vocabulary): ModelTokenizer {
  const { addedTokens } = vocabulary
  const plain = createPlainEncoder(vocabulary)
  const added = new Map(addedTokens.map(({ content, id }) => [content, id]))
  const specialIds = new Set(addedTokens.filter(({ special }) => special).map(({ id }) => id))
  const anyAdded = alternation(addedTokens.map(({ content }) => content))
  const anySpecial = alternation(addedTokens.filter(({ special }) => special).map(({ content }) => content))
  const bytesOf = createByteTable(vocabulary)
  const chat = new Template(vocabulary.chatTemplate)

  /** Cuts at added tokens, as Hugging Face does; what is between goes through `restore` and is plain text. */
  function encode(text: string, restore: (text: string) => string): number[] {
    const ids: number[] = []
    let done = 0
    for (const match of text.matchAll(anyAdded)) {
      if (match.index > done) append(ids, plain(restore(text.slice(done, match.index))))
      ids.push(added.get(match[0])!)
      done = match.index + match[0].length
    }
    if (done < text.length) append(ids, plain(restore(text.slice(done))))
    return ids
  }

  function template(messages: readonly ChatMessage[]): string {
    try {
      return chat.render({
        messages: messages.map(({ role, content }) => ({ role, content })),
        add_generation_prompt: true,
        bos_token: vocabulary.bosToken ?? '',
        eos_token: vocabulary.eosToken ?? '',
      })
    } catch (error) {
      throw new ClawError('REQUEST_INVALID', `The model's chat template refuses this conversation: ${reason(error)}`, {
        remedy: 'Begin with the system message, if any, and alternate user and assistant.',
        cause: error,
      })
    }
  }

  return {
    encode: (text) => encode(text, (plainText) => plainText),
    template,
    // A control token in what somebody said is broken with a mark before the template sees it, and the mark is
    // taken out again once the text is cut at the template's own control tokens. So it stays what it is: text.
    prompt(messages) {
      const mark = unusedCharacter([vocabulary.chatTemplate, ...messages.map(({ content }) => content)])
      const guarded = messages.map(({ role, content }) => ({ role, content: breakTokens(content, anySpecial, mark) }))
      return encode(template(guarded), (text) => text.replaceAll(mark, ''))
    },
    decode(ids, { skipSpecial = false } = {}) {
      const decoder = createDecoder()
      const kept = skipSpecial ? ids.filter((id) => !specialIds.has(id)) : ids
      return kept.map((id) => decoder.decode(bytesOf(id), { stream: true })).join('') + decoder.decode()
    },
    stream() {
      const decoder = createDecoder()
      return {
        push: (id) => (specialIds.has(id) ? '' : decoder.decode(bytesOf(id), { stream: true })),
        end: () => decoder.decode(),
      }
    },
    endOfTurn: new Set([
      ...vocabulary.endIds,
      ...addedTokens.filter(({ special, content }) => special && END_TOKENS.has(content)).map(({ id }) => id),
    ]),
  }
}

/** Encodes text in which nothing is special: the control tokens are not even in its vocabulary. */
function createPlainEncoder(vocabulary: Vocabulary): (text: string) => number[] {
  const vocab = { ...vocabulary.vocab }
  for (const { content, special } of vocabulary.addedTokens) if (special) delete vocab[content]
  const tokenizer = new Tokenizer(
    {
      model: { type: 'BPE', vocab, merges: vocabulary.merges, ignore_merges: vocabulary.ignoreMerges },
      pre_tokenizer: preciseUnicode(vocabulary.preTokenizer),
      normalizer: vocabulary.normalizer,
      post_processor: null,
      decoder: null,
      added_tokens: [],
    },
    {},
  )
  return (text) => tokenizer.encode(text).ids
}

const BYTE_LEVEL_PATTERN = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

/**
 * The same pre-tokenizer, written so that the library follows Hugging Face's Unicode: its `Digits` knows ASCII only,
 * its `ByteLevel` has JavaScript's idea of white space (U+FEFF but not U+0085), its `Split` translates patterns.
 */
function preciseUnicode(node: object): object {
  const { type, pretokenizers, individual_digits, use_regex } = node as Record<string, unknown>
  const split = (pattern: string) => ({
    type: 'Split',
    pattern: { Regex: pattern },
    behavior: 'Isolated',
    invert: false,
  })
  if (Array.isArray(pretokenizers)) return { ...node, pretokenizers: pretokenizers.map(preciseUnicode) }
  if (type === 'Digits') return split(individual_digits ? '\\p{N}' : '\\p{N}+')
  if (type !== 'ByteLevel' || use_regex === false) return node
  return { type: 'Sequence', pretokenizers: [split(BYTE_LEVEL_PATTERN), { ...node, use_regex: false }] }
}

/** Bytes of each token: its text as it is where it is an added token, else the byte-level alphabet undone. */
function createByteTable({ vocab, addedTokens }: Vocabulary): (id: number) => Uint8Array {
  const byteOf = byteLevelAlphabet()
  const texts: string[] = []
  for (const [text, id] of Object.entries(vocab)) texts[id] = text
  const table: Uint8Array[] = []
  for (const { id, content } of addedTokens) table[id] = utf8.encode(content)
  return (id) => {
    table[id] ??= bytes(texts[id] ?? '')
    return table[id]
  }

  function bytes(text: string): Uint8Array {
    const codes = Array.from(text, (character) => byteOf.get(character))
    return codes.every((code) => code !== undefined) ? Uint8Array.from(codes) : utf8.encode(text)
  }
}

/** GPT-2's alphabet: printable Latin-1 stands for itself, the other bytes for the characters from U+0100 on. */
function byteLevelAlphabet(): ReadonlyMap<string, number> {
  const printable = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
  let next = 0x100
  return new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(printable(byte) ? byte : next++), byte]))
}

function createDecoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

/** Matches the leftmost, longest of the texts; nothing where there are none. */
function alternation(texts: readonly string[]): RegExp {
  const ordered = texts.toSorted((a, b) => b.length - a.length)
  return new RegExp(ordered.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|') || '(?!)', 'g')
}

/** Puts the mark after the first character of every control token, until none is left. */
function breakTokens(content: string, tokens: RegExp, mark: string): string {
  const broken = content.replace(tokens, (token) => token.slice(0, 1) + mark + token.slice(1))
  return broken === content ? content : breakTokens(broken, tokens, mark)
}

/** A private-use character that none of the texts contains. */
function unusedCharacter(texts: readonly string[]): string {
  for (let code = 0xe000; code <= 0xf8ff; code++) {
    const character = String.fromCharCode(code)
    if (!texts.some((text) => text.includes(character))) return character
  }
  throw new ClawError('REQUEST_INVALID', 'The conversation uses every private-use character', {
    remedy: 'Send plain text.',
  })
}

function append(ids: number[], more: readonly number[]): void {
  for (const id of more) ids.push(id)
}

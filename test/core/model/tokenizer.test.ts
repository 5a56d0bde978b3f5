import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFile } from '../../../core/model/bytes.ts'
import { readGguf } from '../../../core/model/gguf.ts'
import { createTokenizer, type ModelTokenizer } from '../../../core/model/tokenizer.ts'
import { type Vocabulary, vocabularyFromFolder, vocabularyFromGguf } from '../../../core/model/vocabulary.ts'
import type { ChatMessage } from '../../../core/types.ts'
import { realModel } from '../../real-model.ts'
import { ggufMetadata, tinyTokens } from '../../tiny-model.ts'

interface Golden {
  /** `decoded` where the text does not come back from its ids. */
  readonly strings: readonly [text: string, ids: number[], decoded?: string][]
  readonly conversations: readonly [messages: ChatMessage[], ids: number[]][]
}

const readGolden = (name: string) => JSON.parse(readFileSync(new URL(`../../golden/${name}`, import.meta.url), 'utf8'))
const golden: Golden = readGolden('tokenizer.json')
const replies: readonly { messages: ChatMessage[]; prompt: number[] }[] = readGolden('logprobs.json')

const tinyVocabulary = vocabularyFromGguf(new Map(ggufMetadata()), 'tiny')
const tiny = createTokenizer(tinyVocabulary)

function realVocabulary(path: string): Vocabulary {
  if (!path.endsWith('.gguf')) return vocabularyFromFolder(path)
  const file = openFile(path)
  try {
    return vocabularyFromGguf(readGguf(file).metadata, file.name)
  } finally {
    file.close()
  }
}

/** The same vocabulary by way of the files of a Hugging Face folder. */
function throughFolder(vocabulary: Vocabulary): Vocabulary {
  const folder = mkdtempSync(join(tmpdir(), 'claw-tokenizer-'))
  const write = (name: string, json: unknown) => writeFileSync(join(folder, name), JSON.stringify(json))
  const { vocab, merges, addedTokens, preTokenizer: pre_tokenizer, chatTemplate, bosToken, eosToken } = vocabulary
  write('tokenizer.json', {
    model: { type: 'BPE', vocab, merges },
    pre_tokenizer,
    normalizer: null,
    decoder: { type: 'ByteLevel' },
    added_tokens: addedTokens,
  })
  write('tokenizer_config.json', { bos_token: bosToken, eos_token: { content: eosToken } })
  writeFileSync(join(folder, 'chat_template.jinja'), chatTemplate)
  try {
    return vocabularyFromFolder(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.skipIf(!realModel?.endsWith('.gguf'))('against Hugging Face', () => {
  test.each([
    ['as pulled', (vocabulary: Vocabulary) => vocabulary],
    ['by way of a folder', throughFolder],
  ])('the real tokenizer, %s, gives the same ids, texts and prompts', (_, through) => {
    const tokenizer = createTokenizer(through(realVocabulary(realModel ?? '')))
    const { strings, conversations } = golden
    expect(strings).toHaveLength(2000)
    expect(conversations).toHaveLength(50)
    expect(strings.filter(([text, ids]) => tokenizer.encode(text).join() !== ids.join())).toEqual([])
    expect(strings.filter(([text, ids, decoded = text]) => tokenizer.decode(ids) !== decoded)).toEqual([])
    expect(conversations.filter(([messages, ids]) => tokenizer.prompt(messages).join() !== ids.join())).toEqual([])
    expect(replies.filter(({ messages, prompt }) => tokenizer.prompt(messages).join() !== prompt.join())).toEqual([])
    expect([...tokenizer.endOfTurn].sort()).toEqual([0, 2])
  })
})

describe('decoding', () => {
  const id = fc.nat(tinyTokens.length + 5)

  test('token by token gives what decoding at once gives, for any ids', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 40 }), (ids) => {
        const stream = tiny.stream()
        const text = ids.map((next) => stream.push(next)).join('') + stream.end()
        expect(text).toBe(tiny.decode(ids, { skipSpecial: true }))
      }),
    )
  })

  test('any text comes back whole, and no piece of it holds part of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const stream = tiny.stream()
        const pieces = [...tiny.encode(text).map((next) => stream.push(next)), stream.end()]
        expect(pieces.join('')).toBe(text)
        expect(pieces.some((piece) => /[\ud800-\udfff\ufffd]/u.test(piece))).toBe(false)
      }),
    )
  })

  test('waits for the last byte of a character', () => {
    const stream = tiny.stream()
    expect(tiny.encode('👍!').map((next) => stream.push(next))).toEqual(['', '', '', '👍', '!'])
  })

  test('ends an incomplete character with a replacement', () => {
    const stream = tiny.stream()
    for (const next of tiny.encode('👍').slice(0, 3)) stream.push(next)
    expect(stream.end()).toBe('\ufffd')
  })

  test('keeps a byte order mark', () => expect(tiny.decode(tiny.encode('\ufeffa'))).toBe('\ufeffa'))

  test('shows special tokens unless told to skip them', () => {
    const ids = tiny.encode('a<|im_end|>b')
    expect(tiny.decode(ids)).toBe('a<|im_end|>b')
    expect(tiny.decode(ids, { skipSpecial: true })).toBe('ab')
  })
})

describe('encoding', () => {
  test('digits stand alone, and take the space before them from no run', () => {
    const pieces = (text: string) => tiny.encode(text).map((next) => tiny.decode([next]))
    expect(pieces('in 12')).toEqual(['in', ' ', '1', '2'])
    expect(tiny.encode('½').length).toBe(2)
  })

  test('merges the lowest rank first and leftmost', () => {
    const pieces = tiny.encode(' the the ababa').map((next) => tinyTokens[next])
    expect(pieces).toEqual(['Ġthe', 'Ġthe', 'Ġ', 'ab', 'ab', 'a'])
  })

  test('finds the longest of the special tokens that begin at a place', () => {
    const longer = { id: 260, content: '<|im_end|>>', special: true }
    const tokenizer = createTokenizer({ ...tinyVocabulary, addedTokens: [...tinyVocabulary.addedTokens, longer] })
    expect(tokenizer.encode('<|im_end|>><|im_end|>')).toEqual([260, 2])
  })

  test('a lone surrogate is a replacement character, as UTF-8 has it', () => {
    expect(tiny.decode(tiny.encode('a\ud83db'))).toBe('a\ufffdb')
  })
})

describe('prompts', () => {
  test('are the encoded template where nothing in them is special', () => {
    const content = fc.string({ unit: 'grapheme', maxLength: 30 })
    const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
        expect(tiny.prompt(messages)).toEqual(tiny.encode(tiny.template(messages)))
      }),
    )
  })

  test('a conversation that the template refuses is REQUEST_INVALID', () => {
    const strict = withTemplate("{{ raise_exception('Roles must alternate') }}")
    expect(() => strict.prompt([{ role: 'user', content: 'x' }])).toThrowError(
      expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining('Roles must alternate') }),
    )
  })

  test('the template sees the begin and end of text tokens', () => {
    const tokenizer = withTemplate('{{ bos_token }}{{ eos_token }}|')
    expect(tokenizer.template([])).toBe('<|im_end|>|')
  })

  function withTemplate(chatTemplate: string): ModelTokenizer {
    return createTokenizer({ ...tinyVocabulary, chatTemplate })
  }
})

import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openModel } from '../../../core/model/files.ts'
import {
  bytesOf,
  folderFiles,
  ggufBytes,
  ggufMetadata,
  ggufTensors,
  safetensorsBytes,
  safetensorsFile,
  tinyConfig,
  tinyWeights,
  writeFolder,
} from '../../tiny-model.ts'

const root = mkdtempSync(join(tmpdir(), 'claw-files-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
const fresh = (name = '') => join(root, `${count++}${name}`)

function gguf(bytes: Uint8Array): string {
  const path = fresh('.gguf')
  writeFileSync(path, bytes)
  return path
}

const fails = (code: string) => expect.objectContaining({ code, name: 'ClawError' })

describe('openModel', () => {
  const weights = tinyWeights()

  test.each([
    ['a Hugging Face folder', () => writeFolder(fresh(), weights)],
    ['a GGUF file', () => gguf(ggufBytes())],
    ['a GGUF file of version 2', () => gguf(ggufBytes(ggufMetadata(), ggufTensors(), 2))],
  ])('reads %s', async (_, write) => {
    const model = await openModel(write())
    expect({ ...model.config, normEps: 0 }).toEqual({ ...tinyConfig, normEps: 0 })
    expect(model.config.normEps).toBeCloseTo(tinyConfig.normEps, 10)
    expect(model.tensors.names()).toEqual([...weights.keys()])
    for (const [name, { shape, values }] of weights) {
      expect(model.tensors.shape(name)).toEqual(shape)
      expect(Buffer.compare(bytesOf(model.tensors.float32(name)), bytesOf(values))).toBe(0)
      expect(model.tensors.quantised(name)).toBeNull()
    }
    expect(model.quantisation).toBe('F32')
    expect(model.hash).toMatch(/^[0-9a-f]{64}$/)
    expect([...model.tokenizer.endOfTurn].sort()).toEqual([0, 2])
    const ids = model.tokenizer.prompt([{ role: 'user', content: 'in the  12' }])
    expect(model.tokenizer.decode(ids)).toBe('<|im_start|>user\nin the  12<|im_end|>\n<|im_start|>assistant\n')
    await model.close()
  })

  test('gives the same tokens from a folder and from a GGUF file', async () => {
    const [folder, file] = await Promise.all([openModel(writeFolder(fresh())), openModel(gguf(ggufBytes()))])
    for (const text of ['the  inn 42\n\n1. ½ ab<|im_end|>', '', '日本語 ', '\u0085\ufeff x']) {
      expect(file.tokenizer.encode(text)).toEqual(folder.tokenizer.encode(text))
    }
    await Promise.all([folder.close(), file.close()])
  })

  test('keeps quantised rows whole when it puts them into Hugging Face order', async () => {
    // One block a row, all elements the row's number: what comes out says which row it was.
    const rows = tinyConfig.heads * tinyConfig.headDim
    const data = Buffer.alloc(rows * 2 * 34)
    for (let row = 0; row < rows; row++) {
      for (const block of [0, 1]) {
        data.writeUInt16LE(0x3c00, (row * 2 + block) * 34)
        data.fill(row, (row * 2 + block) * 34 + 2, (row * 2 + block + 1) * 34)
      }
    }
    const tensors = ggufTensors().map((tensor) =>
      tensor.name === 'blk.0.attn_q.weight' ? { ...tensor, type: 8, data } : tensor,
    )
    const model = await openModel(gguf(ggufBytes(ggufMetadata(), tensors)))
    const name = 'model.layers.0.self_attn.q_proj.weight'
    const matrix = model.tensors.quantised(name)
    const half = tinyConfig.headDim / 2
    const expected = Array.from({ length: rows }, (_, row) => {
      const inHead = row % tinyConfig.headDim
      return row - inHead + (inHead < half ? 2 * inHead : 2 * (inHead - half) + 1)
    })
    const firsts = expected.map((_, row) => row * 64)
    const floats = model.tensors.float32(name)
    expect(firsts.map((i) => floats[i])).toEqual(expected)
    expect(firsts.map((i) => (matrix?.weights[i] ?? 0) - 128)).toEqual(expected)
    await model.close()
  })

  test.each([
    ['BF16', 30, [0x80, 0x3f, 0x40, 0xc0], [1, -3]],
    ['F16', 1, [0x00, 0x3c, 0x00, 0xc2], [1, -3]],
  ] as const)('widens %s', async (_, type, bytes, expected) => {
    const tensors = ggufTensors().map((tensor) =>
      tensor.name === 'token_embd.weight'
        ? { ...tensor, type, data: Buffer.alloc(264 * 64 * 2, Uint8Array.from(bytes)) }
        : tensor,
    )
    const model = await openModel(gguf(ggufBytes(ggufMetadata(), tensors)))
    expect([...model.tensors.float32('model.embed_tokens.weight').subarray(0, 2)]).toEqual(expected)
    await model.close()
  })

  test('reads shards', async () => {
    const folder = writeFolder(fresh())
    const names = [...weights.keys()]
    const shard = (from: number, to?: number) =>
      safetensorsBytes(new Map([...weights].slice(from, to)) as ReturnType<typeof tinyWeights>)
    const [first, second] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const
    rmSync(join(folder, 'model.safetensors'))
    writeFileSync(join(folder, first), shard(0, 5))
    writeFileSync(join(folder, second), shard(5))
    const weight_map = Object.fromEntries(names.map((name, i) => [name, i < 5 ? first : second]))
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
    const model = await openModel(folder)
    for (const [name, { values }] of weights)
      expect(Buffer.compare(bytesOf(model.tensors.float32(name)), bytesOf(values))).toBe(0)
    await model.close()
    rmSync(join(folder, second))
    await expect(openModel(folder)).rejects.toThrow(fails('MODEL_CORRUPT'))
  })
})

describe('openModel refuses', () => {
  const withConfig = (change: Record<string, unknown>) => {
    const folder = writeFolder(fresh())
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ ...(folderFiles()['config.json'] as object), ...change }),
    )
    return folder
  }
  const withMetadata = (key: string, value: string | number | readonly string[]) =>
    gguf(ggufBytes([...ggufMetadata().filter(([known]) => known !== key), [key, value]]))
  const withWeights = (bytes: Uint8Array) => {
    const folder = writeFolder(fresh())
    writeFileSync(join(folder, 'model.safetensors'), bytes)
    return folder
  }
  const entry = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'

  test.each([
    ['nothing', 'MODEL_MISSING', () => fresh()],
    [
      'a folder without a model',
      'MODEL_MISSING',
      () => {
        const folder = fresh()
        mkdirSync(folder)
        return folder
      },
    ],
    ['another architecture', 'MODEL_UNSUPPORTED', () => withConfig({ model_type: 'mamba' })],
    ['scaled positions', 'MODEL_UNSUPPORTED', () => withConfig({ rope_scaling: { rope_type: 'llama3', factor: 8 } })],
    ['biases', 'MODEL_UNSUPPORTED', () => withConfig({ attention_bias: true })],
    ['no layers', 'MODEL_CORRUPT', () => withConfig({ num_hidden_layers: 0 })],
    ['a billion layers', 'MODEL_CORRUPT', () => withConfig({ num_hidden_layers: 1e9 })],
    ['a size that is no number', 'MODEL_CORRUPT', () => withConfig({ hidden_size: '64' })],
    ['sizes that its tensors do not have', 'MODEL_CORRUPT', () => withConfig({ intermediate_size: 128 })],
    ['another architecture in GGUF', 'MODEL_UNSUPPORTED', () => withMetadata('general.architecture', 'gemma3')],
    ['a tokenizer of another kind', 'MODEL_UNSUPPORTED', () => withMetadata('tokenizer.ggml.model', 'llama')],
    ['an unknown pre-tokenizer', 'MODEL_UNSUPPORTED', () => withMetadata('tokenizer.ggml.pre', 'constructor')],
    ['a broken chat template', 'MODEL_UNSUPPORTED', () => withMetadata('tokenizer.chat_template', '{% for %}')],
    ['a token twice', 'MODEL_CORRUPT', () => withMetadata('tokenizer.ggml.tokens', ['a', 'a'])],
    ['more tokens than embeddings', 'MODEL_CORRUPT', () => withMetadata('tokenizer.ggml.tokens', manyTokens())],
    ['an empty file', 'MODEL_CORRUPT', () => gguf(new Uint8Array())],
    ['another kind of file', 'MODEL_CORRUPT', () => gguf(Buffer.from('PK\u0003\u0004'.repeat(100)))],
    ['GGUF version 1', 'MODEL_UNSUPPORTED', () => gguf(ggufBytes(ggufMetadata(), ggufTensors(), 1))],
    ['a key twice', 'MODEL_CORRUPT', () => gguf(ggufBytes([...ggufMetadata(), ['general.architecture', 'llama']]))],
    ['a tensor twice', 'MODEL_CORRUPT', () => gguf(ggufBytes(ggufMetadata(), [...ggufTensors(), ggufTensors()[0]!]))],
    ['a tensor too few', 'MODEL_CORRUPT', () => gguf(ggufBytes(ggufMetadata(), ggufTensors().slice(0, -1)))],
    [
      'a tensor it does not know',
      'MODEL_UNSUPPORTED',
      () => gguf(ggufBytes(ggufMetadata(), [...ggufTensors(), { ...ggufTensors()[0]!, name: 'rope_freqs.weight' }])),
    ],
    [
      'a quantisation it does not read',
      'MODEL_UNSUPPORTED',
      () => gguf(ggufBytes(ggufMetadata(), [{ ...ggufTensors()[0]!, type: 12 }, ...ggufTensors().slice(1)])),
    ],
    ['a header length beyond the file', 'MODEL_CORRUPT', () => withWeights(Buffer.alloc(64, 0xff))],
    ['a header that is not JSON', 'MODEL_CORRUPT', () => withWeights(safetensorsFile('{"a":'))],
    ['a header that is no object', 'MODEL_CORRUPT', () => withWeights(safetensorsFile('null'))],
    [
      'a name twice',
      'MODEL_CORRUPT',
      () => withWeights(safetensorsFile(`{"a":${entry},"a":${entry}}`, new Uint8Array(4))),
    ],
    ['offsets beyond the file', 'MODEL_CORRUPT', () => withWeights(safetensorsFile(`{"a":${entry}}`))],
    [
      'a shape that is not its bytes',
      'MODEL_CORRUPT',
      () => withWeights(safetensorsFile(`{"a":${entry.replace('[1]', '[9e15,9e15]')}}`, new Uint8Array(4))),
    ],
    ['integers', 'MODEL_UNSUPPORTED', () => withWeights(safetensorsFile(`{"a":${entry.replace('F32', 'I64')}}`))],
    [
      'a folder where a file should be',
      'MODEL_CORRUPT',
      () => {
        const folder = writeFolder(fresh())
        rmSync(join(folder, 'model.safetensors'))
        mkdirSync(join(folder, 'model.safetensors'))
        return folder
      },
    ],
    [
      'an index that leads out of its folder',
      'MODEL_CORRUPT',
      () => {
        const folder = writeFolder(fresh())
        const weight_map = { 'model.norm.weight': '../model.safetensors' }
        writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
        return folder
      },
    ],
    [
      'a folder without a tokenizer',
      'MODEL_CORRUPT',
      () => {
        const folder = writeFolder(fresh())
        rmSync(join(folder, 'tokenizer.json'))
        return folder
      },
    ],
  ] as const)('%s: %s', async (_, code, write) => {
    await expect(openModel(write())).rejects.toThrow(fails(code))
  })

  function manyTokens(): string[] {
    return Array.from({ length: 300 }, (_, id) => `token ${id}`)
  }
})

test('the hash is that of the weights, wherever they lie', async () => {
  const bytes = safetensorsBytes(tinyWeights(7))
  const folder = writeFolder(fresh(), tinyWeights(7))
  const linked = writeFolder(fresh())
  rmSync(join(linked, 'model.safetensors'))
  symlinkSync(join(folder, 'model.safetensors'), join(linked, 'model.safetensors'))
  const copied = writeFolder(fresh())
  copyFileSync(join(folder, 'model.safetensors'), join(copied, 'model.safetensors'))
  const hashes = await Promise.all(
    [folder, linked, copied].map(async (path) => {
      const model = await openModel(path)
      await model.close()
      return model.hash
    }),
  )
  expect(new Set(hashes)).toEqual(new Set([createHash('sha256').update(bytes).digest('hex')]))
})

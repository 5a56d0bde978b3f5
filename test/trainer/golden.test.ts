import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFile } from '../../core/model/bytes.ts'
import { type ModelFiles, openModel } from '../../core/model/files.ts'
import { widen } from '../../core/model/floats.ts'
import { readSafetensors } from '../../core/model/safetensors.ts'
import { projections } from '../../core/model/transformer.ts'
import { writeVersion } from '../../core/policy/version.ts'
import type { AdamParameters, TrainItem } from '../../trainer/engines/engine.ts'
import { createOnnxTrainer, type OnnxTrainer } from '../../trainer/engines/onnx.ts'
import { folderFiles } from '../tiny-model.ts'

/** What PyTorch and PEFT make of the same models and batches in float64: test/golden/tiny_llama.py. */
const GOLDEN = join(import.meta.dirname, '../golden/tiny-llama')

/** Largest difference of a tensor, relative to its largest element. */
const BAR = 1e-4

type Numbers = readonly number[]

interface Batch {
  readonly k: number
  readonly losses: Numbers
  readonly gradientNorms: Numbers
  readonly optimizer: {
    readonly learningRate: number
    readonly betas: readonly [number, number]
    readonly epsilon: number
    readonly weightDecay: number
    readonly maxNorm: number
  }
  readonly sequences: readonly {
    readonly ids: Numbers
    readonly rows: Numbers
    readonly candidates: Numbers
    readonly old: Numbers
    readonly advantages: Numbers
    readonly reference: Numbers
    readonly klWeights: Numbers
    readonly logprobs: Numbers
  }[]
}

function readTensors(path: string): Map<string, Float32Array> {
  const file = openFile(path)
  try {
    const read = [...readSafetensors(file)].map(([name, { shape, offset }]) => {
      const bytes = shape.reduce((product, size) => product * size, 4)
      return [name, widen(file.read(offset, bytes), 'F32')] as const
    })
    return new Map(read)
  } finally {
    file.close()
  }
}

function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length)
  let difference = 0
  let size = 0
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i]! - expected[i]!))
    size = Math.max(size, Math.abs(expected[i]!))
  }
  return difference / size
}

function expectTensors(actual: ReadonlyMap<string, Float32Array>, expected: ReadonlyMap<string, Float32Array>) {
  expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort())
  const errors = [...expected].map(([name, values]) => [name, relativeError(actual.get(name)!, values)] as const)
  expect(errors.filter(([, error]) => !(error <= BAR))).toEqual([])
}

function weightsOf(engine: OnnxTrainer): Map<string, Float32Array> {
  const pairs = [...engine.exportPolicy().pairs].flatMap(([module, { a, b }]) => [
    [`base_model.model.${module}.lora_A.weight`, a] as const,
    [`base_model.model.${module}.lora_B.weight`, b] as const,
  ])
  return new Map(pairs)
}

describe.each(['tied', 'untied'])('the trainer against PyTorch and PEFT, %s', (shape) => {
  const golden = join(GOLDEN, shape)
  const batch = JSON.parse(readFileSync(join(golden, 'batch.json'), 'utf8')) as Batch
  const items: TrainItem[] = batch.sequences.map((sequence) => ({
    ids: sequence.ids,
    rows: sequence.rows,
    candidates: Int32Array.from(sequence.candidates),
    old: Float32Array.from(sequence.old),
    advantages: Float32Array.from(sequence.advantages),
    reference: Float32Array.from(sequence.reference),
    klWeights: Float32Array.from(sequence.klWeights),
    targets: new Float32Array(sequence.klWeights.length),
  }))
  const { betas, ...rest } = batch.optimizer
  const adam: AdamParameters = { ...rest, beta1: betas[0], beta2: betas[1] }

  let folder: string
  let policy: string
  let model: ModelFiles
  let engine: OnnxTrainer

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'claw-golden-'))
    cpSync(golden, join(folder, 'model'), { recursive: true })
    // The golden model is numbers only; any tokenizer opens it.
    const { 'tokenizer.json': tokenizer, 'tokenizer_config.json': config } = folderFiles()
    writeFileSync(join(folder, 'model/tokenizer.json'), JSON.stringify(tokenizer))
    writeFileSync(join(folder, 'model/tokenizer_config.json'), JSON.stringify(config))
    model = await openModel(join(folder, 'model'))
    engine = await createOnnxTrainer({ model, rank: 4, alpha: 8, threads: 1, cacheDir: join(folder, 'cache') })
    // PEFT's folder has no manifest and no optimiser: its weights become a version at its very beginning.
    const tensors = readTensors(join(folder, 'model/policy/adapter_model.safetensors'))
    const pairs = projections(model.config).map(({ module }) => {
      const [a, b] = ['A', 'B'].map((side) => tensors.get(`base_model.model.${module}.lora_${side}.weight`)!)
      return [module, { a: a!, b: b! }] as const
    })
    policy = join(folder, 'policy')
    const manifest = { version: 1, parent: 0, base: model.hash, samples: [], metrics: {}, createdAt: '' }
    await writeVersion(policy, { rank: 4, alpha: 8, pairs: new Map(pairs) }, manifest, engine.saveState())
  })

  afterAll(async () => {
    await engine?.close()
    await model?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('log-probabilities under the policy, and under the base', async () => {
    await engine.loadState(policy)
    const current = await engine.forward(items, 'current')
    const base = await engine.forward(items, 'base')
    batch.sequences.forEach(({ logprobs, reference }, i) => {
      expect(relativeError(current[i]!.logprobs, logprobs)).toBeLessThanOrEqual(BAR)
      expect(relativeError(base[i]!.logprobs, reference)).toBeLessThanOrEqual(BAR)
    })
  })

  test('what sequences begin with alike is computed once, for all the same', async () => {
    await engine.loadState(policy)
    const item = (last: readonly number[], rows: readonly number[]) => ({
      ids: [3, 14, 15, 9, 26, ...last],
      rows,
      candidates: Int32Array.from(rows.flatMap((row) => [row, 2 * row + 1])),
    })
    const alike = [item([5, 35], [2, 4, 6]), item([8, 97, 93], [4, 5, 7]), item([5, 11], [0, 4, 5])]
    const together = await engine.forward(alike, 'current')
    for (const [i, one] of alike.entries()) {
      const [alone] = await engine.forward([one], 'current')
      expect(relativeError(together[i]!.logprobs, alone!.logprobs)).toBeLessThanOrEqual(BAR)
    }
  })

  test('the objective and all its gradients', async () => {
    await engine.loadState(policy)
    const { loss, logprobs } = await engine.forwardBackward(items)
    expect(relativeError([loss], [batch.losses[0]!])).toBeLessThanOrEqual(BAR)
    batch.sequences.forEach((sequence, i) => {
      expect(relativeError(logprobs[i]!, sequence.logprobs)).toBeLessThanOrEqual(BAR)
    })
    expectTensors(engine.gradients(), readTensors(join(golden, 'gradients.safetensors')))
  })

  test('gradients of parts add up to those of the whole', async () => {
    await engine.loadState(policy)
    let loss = 0
    for (const item of items) loss += (await engine.forwardBackward([item])).loss
    expect(relativeError([loss], [batch.losses[0]!])).toBeLessThanOrEqual(BAR)
    expectTensors(engine.gradients(), readTensors(join(golden, 'gradients.safetensors')))
  })

  test('three steps of AdamW, stopped and gone on from a saved version in between', async () => {
    await engine.loadState(policy)
    for (const [i, norm] of batch.gradientNorms.entries()) {
      const { loss } = await engine.forwardBackward(items)
      const { gradientNorm } = await engine.optimStep(adam)
      expect(relativeError([loss, gradientNorm], [batch.losses[i]!, norm])).toBeLessThanOrEqual(BAR)
      expectTensors(weightsOf(engine), readTensors(join(golden, `step-${i + 1}.safetensors`)))

      const version = join(folder, `v${i + 1}`)
      const manifest = { version: i + 1, parent: i, base: model.hash, samples: [], metrics: {}, createdAt: '' }
      await writeVersion(version, engine.exportPolicy(), manifest, engine.saveState())
      await engine.loadState(null)
      await engine.loadState(version)
    }
  })
})

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { ClawError, reason } from '../../core/errors.ts'
import type { ModelConfig } from '../../core/model/architecture.ts'
import { openFile } from '../../core/model/bytes.ts'
import type { ModelFiles } from '../../core/model/files.ts'
import { transposed, widen } from '../../core/model/floats.ts'
import { readSafetensors } from '../../core/model/safetensors.ts'
import { loraA, loraB } from '../../core/model/serving-graph.ts'
import { causalMask, floats, integers, openSession } from '../../core/model/session.ts'
import { ATTENTION_GRAIN, projections } from '../../core/model/transformer.ts'
import { storeWeights } from '../../core/model/weights.ts'
import { random } from '../../core/policy/sampling.ts'
import { encodeSafetensors, type LoraWeights, readLora } from '../../core/policy/version.ts'
import { adamStep, globalNorm, type Moments, zeroMoments } from '../adamw.ts'
import { gradientOf, scoringGraph, trainingGraph } from '../graphs.ts'
import { type Packed, pack, unpack } from '../pack.ts'
import type { AdamParameters, ItemScores, ScoreItem, TrainerEngine, TrainItem } from './engine.ts'

const STATE = 'optimizer.safetensors'

export interface OnnxTrainerOptions {
  readonly model: ModelFiles
  readonly rank: number
  readonly alpha: number
  readonly threads: number
  readonly cacheDir: string
  /** Seeds the initial LoRA weights. */
  readonly seed?: number
  /** Tokens in one run. Attention is quadratic in it, and activations take about 4 MB a token at 135M parameters. */
  readonly packTokens?: number
}

/** Trains inside this process: forward and backward are one ONNX graph on float32 weights, AdamW is JavaScript. */
export async function createOnnxTrainer(options: OnnxTrainerOptions): Promise<OnnxTrainer> {
  const { model, rank, alpha, threads, cacheDir } = options
  const weights = await storeWeights(model, 'f32', cacheDir)
  const settings = { config: model.config, weights, context: model.config.contextLength, scale: alpha / rank }
  const open = (name: string, graph: Buffer) => {
    const key = createHash('sha256').update(graph).digest('hex').slice(0, 8)
    return openSession(`${name}-${key}`, graph, weights, threads)
  }
  const training = await open('train', trainingGraph(settings))
  const scoring = await open('score', scoringGraph(settings))
  return new OnnxTrainer(model.config, options, scoring, training)
}

interface Variable {
  readonly input: string
  /** As the graph has it: a B stands transposed. */
  readonly shape: readonly [number, number]
  readonly isB: boolean
  readonly weights: Float32Array
  moments: Moments
  readonly gradient: Float32Array
}

export class OnnxTrainer implements TrainerEngine {
  readonly #config: ModelConfig
  readonly #options: OnnxTrainerOptions
  readonly #scoring: InferenceSession
  readonly #training: InferenceSession
  readonly #limit: number
  readonly #base: Readonly<Record<string, Tensor>>
  #variables: readonly Variable[]
  #current: Readonly<Record<string, Tensor>> = {}
  #steps = 0

  constructor(config: ModelConfig, options: OnnxTrainerOptions, scoring: InferenceSession, training: InferenceSession) {
    this.#config = config
    this.#options = options
    this.#scoring = scoring
    this.#training = training
    this.#limit = options.packTokens ?? 512
    this.#base = loraInputs(
      projections(config).flatMap(({ module, inputs, outputs }) => [
        { input: loraA(module), shape: [1, inputs], weights: new Float32Array(inputs) },
        { input: loraB(module), shape: [1, outputs], weights: new Float32Array(outputs) },
      ]),
    )
    this.#variables = this.#begin(initialLora(config, options))
  }

  async forward(items: readonly ScoreItem[], weights: 'current' | 'base'): Promise<readonly ItemScores[]> {
    const lora = weights === 'base' ? this.#base : this.#current
    const scores: ItemScores[] = []
    for (const packed of pack(items, this.#limit)) {
      const outputs = await this.#scoring.run({ ...lora, ...this.#tokens(packed) })
      const logprobs = unpack(packed, outputs.logprobs!.data as Float32Array)
      const topIds = unpack(packed, Int32Array.from(outputs['top.ids']!.data as BigInt64Array, Number))
      const topLogprobs = unpack(packed, outputs['top.logprobs']!.data as Float32Array)
      packed.items.forEach((_, i) => {
        scores.push({ logprobs: logprobs[i]!, topIds: topIds[i]!, topLogprobs: topLogprobs[i]! })
      })
    }
    return scores
  }

  async forwardBackward(items: readonly TrainItem[]): Promise<{ loss: number; logprobs: readonly Float32Array[] }> {
    let loss = 0
    const logprobs: Float32Array[] = []
    for (const packed of pack(items, this.#limit)) {
      const inputs = this.#tokens(packed)
      const shape = inputs.candidates!.dims
      const stream = (pick: (item: TrainItem) => Float32Array) => floats(concat(packed.items.map(pick)), shape)
      const outputs = await this.#training.run({
        ...this.#current,
        ...inputs,
        old: stream((item) => item.old),
        advantages: stream((item) => item.advantages),
        reference: stream((item) => item.reference),
        klWeights: stream((item) => item.klWeights),
        targets: stream((item) => item.targets),
      })
      loss += (outputs.loss!.data as Float32Array)[0]!
      logprobs.push(...unpack(packed, outputs.logprobs!.data as Float32Array))
      for (const { input, gradient } of this.#variables) {
        const more = outputs[gradientOf(input)]!.data as Float32Array
        for (let i = 0; i < gradient.length; i++) gradient[i] = gradient[i]! + more[i]!
      }
    }
    return { loss, logprobs }
  }

  async optimStep(parameters: AdamParameters): Promise<{ gradientNorm: number }> {
    const gradientNorm = globalNorm(this.#variables.map(({ gradient }) => gradient))
    if (!Number.isFinite(gradientNorm)) {
      throw new ClawError('TRAINER_FAILED', 'The gradient is not finite', { remedy: 'The batch is left out.' })
    }
    const { maxNorm } = parameters
    // The small constant is PyTorch's, so that a step compares exactly.
    const scale = maxNorm > 0 ? Math.min(1, maxNorm / (gradientNorm + 1e-6)) : 1
    this.#steps++
    for (const { weights, gradient, moments } of this.#variables) {
      adamStep(weights, gradient, moments, this.#steps, scale, parameters)
      gradient.fill(0)
    }
    return { gradientNorm }
  }

  /** The gradients waiting for `optimStep`, by PEFT tensor name. */
  gradients(): ReadonlyMap<string, Float32Array> {
    return new Map(
      this.#variables.map((variable) => [
        `base_model.model.${variable.input}.weight`,
        stored(variable, variable.gradient),
      ]),
    )
  }

  saveState(): Readonly<Record<string, Buffer>> {
    const tensors = this.#variables.flatMap((variable) => {
      const { input, shape, isB, moments } = variable
      const stands = isB ? ([shape[1], shape[0]] as const) : shape
      return [
        [`${input}.m`, stands, stored(variable, moments.m)] as const,
        [`${input}.v`, stands, stored(variable, moments.v)] as const,
      ]
    })
    const step = ['step', [1], Float32Array.of(this.#steps)] as const
    return { [STATE]: encodeSafetensors([step, ...tensors]) }
  }

  async loadState(directory: string | null): Promise<void> {
    this.#steps = 0
    if (directory === null) {
      this.#variables = this.#begin(initialLora(this.#config, this.#options))
      return
    }
    const lora = await readLora(directory, this.#options.model, [STATE])
    if (lora.rank !== this.#options.rank || lora.alpha !== this.#options.alpha) {
      throw new ClawError('POLICY_CORRUPT', 'The version to go on from has another rank or alpha', {
        remedy: 'Set trainer.rank and trainer.alpha back, or roll back to the base: /claw rollback 0',
      })
    }
    this.#variables = this.#begin(lora)
    this.#readMoments(join(directory, STATE))
  }

  exportPolicy(): LoraWeights {
    const { rank, alpha } = this.#options
    const byInput = new Map(this.#variables.map((variable) => [variable.input, stored(variable, variable.weights)]))
    const pairs = projections(this.#config).map(({ module }) => {
      return [module, { a: byInput.get(loraA(module))!, b: byInput.get(loraB(module))! }] as const
    })
    return { rank, alpha, pairs: new Map(pairs) }
  }

  async close(): Promise<void> {
    await this.#training.release()
    await this.#scoring.release()
  }

  #begin(lora: LoraWeights): readonly Variable[] {
    const variables = projections(this.#config).flatMap(({ module, inputs, outputs }) => {
      const { a, b } = lora.pairs.get(module)!
      const variable = (input: string, width: number, weights: Float32Array, isB: boolean): Variable => ({
        input,
        shape: [lora.rank, width],
        isB,
        weights,
        moments: zeroMoments(weights.length),
        gradient: new Float32Array(weights.length),
      })
      return [
        variable(loraA(module), inputs, a, false),
        variable(loraB(module), outputs, transposed(b, outputs, lora.rank), true),
      ]
    })
    // Tensors are views of the weights: a step changes what the next run reads.
    this.#current = loraInputs(variables)
    return variables
  }

  #readMoments(path: string): void {
    try {
      const file = openFile(path)
      try {
        const stored = readSafetensors(file)
        const read = (name: string, length: number) => {
          const tensor = stored.get(name)
          if (tensor === undefined) throw new Error(`${name} is missing`)
          return widen(file.read(tensor.offset, length * 4), 'F32')
        }
        this.#steps = read('step', 1)[0]!
        for (const variable of this.#variables) {
          const { input, shape, isB, weights } = variable
          const moment = (name: string) => {
            const values = read(`${input}.${name}`, weights.length)
            return isB ? transposed(values, shape[1], shape[0]) : values
          }
          variable.moments = { m: moment('m'), v: moment('v') }
        }
      } finally {
        file.close()
      }
    } catch (error) {
      throw new ClawError('POLICY_CORRUPT', `The optimiser's state cannot be read: ${reason(error)}`, {
        remedy: 'Roll back to an earlier version: /claw rollback',
        cause: error,
      })
    }
  }

  #tokens({ items, ids, positions, segments, shared, rows }: Packed<ScoreItem>): Record<string, Tensor> {
    const candidates = items.flatMap((item) => [...item.candidates])
    const n = Math.ceil(ids.length / ATTENTION_GRAIN) * ATTENTION_GRAIN
    const filled = (values: Int32Array, filler: number) => {
      const longer = new Int32Array(n).fill(filler)
      longer.set(values)
      return longer
    }
    // The filling is a sequence of its own, of which no row is wanted.
    const mask = causalMask(this.#config, filled(segments, items.length), shared)
    return {
      ids: integers(filled(ids, 0), [n]),
      positions: integers(filled(positions, 0), [n]),
      mask: mask.reshape([1, ATTENTION_GRAIN, mask.dims[1]! / ATTENTION_GRAIN, n]),
      rows: integers(rows, [rows.length]),
      candidates: integers(candidates, [rows.length, candidates.length / rows.length]),
    }
  }
}

/** A copy of a variable's values as PEFT has them: B [outputs, rank]. */
function stored({ shape: [rows, columns], isB }: Variable, values: Float32Array): Float32Array {
  return isB ? transposed(values, rows, columns) : values.slice()
}

/** A uniform in ±1/√inputs, as PEFT begins; B zero, so that the first policy is the base. */
function initialLora(config: ModelConfig, { rank, alpha, seed = 0 }: OnnxTrainerOptions): LoraWeights {
  const uniform = random(seed)
  const pairs = projections(config).map(({ module, inputs, outputs }) => {
    const bound = 1 / Math.sqrt(inputs)
    const a = Float32Array.from({ length: rank * inputs }, () => (uniform() * 2 - 1) * bound)
    return [module, { a, b: new Float32Array(outputs * rank) }] as const
  })
  return { rank, alpha, pairs: new Map(pairs) }
}

function loraInputs(variables: readonly Pick<Variable, 'input' | 'shape' | 'weights'>[]) {
  return Object.fromEntries(variables.map(({ input, shape, weights }) => [input, floats(weights, shape)]))
}

function concat(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

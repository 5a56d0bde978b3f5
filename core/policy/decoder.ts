import { setImmediate as breathe } from 'node:timers/promises'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { ClawError } from '../errors.ts'
import type { ModelConfig } from '../model/architecture.ts'
import { transposed } from '../model/floats.ts'
import { loraB, stackedLoraA } from '../model/serving-graph.ts'
import { floats } from '../model/session.ts'
import type { ModelTokenizer } from '../model/tokenizer.ts'
import { stages } from '../model/transformer.ts'
import { BatchGeneration, type BatchItem } from './batch.ts'
import type { LoraTensors } from './cache.ts'
import { BASE_POLICY } from './engine.ts'
import { Sequence } from './sequence.ts'
import { type BaseModel, type LoraWeights, readLora } from './version.ts'

interface Cached {
  readonly policy: string
  readonly sequence: Sequence
  inUse: boolean
  lastUse: number
}

/** Tokens of idle conversations whose keys and values are kept. At 135M parameters a token takes 46 kB. */
const KEPT_TOKENS = 8192

/** A sequence on loan: appended to by one request, then given back as a prefix for the next. */
export interface Loan {
  readonly cachedTokens: number
  /** Appends and returns the logits after the last `wanted` tokens. */
  append(ids: readonly number[], wanted: number): Promise<Float32Array[]>
  release(): void
}

/** One session, the policy versions that it can serve, and the prefixes it remembers. */
export class Decoder {
  readonly #session: InferenceSession
  readonly #model: BaseModel
  readonly #policies = new Map<string, LoraTensors>()
  readonly #cache = new Set<Cached>()
  #clock = 0

  constructor(session: InferenceSession, model: BaseModel) {
    this.#session = session
    this.#model = model
    this.#policies.set(BASE_POLICY, baseTensors(model.config))
  }

  get loaded(): readonly string[] {
    return [...this.#policies.keys()]
  }

  async load(name: string, directory: string): Promise<void> {
    this.#policies.set(name, await loraTensors(this.#model.config, await readLora(directory, this.#model)))
    this.#forget(name)
  }

  unload(name: string): void {
    if (name === BASE_POLICY) return
    this.#policies.delete(name)
    this.#forget(name)
  }

  /**
   * Borrows a sequence that holds the longest known beginning of `promptIds` under this policy, short of its last
   * token, whose logits must be computed. A loan keeps the weights it began with, whatever is loaded meanwhile.
   */
  borrow(policy: string, promptIds: readonly number[]): Loan {
    const lora = this.#lora(policy)
    const { best, shared } = this.#longestPrefix(policy, promptIds)
    const fresh = (sequence: Sequence): Cached => ({ policy, sequence, inUse: true, lastUse: 0 })
    // Conversations that only begin alike (the system prompt) must not take each other's cache away.
    const ours = best !== null && !best.inUse && shared * 2 >= best.sequence.ids.length
    const cached =
      best === null ? fresh(new Sequence(this.#model.config)) : ours ? best : fresh(best.sequence.fork(shared))
    cached.inUse = true
    cached.sequence.truncate(shared)
    this.#cache.add(cached)
    return {
      cachedTokens: shared,
      append: (ids, wanted) => cached.sequence.append(this.#session, lora, ids, wanted),
      release: () => {
        cached.inUse = false
        cached.lastUse = ++this.#clock
        if (this.#policies.get(policy) !== lora) this.#cache.delete(cached)
        this.#evict()
      },
    }
  }

  /** Many replies of one policy side by side, beside the cached conversations. */
  batch(policy: string, tokenizer: ModelTokenizer, items: readonly BatchItem[]): BatchGeneration {
    return new BatchGeneration(this.#session, this.#lora(policy), this.#model, tokenizer, items)
  }

  #lora(policy: string): LoraTensors {
    const lora = this.#policies.get(policy)
    if (lora !== undefined) return lora
    throw new ClawError('POLICY_UNKNOWN', `No policy named ${policy} is loaded`, { remedy: 'Load it first.' })
  }

  async close(): Promise<void> {
    this.#cache.clear()
    await this.#session.release()
  }

  #longestPrefix(policy: string, ids: readonly number[]): { best: Cached | null; shared: number } {
    let best: Cached | null = null
    let shared = 0
    for (const cached of this.#cache) {
      if (cached.policy !== policy) continue
      const held = cached.sequence.ids
      let same = 0
      while (same < held.length && same < ids.length - 1 && held[same] === ids[same]) same++
      if (same > shared || (same === shared && same > 0 && best?.inUse)) {
        best = cached
        shared = same
      }
    }
    return { best, shared }
  }

  #forget(policy: string): void {
    for (const cached of this.#cache) if (cached.policy === policy && !cached.inUse) this.#cache.delete(cached)
  }

  #evict(): void {
    const idle = [...this.#cache].filter((cached) => !cached.inUse).sort((a, b) => b.lastUse - a.lastUse)
    let kept = 0
    for (const cached of idle) {
      kept += cached.sequence.capacity
      if (kept > KEPT_TOKENS) this.#cache.delete(cached)
    }
  }
}

/** The graph's LoRA inputs of a version. Replies in flight take their steps in between. */
async function loraTensors(config: ModelConfig, { rank, alpha, pairs }: LoraWeights): Promise<LoraTensors> {
  const tensors: Record<string, Tensor> = {}
  for (const stage of stages(config)) {
    const { inputs } = stage[0]!
    const stacked = new Float32Array(stage.length * rank * inputs)
    for (const [i, { module, outputs }] of stage.entries()) {
      const { a, b } = pairs.get(module)!
      stacked.set(a, i * rank * inputs)
      tensors[loraB(module)] = floats(transposed(b, outputs, rank, alpha / rank), [rank, outputs])
      await breathe()
    }
    tensors[stackedLoraA(stage.map(({ module }) => module))] = floats(stacked, [stage.length * rank, inputs])
  }
  return tensors
}

/** The base is weights of rank 1 that are all 0. */
function baseTensors(config: ModelConfig): LoraTensors {
  const tensors: Record<string, Tensor> = {}
  for (const stage of stages(config)) {
    const { length } = stage
    const { inputs } = stage[0]!
    tensors[stackedLoraA(stage.map(({ module }) => module))] = floats(new Float32Array(length * inputs), [
      length,
      inputs,
    ])
    for (const { module, outputs } of stage) tensors[loraB(module)] = floats(new Float32Array(outputs), [1, outputs])
  }
  return tensors
}

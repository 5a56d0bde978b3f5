import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../model/architecture.ts'
import { cacheKeys, cacheValues, newKeys, newValues } from '../model/serving-graph.ts'
import { causalMask, floats, integers } from '../model/session.ts'

export type LoraTensors = Readonly<Record<string, Tensor>>

/** Tokens to compute in one run; all arrays have their length N. */
export interface NewTokens {
  readonly ids: readonly number[]
  /** In their own sequences. */
  readonly positions: readonly number[]
  /** Which sequence each belongs to; tokens of one sequence stand together, in order. */
  readonly segments: readonly number[]
  /** Where their keys and values go. */
  readonly slots: readonly number[]
  /** Tokens whose next-token logits are wanted, by index; at least one. */
  readonly rows: readonly number[]
  /** Additive: which slots they see. [1, 1 or N · group, capacity] */
  readonly pastMask: Tensor
}

/**
 * Keys and values in arrays that the graph only reads, a slot a token. Layout of each [kvHeads, capacity, headDim].
 * Which sequence a slot belongs to is the mask's business, so one cache holds one sequence or many.
 */
export class KeyValueCache {
  readonly #config: ModelConfig
  readonly #tensors: Readonly<Record<string, Tensor>>
  readonly capacity: number

  constructor(config: ModelConfig, capacity: number) {
    const { layers, kvHeads, headDim } = config
    const empty = () => floats(new Float32Array(kvHeads * capacity * headDim), [kvHeads, capacity, headDim])
    const names = Array.from({ length: layers }, (_, layer) => [cacheKeys(layer), cacheValues(layer)]).flat()
    this.#config = config
    this.#tensors = Object.fromEntries(names.map((name) => [name, empty()]))
    this.capacity = capacity
  }

  /** A cache of at least this capacity that begins with the first `length` slots of this one. */
  copy(capacity: number, length: number): KeyValueCache {
    const { kvHeads, headDim } = this.#config
    const other = new KeyValueCache(this.#config, capacity)
    for (const [name, tensor] of Object.entries(this.#tensors)) {
      const [from, to] = [tensor.data as Float32Array, other.#tensors[name]!.data as Float32Array]
      for (let head = 0; head < kvHeads; head++) {
        const start = head * this.capacity * headDim
        to.set(from.subarray(start, start + length * headDim), head * capacity * headDim)
      }
    }
    return other
  }

  /** Computes tokens, keeps their keys and values, and returns the logits of the wanted rows [R, vocabulary]. */
  async run(session: InferenceSession, lora: LoraTensors, tokens: NewTokens): Promise<Float32Array> {
    const { ids, positions, segments, slots, rows, pastMask } = tokens
    const n = ids.length
    const outputs = await session.run({
      ...lora,
      ...this.#tensors,
      ids: integers(ids, [n]),
      positions: integers(positions, [n]),
      rows: integers(rows, [rows.length]),
      'past.mask': pastMask,
      mask: causalMask(this.#config, segments),
      lengths: integers([this.capacity, n], [2]),
    })
    this.#put(outputs, slots)
    return outputs.logits!.data as Float32Array
  }

  #put(outputs: InferenceSession.ReturnType, slots: readonly number[]): void {
    const { layers, kvHeads, headDim } = this.#config
    const n = slots.length
    for (let layer = 0; layer < layers; layer++) {
      for (const [from, to] of [
        [newKeys(layer), cacheKeys(layer)],
        [newValues(layer), cacheValues(layer)],
      ] as const) {
        const fresh = outputs[from]!.data as Float32Array
        const held = this.#tensors[to]!.data as Float32Array
        for (let head = 0; head < kvHeads; head++) {
          for (let i = 0; i < n; i++) {
            const at = (head * n + i) * headDim
            held.set(fresh.subarray(at, at + headDim), (head * this.capacity + slots[i]!) * headDim)
          }
        }
      }
    }
  }
}

import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../model/architecture.ts'
import { cacheKeys, cacheValues, newKeys, newValues } from '../model/serving-graph.ts'
import { causalMask, floats, HIDDEN, integers } from '../model/session.ts'

/** Prompt tokens computed in one run: bounds the size of masks, and how long a decode step of another reply waits. */
const CHUNK = 256
const SMALLEST = 128

/**
 * The keys and values of the tokens computed so far, in arrays that the graph only reads. Layout of each
 * [kvHeads, capacity, headDim]; capacity doubles when it is full.
 */
export class Sequence {
  readonly #config: ModelConfig
  #ids: number[] = []
  #capacity = 0
  #cache: Record<string, Tensor> = {}
  #mask = new Float32Array(0)

  constructor(config: ModelConfig) {
    this.#config = config
    this.#grow(SMALLEST)
  }

  /** Tokens whose keys and values are held. */
  get ids(): readonly number[] {
    return this.#ids
  }

  get capacity(): number {
    return this.#capacity
  }

  /** Forgets all tokens from `length` on. */
  truncate(length: number): void {
    this.#mask.fill(HIDDEN, length, this.#ids.length)
    this.#ids.length = Math.min(length, this.#ids.length)
  }

  /** A second sequence that begins with the first `length` tokens of this one. */
  fork(length: number): Sequence {
    const copy = new Sequence(this.#config)
    copy.#grow(this.#capacity)
    for (const [name, tensor] of Object.entries(this.#cache)) {
      ;(copy.#cache[name]!.data as Float32Array).set(tensor.data as Float32Array)
    }
    copy.#ids = this.#ids.slice(0, length)
    copy.#mask.fill(0, 0, length)
    return copy
  }

  /**
   * Appends tokens under the given LoRA weights. Returns the logits after the last `wanted` of them, one row each
   * [wanted, vocabulary].
   */
  async append(
    session: InferenceSession,
    lora: Readonly<Record<string, Tensor>>,
    ids: readonly number[],
    wanted: number,
  ): Promise<Float32Array[]> {
    const logits: Float32Array[] = []
    for (let at = 0; at < ids.length; at += CHUNK) {
      const chunk = ids.slice(at, at + CHUNK)
      // A graph always returns at least one row; rows before the wanted ones are dropped here.
      const rows = Math.max(1, Math.min(chunk.length, at + chunk.length - (ids.length - wanted)))
      const result = await this.#run(session, lora, chunk, rows)
      if (at + chunk.length > ids.length - wanted) {
        const vocabulary = this.#config.vocabSize
        for (let row = 0; row < rows; row++) logits.push(result.slice(row * vocabulary, (row + 1) * vocabulary))
      }
    }
    return logits
  }

  async #run(
    session: InferenceSession,
    lora: Readonly<Record<string, Tensor>>,
    ids: readonly number[],
    rows: number,
  ): Promise<Float32Array> {
    const past = this.#ids.length
    const n = ids.length
    while (past + n > this.#capacity) this.#grow(this.#capacity * 2)
    const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
    const outputs = await session.run({
      ...lora,
      ...this.#cache,
      ids: integers(ids, [n]),
      positions: integers(range(past, n), [n]),
      rows: integers(range(n - rows, rows), [rows]),
      'past.mask': floats(this.#mask, [1, 1, this.#capacity]),
      mask: causalMask(this.#config, new Uint8Array(n)),
      lengths: integers([this.#capacity, n], [2]),
    })
    this.#put(outputs, past, n)
    this.#ids.push(...ids)
    this.#mask.fill(0, past, past + n)
    return outputs.logits!.data as Float32Array
  }

  #put(outputs: InferenceSession.ReturnType, past: number, n: number): void {
    const { layers, kvHeads, headDim } = this.#config
    for (let layer = 0; layer < layers; layer++) {
      for (const [from, to] of [
        [newKeys(layer), cacheKeys(layer)],
        [newValues(layer), cacheValues(layer)],
      ] as const) {
        const fresh = outputs[from]!.data as Float32Array
        const cache = this.#cache[to]!.data as Float32Array
        for (let head = 0; head < kvHeads; head++) {
          const row = fresh.subarray(head * n * headDim, (head + 1) * n * headDim)
          cache.set(row, (head * this.#capacity + past) * headDim)
        }
      }
    }
  }

  #grow(capacity: number): void {
    const { layers, kvHeads, headDim } = this.#config
    const before = this.#cache
    const cache: Record<string, Tensor> = {}
    for (let layer = 0; layer < layers; layer++) {
      for (const name of [cacheKeys(layer), cacheValues(layer)]) {
        const values = new Float32Array(kvHeads * capacity * headDim)
        const old = before[name]?.data as Float32Array | undefined
        for (let head = 0; old !== undefined && head < kvHeads; head++) {
          const from = head * this.#capacity * headDim
          values.set(old.subarray(from, from + this.#capacity * headDim), head * capacity * headDim)
        }
        cache[name] = floats(values, [kvHeads, capacity, headDim])
      }
    }
    const mask = new Float32Array(capacity).fill(HIDDEN)
    mask.set(this.#mask)
    this.#cache = cache
    this.#mask = mask
    this.#capacity = capacity
  }
}

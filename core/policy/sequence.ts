import type { InferenceSession } from 'onnxruntime-node'
import type { ModelConfig } from '../model/architecture.ts'
import { floats, HIDDEN } from '../model/session.ts'
import { KeyValueCache, type LoraTensors } from './cache.ts'

/** Prompt tokens computed in one run: bounds the size of masks, and how long a decode step of another reply waits. */
export const CHUNK = 256
const SMALLEST = 128

export function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i)
}

/** One conversation's tokens and their keys and values; its capacity doubles when it is full. */
export class Sequence {
  readonly #config: ModelConfig
  #ids: number[] = []
  #cache: KeyValueCache
  #mask: Float32Array

  constructor(config: ModelConfig) {
    this.#config = config
    this.#cache = new KeyValueCache(config, SMALLEST)
    this.#mask = new Float32Array(SMALLEST).fill(HIDDEN)
  }

  /** Tokens whose keys and values are held. */
  get ids(): readonly number[] {
    return this.#ids
  }

  get capacity(): number {
    return this.#cache.capacity
  }

  /** Forgets all tokens from `length` on. */
  truncate(length: number): void {
    this.#mask.fill(HIDDEN, length, this.#ids.length)
    this.#ids.length = Math.min(length, this.#ids.length)
  }

  /** A second sequence that begins with the first `length` tokens of this one. */
  fork(length: number): Sequence {
    const other = new Sequence(this.#config)
    other.#cache = this.#cache.copy(this.capacity, length)
    other.#ids = this.#ids.slice(0, length)
    other.#mask = this.#mask.slice().fill(HIDDEN, length)
    return other
  }

  /**
   * Appends tokens under the given LoRA weights. Returns the logits after the last `wanted` of them, one row each
   * [wanted, vocabulary].
   */
  async append(
    session: InferenceSession,
    lora: LoraTensors,
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

  async #run(session: InferenceSession, lora: LoraTensors, ids: readonly number[], rows: number) {
    const past = this.#ids.length
    const n = ids.length
    while (past + n > this.capacity) this.#grow()
    const logits = await this.#cache.run(session, lora, {
      ids,
      positions: range(past, n),
      segments: new Array<number>(n).fill(0),
      slots: range(past, n),
      rows: range(n - rows, rows),
      pastMask: floats(this.#mask, [1, 1, this.capacity]),
    })
    this.#ids.push(...ids)
    this.#mask.fill(0, past, past + n)
    return logits
  }

  #grow(): void {
    const mask = new Float32Array(2 * this.capacity).fill(HIDDEN)
    mask.set(this.#mask)
    this.#mask = mask
    this.#cache = this.#cache.copy(mask.length, this.#ids.length)
  }
}

import type { InferenceSession } from 'onnxruntime-node'
import { floats, HIDDEN } from '../model/session.ts'
import type { ModelTokenizer } from '../model/tokenizer.ts'
import type { SamplingParameters } from '../types.ts'
import { KeyValueCache, type LoraTensors } from './cache.ts'
import type { Generation } from './engine.ts'
import { random, sample } from './sampling.ts'
import { CHUNK, range } from './sequence.ts'
import type { BaseModel } from './version.ts'

export interface BatchItem {
  readonly promptIds: readonly number[]
  readonly sampling: SamplingParameters
}

/** Replies computed side by side. More rows a step cost little until attention over all of their slots does. */
const WIDTH = 8

interface Member {
  readonly item: number
  readonly uniform: () => number
  readonly ids: number[]
  readonly logprobs: number[]
}

/** How many slots of the cache an item may come to fill. */
const need = ({ promptIds, sampling }: BatchItem): number => promptIds.length + sampling.maxTokens

/**
 * Many replies of one policy at once, for work that nobody watches: each step computes one token of every running
 * reply, and a reply that ends makes room for the next. All share one cache, where each has a region of its own. Those
 * that may get longest come first: whatever follows fits into their regions, and none is left running alone for long.
 */
export class BatchGeneration {
  readonly #session: InferenceSession
  readonly #lora: LoraTensors
  readonly #model: BaseModel
  readonly #tokenizer: ModelTokenizer
  readonly #items: readonly BatchItem[]
  /** Items that wait, the longest last. */
  readonly #waiting: number[]
  /** Where each place's region begins. */
  readonly #starts: readonly number[]
  readonly #cache: KeyValueCache
  readonly #members: (Member | null)[]
  readonly #results: Generation[] = []

  constructor(
    session: InferenceSession,
    lora: LoraTensors,
    model: BaseModel,
    tokenizer: ModelTokenizer,
    items: readonly BatchItem[],
  ) {
    this.#session = session
    this.#lora = lora
    this.#model = model
    this.#tokenizer = tokenizer
    this.#items = items
    this.#waiting = [...items.keys()].sort((a, b) => need(items[a]!) - need(items[b]!))
    const starts: number[] = []
    let capacity = 0
    for (const item of this.#waiting.slice(-WIDTH).reverse()) {
      starts.push(capacity)
      capacity += need(items[item]!)
    }
    this.#starts = starts
    this.#cache = new KeyValueCache(model.config, capacity)
    this.#members = starts.map(() => null)
  }

  /** One more token of every running reply; the replies, in the items' order, once all have ended. */
  async step(): Promise<readonly Generation[] | null> {
    for (const [place, member] of this.#members.entries()) {
      const item = member === null ? this.#waiting.pop() : undefined
      if (item !== undefined) await this.#begin(place, item)
    }
    const running = this.#members.flatMap((member, place) => (member === null ? [] : [{ member, place }]))
    if (running.length === 0) return this.#results
    const past = running.map(({ member }) => this.#items[member.item]!.promptIds.length + member.ids.length - 1)
    const seen = running.map(({ place }, i) => [this.#starts[place]!, past[i]!] as const)
    const logits = await this.#cache.run(this.#session, this.#lora, {
      ids: running.map(({ member }) => member.ids.at(-1)!),
      positions: past,
      segments: running.map(({ place }) => place),
      slots: seen.map(([start, length]) => start + length),
      rows: range(0, running.length),
      pastMask: this.#mask(seen),
    })
    const { vocabSize } = this.#model.config
    for (const [i, { place }] of running.entries()) {
      this.#draw(place, logits.subarray(i * vocabSize, (i + 1) * vocabSize))
    }
    return null
  }

  /** Computes a prompt into a place's region and draws its first token. */
  async #begin(place: number, item: number): Promise<void> {
    const { promptIds, sampling } = this.#items[item]!
    const start = this.#starts[place]!
    let logits: Float32Array = new Float32Array(0)
    for (let at = 0; at < promptIds.length; at += CHUNK) {
      const ids = promptIds.slice(at, at + CHUNK)
      const n = ids.length
      logits = await this.#cache.run(this.#session, this.#lora, {
        ids,
        positions: range(at, n),
        segments: new Array<number>(n).fill(0),
        slots: range(start + at, n),
        rows: [n - 1],
        pastMask: this.#mask([[start, at]], 1),
      })
    }
    this.#members[place] = { item, uniform: random(sampling.seed), ids: [], logprobs: [] }
    this.#draw(place, logits)
  }

  /** Takes the next token of a place from its logits; a reply that ends leaves the place. */
  #draw(place: number, logits: Float32Array): void {
    const member = this.#members[place]!
    const { sampling } = this.#items[member.item]!
    const { id, logprob } = sample(logits, sampling, member.uniform)
    member.ids.push(id)
    member.logprobs.push(logprob)
    const stopped = this.#tokenizer.endOfTurn.has(id)
    if (!stopped && member.ids.length < sampling.maxTokens) return
    this.#members[place] = null
    this.#results[member.item] = {
      ids: member.ids,
      logprobs: Float32Array.from(member.logprobs),
      text: this.#tokenizer.decode(member.ids, { skipSpecial: true }),
      finish: stopped ? 'stop' : 'length',
      cachedTokens: 0,
    }
  }

  /** What each row sees of the cache: `length` slots from `start`. `repeat`: rows a key head has for each. */
  #mask(seen: readonly (readonly [start: number, length: number])[], repeat?: number) {
    const { heads, kvHeads } = this.#model.config
    const group = repeat ?? heads / kvHeads
    const { capacity } = this.#cache
    const mask = new Float32Array(seen.length * group * capacity).fill(HIDDEN)
    for (let row = 0; row < seen.length * group; row++) {
      const [start, length] = seen[Math.floor(row / group)]!
      mask.fill(0, row * capacity + start, row * capacity + start + length)
    }
    return floats(mask, [1, seen.length * group, capacity])
  }
}

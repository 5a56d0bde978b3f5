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

/** Slots that a full cache is given more: every step attends to all of its slots, whoever they belong to. */
const MORE_SLOTS = 128

interface Member {
  readonly item: number
  readonly uniform: () => number
  readonly ids: number[]
  readonly logprobs: number[]
  /** Where the keys and values of its tokens are, in their order. */
  readonly slots: number[]
}

/** How many tokens an item may come to have. */
const length = ({ promptIds, sampling }: BatchItem): number => promptIds.length + sampling.maxTokens

/**
 * Many replies of one policy at once, for work that nobody watches: each step computes one token of every running
 * reply, and a reply that ends makes room for the next. All share one cache, in which a token takes whatever slot is
 * free. Those that may get longest come first, so that none is left running alone for long.
 */
export class BatchGeneration {
  readonly #session: InferenceSession
  readonly #lora: LoraTensors
  readonly #model: BaseModel
  readonly #tokenizer: ModelTokenizer
  readonly #items: readonly BatchItem[]
  /** Items that wait, the longest last. */
  readonly #waiting: number[]
  readonly #members: (Member | null)[]
  readonly #results: Generation[] = []
  #cache: KeyValueCache
  /** Slots that belong to nobody. */
  readonly #free: number[]

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
    this.#waiting = [...items.keys()].sort((a, b) => length(items[a]!) - length(items[b]!))
    this.#members = new Array<null>(Math.min(WIDTH, items.length)).fill(null)
    this.#cache = new KeyValueCache(model.config, MORE_SLOTS)
    this.#free = range(0, MORE_SLOTS)
  }

  /** One more token of every running reply; the replies, in the items' order, once all have ended. */
  async step(): Promise<readonly Generation[] | null> {
    for (const [place, member] of this.#members.entries()) {
      const item = member === null ? this.#waiting.pop() : undefined
      if (item !== undefined) await this.#begin(place, item)
    }
    const running = this.#members.flatMap((member, place) => (member === null ? [] : [{ member, place }]))
    if (running.length === 0) return this.#results
    const seen = running.map(({ member }) => [...member.slots])
    const slots = running.map(({ member }) => this.#take(member))
    const logits = await this.#cache.run(this.#session, this.#lora, {
      ids: running.map(({ member }) => member.ids.at(-1)!),
      positions: seen.map(({ length }) => length),
      segments: running.map(({ place }) => place),
      slots,
      rows: range(0, running.length),
      pastMask: this.#mask(seen),
    })
    const { vocabSize } = this.#model.config
    for (const [i, { place }] of running.entries()) {
      this.#draw(place, logits.subarray(i * vocabSize, (i + 1) * vocabSize))
    }
    return null
  }

  /** Computes a prompt and draws its reply's first token. */
  async #begin(place: number, item: number): Promise<void> {
    const { promptIds, sampling } = this.#items[item]!
    const member: Member = { item, uniform: random(sampling.seed), ids: [], logprobs: [], slots: [] }
    let logits: Float32Array = new Float32Array(0)
    for (let at = 0; at < promptIds.length; at += CHUNK) {
      const ids = promptIds.slice(at, at + CHUNK)
      const n = ids.length
      const seen = [...member.slots]
      const slots = ids.map(() => this.#take(member))
      logits = await this.#cache.run(this.#session, this.#lora, {
        ids,
        positions: range(at, n),
        segments: new Array<number>(n).fill(0),
        slots,
        rows: [n - 1],
        pastMask: this.#mask([seen], 1),
      })
    }
    this.#members[place] = member
    this.#draw(place, logits)
  }

  /** A free slot for a member's next token. */
  #take(member: Member): number {
    if (this.#free.length === 0) {
      const { capacity } = this.#cache
      this.#cache = this.#cache.copy(capacity + MORE_SLOTS, capacity)
      this.#free.push(...range(capacity, MORE_SLOTS))
    }
    const slot = this.#free.pop()!
    member.slots.push(slot)
    return slot
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
    this.#free.push(...member.slots)
    this.#results[member.item] = {
      ids: member.ids,
      logprobs: Float32Array.from(member.logprobs),
      text: this.#tokenizer.decode(member.ids, { skipSpecial: true }),
      finish: stopped ? 'stop' : 'length',
      cachedTokens: 0,
    }
  }

  /** Which slots of the cache each row sees. `repeat`: rows a key head has for each. */
  #mask(seen: readonly (readonly number[])[], repeat?: number) {
    const { heads, kvHeads } = this.#model.config
    const group = repeat ?? heads / kvHeads
    const { capacity } = this.#cache
    const mask = new Float32Array(seen.length * group * capacity).fill(HIDDEN)
    for (let row = 0; row < seen.length * group; row++) {
      for (const slot of seen[Math.floor(row / group)]!) mask[row * capacity + slot] = 0
    }
    return floats(mask, [1, seen.length * group, capacity])
  }
}

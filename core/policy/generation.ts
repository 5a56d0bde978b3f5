import type { ModelTokenizer } from '../model/tokenizer.ts'
import type { FinishReason } from '../types.ts'
import type { Decoder, Loan } from './decoder.ts'
import type { GeneratedToken, GenerateRequest, Generation } from './engine.ts'
import { ReplyText } from './reply-text.ts'
import { random, sample } from './sampling.ts'

/** One reply in the making, advanced a token at a time so that several can share the thread. */
export class RunningGeneration {
  readonly #request: GenerateRequest
  readonly #tokenizer: ModelTokenizer
  readonly #loan: Loan
  readonly #limit: number
  readonly #uniform: () => number
  readonly #decoded: ReturnType<ModelTokenizer['stream']>
  readonly #text: ReplyText
  readonly #ids: number[] = []
  readonly #logprobs: number[] = []

  /** `context` bounds prompt and reply together. */
  constructor(request: GenerateRequest, decoder: Decoder, tokenizer: ModelTokenizer, context: number) {
    this.#request = request
    this.#tokenizer = tokenizer
    this.#loan = decoder.borrow(request.policy, request.promptIds)
    this.#limit = Math.min(request.sampling.maxTokens, context - request.promptIds.length)
    this.#uniform = random(request.sampling.seed)
    this.#decoded = tokenizer.stream()
    this.#text = new ReplyText(request.stop ?? [])
  }

  get cachedTokens(): number {
    return this.#loan.cachedTokens
  }

  /** Computes one more token; `finished` is set when it was the last one. */
  async step(): Promise<{ token: GeneratedToken; finished: Generation | null }> {
    const pending =
      this.#ids.length === 0 ? this.#request.promptIds.slice(this.#loan.cachedTokens) : this.#ids.slice(-1)
    const [logits] = await this.#loan.append(pending, 1)
    const { id, logprob } = sample(logits!, this.#request.sampling, this.#uniform)
    this.#ids.push(id)
    this.#logprobs.push(logprob)
    if (this.#tokenizer.endOfTurn.has(id)) {
      const text = this.#text.push(this.#decoded.end()).certain + this.#text.end()
      return { token: { id, logprob, text }, finished: this.#finish('stop') }
    }
    const { certain, stopped } = this.#text.push(this.#decoded.push(id))
    if (stopped) return { token: { id, logprob, text: certain }, finished: this.#finish('stop') }
    if (this.#ids.length < this.#limit) return { token: { id, logprob, text: certain }, finished: null }
    const rest = this.#text.push(this.#decoded.end()).certain + this.#text.end()
    return { token: { id, logprob, text: certain + rest }, finished: this.#finish('length') }
  }

  /** Gives the sequence back; what was generated so far is the reply. */
  abort(): Generation {
    return this.#finish('aborted')
  }

  #finish(finish: FinishReason): Generation {
    this.#loan.release()
    return {
      ids: this.#ids,
      logprobs: Float32Array.from(this.#logprobs),
      text: this.#text.text,
      finish,
      cachedTokens: this.#loan.cachedTokens,
    }
  }
}

/**
 * Holds back text that might be the beginning of a stop text, so that nothing is shown that must be taken back.
 */
export class ReplyText {
  readonly #stops: readonly string[]
  #held = ''
  #text = ''

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '')
  }

  /** All text that is certain so far. */
  get text(): string {
    return this.#text
  }

  /** Takes more text; returns what became certain, and whether a stop text was met. */
  push(text: string): { certain: string; stopped: boolean } {
    this.#held += text
    const at = Math.min(...this.#stops.map((stop) => this.#held.indexOf(stop)).filter((index) => index >= 0))
    if (Number.isFinite(at)) {
      const certain = this.#release(at)
      this.#held = ''
      return { certain, stopped: true }
    }
    return { certain: this.#release(this.#held.length - this.#partial()), stopped: false }
  }

  /** The end of the reply: nothing more can complete a stop text. */
  end(): string {
    return this.#release(this.#held.length)
  }

  #release(length: number): string {
    const certain = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#text += certain
    return certain
  }

  /** Length of the longest end of the held text that begins a stop text. */
  #partial(): number {
    let longest = 0
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, this.#held.length); length > longest; length--) {
        if (stop.startsWith(this.#held.slice(-length))) longest = length
      }
    }
    return longest
  }
}

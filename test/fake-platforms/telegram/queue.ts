import { Refusal } from './refusal.ts'

export interface Update {
  readonly update_id: number
  readonly [type: string]: unknown
}

export interface Webhook {
  readonly url: string
  readonly secret: string | null
}

export interface Waiting {
  readonly limit: number
  answer(updates: readonly Update[]): void
  refuse(refusal: Refusal): void
  /** The connection breaks. */
  cut(): void
}

/** Types that come only to a bot that asks for them by name. */
const ON_REQUEST = new Set(['chat_member', 'message_reaction', 'message_reaction_count'])

/** Milliseconds before a webhook that failed is called again; the last one for good. */
const RETRIES = [30, 100, 300, 1_000]

/** Confirmed updates that may come again. */
const REMEMBERED = 100

/** One bot's updates, on their way to its poller or its webhook. */
export class UpdateQueue {
  webhook: Webhook | null = null
  lastError: string | null = null
  allowed: readonly string[] = []
  #next: number
  #updates: Update[] = []
  readonly #confirmed: Update[] = []
  #waiting: Waiting | null = null
  #held: { left: number; updates: Update[] } | null = null
  #copies = 1
  #cut = false
  #calling = false
  readonly #report: (violation: string) => void

  constructor(next: number, report: (violation: string) => void) {
    this.#next = next
    this.#report = report
  }

  /** Updates that the bot has not confirmed. */
  get pending(): number {
    return this.#updates.length + (this.#held?.updates.length ?? 0)
  }

  push(type: string, content: unknown): void {
    const wanted = this.allowed.length === 0 ? !ON_REQUEST.has(type) : this.allowed.includes(type)
    if (!wanted) return
    const update: Update = { update_id: this.#next++, [type]: content }
    const copies = Array.from({ length: this.#copies }, () => update)
    this.#copies = 1
    if (this.#held !== null) {
      this.#held.updates.push(...copies)
      this.#held.left -= 1
      if (this.#held.left <= 0) this.#release()
      return
    }
    this.#updates.push(...copies)
    this.#wake()
  }

  #release(): void {
    this.#updates.push(...(this.#held?.updates ?? []).reverse())
    this.#held = null
    this.#wake()
  }

  duplicate(copies: number): void {
    this.#copies = copies
  }

  /** The next updates come in the opposite order, once there are so many; with 0, those that are held come now. */
  hold(count: number): void {
    if (count === 0) {
      this.#release()
      return
    }
    // What is held already is only held longer.
    this.#held = { left: count, updates: this.#held?.updates ?? [] }
  }

  disconnect(): void {
    if (this.#waiting === null) this.#cut = true
    else this.#waiting.cut()
    this.#waiting = null
  }

  /** The last updates come again, as after a confirmation that never arrived. */
  replay(count: number): void {
    this.#updates.unshift(...this.#confirmed.splice(-count))
    this.#wake()
  }

  /** Drops confirmed updates, but for the latest `keep`. */
  forget(keep: number): void {
    this.#confirmed.splice(0, this.#confirmed.length - keep)
  }

  /** Whether somebody waits for updates now. */
  get polled(): boolean {
    return this.#waiting !== null
  }

  /** A long poll begins. A second one ends the first, as the platform has it. */
  poll(offset: number, seconds: number, waiting: Waiting): void {
    if (this.webhook !== null) {
      const why = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
      waiting.refuse(new Refusal(409, `Conflict: ${why}`))
      return
    }
    if (this.#cut) {
      this.#cut = false
      waiting.cut()
      return
    }
    this.#waiting?.refuse(
      new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    )
    this.#waiting = null
    const kept = offset < 0 ? this.#updates.slice(offset) : this.#updates.filter((update) => update.update_id >= offset)
    this.#confirmed.push(...this.#updates.filter((update) => !kept.includes(update)))
    this.#confirmed.splice(0, this.#confirmed.length - REMEMBERED)
    this.#updates = kept
    if (this.#updates.length > 0 || seconds === 0) {
      waiting.answer(this.#updates.slice(0, waiting.limit))
      return
    }
    this.#waiting = waiting
    setTimeout(() => {
      if (this.#waiting !== waiting) return
      this.#waiting = null
      waiting.answer([])
    }, seconds * 1_000).unref()
  }

  /** Its connection was closed by the bot. */
  leave(waiting: Waiting): void {
    if (this.#waiting === waiting) this.#waiting = null
  }

  setWebhook(webhook: Webhook | null, drop: boolean): void {
    if (drop) this.#updates = []
    this.webhook = webhook
    if (webhook !== null) {
      this.#waiting?.refuse(new Refusal(409, 'Conflict: terminated by setWebhook request'))
      this.#waiting = null
    }
    this.#wake()
  }

  #wake(): void {
    if (this.webhook !== null) void this.#call()
    else if (this.#waiting !== null && this.#updates.length > 0) {
      const waiting = this.#waiting
      this.#waiting = null
      waiting.answer(this.#updates.slice(0, waiting.limit))
    }
  }

  /** Calls the webhook with one update after another, each until it is accepted. */
  async #call(): Promise<void> {
    if (this.#calling) return
    this.#calling = true
    let failures = 0
    for (let update = this.#updates[0]; update !== undefined && this.webhook !== null; update = this.#updates[0]) {
      const status = await this.#post(this.webhook, update)
      if (status >= 200 && status < 300) {
        failures = 0
        this.#updates.splice(this.#updates.indexOf(update), 1)
        continue
      }
      this.lastError = `Wrong response from the webhook: ${status}`
      await new Promise((resolve) => setTimeout(resolve, RETRIES[Math.min(failures, RETRIES.length - 1)]).unref())
      failures += 1
    }
    this.#calling = false
  }

  async #post({ url, secret }: Webhook, update: Update): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      ...(secret === null ? {} : { 'x-telegram-bot-api-secret-token': secret }),
    }
    try {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) })
      if ((await response.text()) !== '') this.#report('the webhook answered with a body')
      return response.status
    } catch {
      return 0
    }
  }
}

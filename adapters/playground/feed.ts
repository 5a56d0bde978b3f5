import { randomUUID } from 'node:crypto'
import type { Update } from './protocol.ts'

/** An update with the id that a client names to go on after it. */
export interface Numbered {
  readonly id: string
  readonly update: Update
}

/** How many updates are kept for those who come back. */
const KEPT = 5_000

/** What happens in the workspaces, told to whoever listens. Nothing here is the truth: who missed too much reads it anew. */
export class Feed {
  /** Ids of another run mean nothing in this one. */
  readonly #run = randomUUID().slice(0, 8)
  readonly #listeners = new Map<string, Set<(numbered: Numbered) => void>>()
  readonly #kept: { readonly workspace: string; readonly number: number; readonly update: Update }[] = []
  /** Replies in the making, by workspace and turn: who comes in the middle gets what is there. */
  readonly #growing = new Map<string, Map<string, { readonly conversation: string; text: string }>>()
  #number = 0

  publish(workspace: string, update: Update): void {
    const number = ++this.#number
    this.#kept.push({ workspace, number, update })
    if (this.#kept.length > KEPT) this.#kept.shift()
    this.#grow(workspace, update)
    for (const hear of this.#listeners.get(workspace) ?? []) hear({ id: this.#id(number), update })
  }

  /** Hears what came after `since`, or what is in the making, and then every update. Returns how to stop. */
  subscribe(workspace: string, since: string | null, hear: (numbered: Numbered) => void): () => void {
    for (const numbered of this.#missed(workspace, since)) hear(numbered)
    const listeners = this.#listeners.get(workspace) ?? new Set()
    this.#listeners.set(workspace, listeners.add(hear))
    return () => {
      listeners.delete(hear)
      if (listeners.size === 0) this.#listeners.delete(workspace)
    }
  }

  #missed(workspace: string, since: string | null): Numbered[] {
    const id = this.#id(this.#number)
    if (since === null) return this.#unfinished(workspace).map((update) => ({ id, update }))
    const [run, after] = since.split('.')
    const oldest = this.#kept[0]?.number ?? this.#number + 1
    if (run !== this.#run || Number(after) < oldest - 1) {
      return [{ id, update: { type: 'reset' } }, ...this.#unfinished(workspace).map((update) => ({ id, update }))]
    }
    return this.#kept
      .filter((kept) => kept.workspace === workspace && kept.number > Number(after))
      .map(({ number, update }) => ({ id: this.#id(number), update }))
  }

  #unfinished(workspace: string): Update[] {
    return [...(this.#growing.get(workspace) ?? [])].map(([turn, { conversation, text }]) => {
      return { type: 'writing', conversation, turn, from: 0, text }
    })
  }

  #grow(workspace: string, update: Update): void {
    const growing = this.#growing.get(workspace) ?? new Map()
    if (update.type === 'writing') {
      const { turn, conversation, from, text } = update
      const before: string = growing.get(turn)?.text ?? ''
      growing.set(turn, { conversation, text: before.slice(0, from) + text })
    } else if (update.type === 'reply' || update.type === 'failed') {
      growing.delete(update.turn)
    }
    if (growing.size > 0) this.#growing.set(workspace, growing)
    else this.#growing.delete(workspace)
  }

  #id(number: number): string {
    return `${this.#run}.${number}`
  }
}

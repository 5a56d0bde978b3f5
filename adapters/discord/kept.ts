/** An interaction that may still be answered. */
export interface Kept {
  readonly token: string
  /** The id of the event that was made of it. */
  readonly event: string
  readonly person: string
  readonly conversation: string
  /** The message whose button it was; null for a command. */
  readonly message: string | null
  readonly at: number
  /** Whether the person still sees that the bot is at it. */
  deferred: boolean
}

/** Discord takes answers for a quarter of an hour. */
const KEPT_MS = 15 * 60_000 - 10_000

export interface Keeping {
  keep(kept: Kept): void
  /** The newest that is like it, if it may still be answered. */
  find(wanted: Partial<Kept>): Kept | undefined
}

export function createKeeping(now: () => number): Keeping {
  let all: readonly Kept[] = []
  const open = () => all.filter(({ at }) => now() - at < KEPT_MS)
  return {
    keep(kept) {
      all = [...open(), kept]
    },
    find(wanted) {
      const keys = Object.keys(wanted) as (keyof Kept)[]
      return open().findLast((kept) => keys.every((key) => kept[key] === wanted[key]))
    },
  }
}

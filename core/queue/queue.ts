/**
 * What there is to do. Keys of `conversation-…` name a conversation of that platform; of `judged-…` a turn whose people
 * may be told what was learned; of `version-…` a version that serves from now on. The others have one key.
 */
export type Topic = `${'conversation' | 'judged' | 'version'}-${string}` | 'judge' | 'lessons'

/**
 * Wakes whoever does the work; what there is to do stands in the store alone. So a wake-up that is lost or doubled
 * costs nothing: every worker also looks into the store when it starts and from time to time.
 */
export interface Queue {
  /** Asks that the key be worked on soon, here or elsewhere. Neither waits nor fails. */
  wake(topic: Topic, key: string): void
  /**
   * Works on a topic's keys, `concurrency` of them at once in this process. The same key never runs twice at once,
   * anywhere; woken while it runs, it runs once more. A run that throws is reported, and its key rests until it is
   * woken again. One worker a topic and process.
   */
  work(topic: Topic, concurrency: number, run: (key: string) => Promise<void>): void
  /** Resolves when nothing waits or runs in this process. */
  idle(): Promise<void>
  /** Takes up nothing more and waits for what runs here. */
  close(): Promise<void>
}

/** The names that make a key, in order. */
export function keyOf(...names: readonly string[]): string {
  return JSON.stringify(names)
}

export function namesOf(key: string): string[] {
  return JSON.parse(key) as string[]
}

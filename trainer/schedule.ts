import type { Config } from '../config/config.ts'
import type { ReadySamples } from '../core/store/samples.ts'
import type { LessonStore } from '../core/store/store.ts'
import type { PolicyRef } from '../core/types.ts'
import { untilAllowed } from './when.ts'

export type Work =
  | { readonly what: 'lessons' | 'rehearsal' | 'notes'; readonly ref: PolicyRef }
  | { readonly what: 'nothing'; readonly waitMilliseconds: number }

export type ScheduleSettings = Pick<Config['trainer'], 'batch' | 'waitSeconds' | 'rehearsal' | 'when'>

/** Looks again after this long even when nobody woke it: a wake-up may be lost. */
const LONGEST_WAIT = 60_000

/** Weights whose training failed rest so long, twice as long with each failure that follows. [ms] */
const [FIRST_REST, LONGEST_REST] = [5_000, 600_000]

/**
 * Decides what is trained next: batches that are full or have waited long enough, then rehearsal, then, while nobody
 * chats, whether notes are still needed. Of several that are due the one comes first whose last turn was the longest
 * ago, then the one whose lessons have waited longest: one version each in turn.
 */
export class Schedule {
  readonly #store: LessonStore
  readonly #settings: ScheduleSettings
  /** Weights with nothing to rehearse, until they have new lessons. */
  readonly #skipped = new Set<string>()
  /** When each weights' turn was last, by a counter. */
  readonly #turns = new Map<string, number>()
  #count = 0
  /** Weights whose training failed last: how many times in a row, and until when they rest. */
  readonly #failed = new Map<string, { readonly times: number; readonly until: number }>()

  constructor(store: LessonStore, settings: ScheduleSettings) {
    this.#store = store
    this.#settings = settings
  }

  /** `flush`: somebody waits, so a batch need not be full, nor the hour the right one. */
  async next(now: number, flush: boolean): Promise<Work> {
    const { batch, waitSeconds, when } = this.#settings
    const chattedAt = await this.#store.lastActivity()
    const closed = flush ? 0 : untilAllowed(when, now, chattedAt)
    if (closed > 0) return { what: 'nothing', waitMilliseconds: Math.min(LONGEST_WAIT, closed) }
    const rests = (ref: PolicyRef) => Math.max(0, (this.#failed.get(key(ref))?.until ?? 0) - now)
    const ready = await this.#store.readySamples()
    const isDue = ({ count, oldestAt }: ReadySamples) => flush || count >= batch || now - oldestAt >= waitSeconds * 1000
    const due = this.#longestWaiting(ready.filter((one) => isDue(one) && rests(one.ref) === 0).map(({ ref }) => ref))
    if (due !== undefined) {
      this.#skipped.delete(key(due))
      return this.#turn('lessons', due)
    }
    const trained = await this.#store.trainedPolicies()
    const rest = trained.filter((ref) => !this.#skipped.has(key(ref)) && rests(ref) === 0)
    const rehearsing: PolicyRef[] = []
    for (const ref of rest) if (await this.#rehearsalsDue(ref)) rehearsing.push(ref)
    const next = this.#longestWaiting(rehearsing)
    if (next !== undefined) return this.#turn('rehearsal', next)
    for (const ref of untilAllowed('idle', now, chattedAt) > 0 ? [] : rest) {
      const serving = await this.#store.servingVersion(ref)
      if (serving > 0 && (await this.#store.uncheckedNote(ref, serving)) !== null) return { what: 'notes', ref }
    }
    const waits = ready.map(({ ref, oldestAt }) => Math.max(rests(ref), oldestAt + waitSeconds * 1000 - now))
    return { what: 'nothing', waitMilliseconds: Math.min(LONGEST_WAIT, ...waits) }
  }

  /** Nothing can be done for these weights until they have new lessons. */
  skip(ref: PolicyRef): void {
    this.#skipped.add(key(ref))
  }

  /** Its training has failed, and what fails may fail again. */
  failed(ref: PolicyRef, now: number): void {
    const times = (this.#failed.get(key(ref))?.times ?? 0) + 1
    this.#failed.set(key(ref), { times, until: now + Math.min(LONGEST_REST, FIRST_REST * 2 ** (times - 1)) })
  }

  succeeded(ref: PolicyRef): void {
    this.#failed.delete(key(ref))
  }

  #turn(what: 'lessons' | 'rehearsal', ref: PolicyRef): Work {
    this.#turns.set(key(ref), ++this.#count)
    return { what, ref }
  }

  /** The first of those whose turn was the longest ago. */
  #longestWaiting(refs: readonly PolicyRef[]): PolicyRef | undefined {
    const last = (ref: PolicyRef) => this.#turns.get(key(ref)) ?? 0
    return refs.toSorted((a, b) => last(a) - last(b))[0]
  }

  /** Counts the rounds since the newest batch by the versions they left, so that a restart knows them too. */
  async #rehearsalsDue(ref: PolicyRef): Promise<boolean> {
    const versions = await this.#store.listVersions(ref)
    const rounds = versions.findIndex(({ lessons }) => lessons > 0)
    return rounds >= 0 && rounds < this.#settings.rehearsal
  }
}

function key({ platform, workspace, scope }: PolicyRef): string {
  return JSON.stringify([platform, workspace, scope ?? null])
}

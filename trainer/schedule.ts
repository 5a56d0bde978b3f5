import type { LessonStore } from '../core/store/store.ts'
import type { WorkspaceRef } from '../core/types.ts'

export type Work =
  | { readonly what: 'lessons' | 'rehearsal'; readonly ref: WorkspaceRef }
  | { readonly what: 'nothing'; readonly waitMilliseconds: number }

export interface ScheduleSettings {
  readonly batch: number
  readonly waitSeconds: number
  /** Rounds after each batch. */
  readonly rehearsal: number
}

/** Looks again after this long even when nobody woke it: a wake-up may be lost. */
const LONGEST_WAIT = 60_000

/** Decides what is trained next: full batches, then batches that waited long enough, then rehearsal. */
export class Schedule {
  readonly #store: LessonStore
  readonly #settings: ScheduleSettings
  /** Workspaces with nothing to rehearse, until they have new lessons. */
  readonly #skipped = new Set<string>()

  constructor(store: LessonStore, settings: ScheduleSettings) {
    this.#store = store
    this.#settings = settings
  }

  /** `flush`: a batch need not be full. */
  async next(now: number, flush: boolean): Promise<Work> {
    const { batch, waitSeconds } = this.#settings
    const ready = await this.#store.readySamples()
    const due = ready.find(({ count, oldestAt }) => flush || count >= batch || now - oldestAt >= waitSeconds * 1000)
    if (due !== undefined) {
      this.#skipped.delete(key(due.ref))
      return { what: 'lessons', ref: due.ref }
    }
    for (const ref of await this.#store.learningWorkspaces()) {
      if (!this.#skipped.has(key(ref)) && (await this.#rehearsalsDue(ref))) return { what: 'rehearsal', ref }
    }
    const waits = ready.map(({ oldestAt }) => oldestAt + waitSeconds * 1000 - now)
    return { what: 'nothing', waitMilliseconds: Math.min(LONGEST_WAIT, ...waits) }
  }

  /** Nothing can be done for this workspace until it has new lessons. */
  skip(ref: WorkspaceRef): void {
    this.#skipped.add(key(ref))
  }

  /** Counts the rounds since the newest batch by the versions they left, so that a restart knows them too. */
  async #rehearsalsDue(ref: WorkspaceRef): Promise<boolean> {
    const newest = (await this.#store.nextVersion(ref)) - 1
    for (let version = newest, rounds = 0; version > 0; version--, rounds++) {
      const record = await this.#store.findVersion(ref, version)
      if (record === null || record.lessons > 0) return rounds < this.#settings.rehearsal
    }
    return false
  }
}

function key({ platform, workspace }: WorkspaceRef): string {
  return `${platform}\n${workspace}`
}

import { describe, expect, it } from 'vitest'
import type { ReadySamples } from '../../core/store/samples.ts'
import type { LessonStore } from '../../core/store/store.ts'
import type { WorkspaceRef } from '../../core/types.ts'
import { Schedule } from '../../trainer/schedule.ts'

const home: WorkspaceRef = { platform: 'terminal', workspace: 'home' }
const work: WorkspaceRef = { platform: 'terminal', workspace: 'work' }
const settings = { batch: 4, waitSeconds: 60, rehearsal: 1 }

/** What the schedule reads: samples that wait, and how many lessons each version had. */
function store(ready: ReadySamples[], lessons: Record<string, number[]> = {}): LessonStore {
  const of = (ref: WorkspaceRef) => lessons[ref.workspace] ?? []
  return {
    readySamples: async () => ready,
    learningWorkspaces: async () => [home, work],
    nextVersion: async (ref) => of(ref).length + 1,
    findVersion: async (ref, version) => ({ lessons: of(ref)[version - 1] }),
  } as Partial<LessonStore> as LessonStore
}

describe('the trainer', () => {
  it('learns a full batch first', async () => {
    const ready = [
      { ref: home, count: 3, oldestAt: 0 },
      { ref: work, count: 4, oldestAt: 1 },
    ]
    expect(await new Schedule(store(ready), settings).next(1000, false)).toEqual({ what: 'lessons', ref: work })
  })

  it('learns a smaller batch when it has waited, or when asked not to wait', async () => {
    const schedule = new Schedule(store([{ ref: home, count: 1, oldestAt: 5_000 }]), settings)
    expect(await schedule.next(6_000, false)).toEqual({ what: 'nothing', waitMilliseconds: 59_000 })
    expect(await schedule.next(65_000, false)).toEqual({ what: 'lessons', ref: home })
    expect(await schedule.next(6_000, true)).toEqual({ what: 'lessons', ref: home })
  })

  it('rehearses as often as it may after each batch, which a restart knows too', async () => {
    const next = (versions: number[], rehearsal = 1) =>
      new Schedule(store([], { home: versions }), { ...settings, rehearsal }).next(0, false)
    expect(await next([4])).toEqual({ what: 'rehearsal', ref: home })
    expect(await next([4, 0])).toMatchObject({ what: 'nothing' })
    expect(await next([4, 0], 2)).toEqual({ what: 'rehearsal', ref: home })
    expect(await next([4, 0, 0], 2)).toMatchObject({ what: 'nothing' })
    expect(await next([4, 0, 4])).toEqual({ what: 'rehearsal', ref: home })
    expect(await next([4], 0)).toMatchObject({ what: 'nothing' })
    expect(await next([])).toMatchObject({ what: 'nothing' })
  })

  it('leaves a workspace with nothing to rehearse alone until it has new lessons', async () => {
    const ready: ReadySamples[] = []
    const schedule = new Schedule(store(ready, { home: [4] }), settings)
    schedule.skip(home)
    expect(await schedule.next(0, false)).toMatchObject({ what: 'nothing' })
    ready.push({ ref: home, count: 4, oldestAt: 0 })
    expect(await schedule.next(0, false)).toEqual({ what: 'lessons', ref: home })
    ready.pop()
    expect(await schedule.next(0, false)).toEqual({ what: 'rehearsal', ref: home })
  })
})

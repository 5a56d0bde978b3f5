import { describe, expect, it } from 'vitest'
import type { KeptNote } from '../../core/memory/notes.ts'
import type { ReadySamples } from '../../core/store/samples.ts'
import type { LessonStore } from '../../core/store/store.ts'
import type { ListedVersion } from '../../core/store/versions.ts'
import type { PolicyRef } from '../../core/types.ts'
import { Schedule, type ScheduleSettings } from '../../trainer/schedule.ts'

const home: PolicyRef = { platform: 'terminal', workspace: 'home' }
const work: PolicyRef = { platform: 'terminal', workspace: 'work' }
const settings: ScheduleSettings = { batch: 4, waitSeconds: 60, rehearsal: 1, when: 'always' }

interface Seen {
  readonly ready?: readonly ReadySamples[]
  /** How many lessons each version of a workspace had, oldest first. */
  readonly lessons?: Readonly<Record<string, readonly number[]>>
  readonly chattedAt?: number
  /** A note that may have been learned. */
  readonly note?: boolean
}

/** What the schedule reads. */
function store({ ready = [], lessons = {}, chattedAt = 0, note = false }: Seen): LessonStore {
  const of = (ref: PolicyRef) => lessons[ref.workspace] ?? []
  return {
    readySamples: async () => [...ready],
    trainedPolicies: async () => [home, work],
    lastActivity: async () => chattedAt,
    servingVersion: async (ref) => of(ref).length,
    listVersions: async (ref) =>
      of(ref)
        .map((count) => ({ lessons: count }) as ListedVersion)
        .reverse(),
    uncheckedNote: async () => (note ? ({} as KeptNote) : null),
  } as Partial<LessonStore> as LessonStore
}

const next = (seen: Seen, now = 0, flush = false, changed: Partial<ScheduleSettings> = {}) =>
  new Schedule(store(seen), { ...settings, ...changed }).next(now, flush)

describe('the trainer', () => {
  it('learns a full batch first', async () => {
    const ready = [
      { ref: home, count: 3, oldestAt: 0 },
      { ref: work, count: 4, oldestAt: 1 },
    ]
    expect(await next({ ready }, 1000)).toEqual({ what: 'lessons', ref: work })
  })

  it('learns a smaller batch when it has waited, or when asked not to wait', async () => {
    const ready = [{ ref: home, count: 1, oldestAt: 5_000 }]
    expect(await next({ ready }, 6_000)).toEqual({ what: 'nothing', waitMilliseconds: 59_000 })
    expect(await next({ ready }, 65_000)).toEqual({ what: 'lessons', ref: home })
    expect(await next({ ready }, 6_000, true)).toEqual({ what: 'lessons', ref: home })
  })

  it('gives each one version in turn, however much waits for one of them', async () => {
    const ann: PolicyRef = { ...home, scope: 'ann' }
    const ready = [
      { ref: home, count: 900, oldestAt: 0 },
      { ref: work, count: 4, oldestAt: 1 },
      { ref: ann, count: 1, oldestAt: 2 },
    ]
    const schedule = new Schedule(store({ ready }), settings)
    const turns = []
    for (let i = 0; i < 6; i++) turns.push(await schedule.next(100_000, false))
    expect(turns).toEqual([home, work, ann, home, work, ann].map((ref) => ({ what: 'lessons', ref })))
  })

  it('lets weights whose training fails rest, longer each time, and goes on with the others', async () => {
    const ready = [
      { ref: home, count: 4, oldestAt: 0 },
      { ref: work, count: 4, oldestAt: 1 },
    ]
    const schedule = new Schedule(store({ ready }), settings)
    schedule.failed(home, 100_000)
    for (const now of [100_000, 104_999]) expect(await schedule.next(now, false)).toMatchObject({ ref: work })
    expect(await schedule.next(105_000, false)).toEqual({ what: 'lessons', ref: home })
    schedule.failed(home, 105_000)
    schedule.failed(work, 105_000)
    expect(await schedule.next(106_000, true)).toEqual({ what: 'nothing', waitMilliseconds: 4_000 })
    expect(await schedule.next(110_000, false)).toEqual({ what: 'lessons', ref: work })
    expect(await schedule.next(115_000, false)).toEqual({ what: 'lessons', ref: home })
    for (let i = 0; i < 20; i++) schedule.failed(home, 0)
    expect(await schedule.next(600_000, false)).toMatchObject({ what: 'lessons' })
    schedule.succeeded(home)
    schedule.failed(home, 1_000_000)
    schedule.failed(work, 1_000_000)
    expect(await schedule.next(1_005_000, false)).toEqual({ what: 'lessons', ref: home })
  })

  it('rehearses as often as it may after each batch, which a restart knows too', async () => {
    const following = (versions: number[], rehearsal = 1) =>
      next({ lessons: { home: versions } }, 0, false, { rehearsal })
    expect(await following([4])).toEqual({ what: 'rehearsal', ref: home })
    expect(await following([4, 0])).toMatchObject({ what: 'nothing' })
    expect(await following([4, 0], 2)).toEqual({ what: 'rehearsal', ref: home })
    expect(await following([4, 0, 0], 2)).toMatchObject({ what: 'nothing' })
    expect(await following([4, 0, 4])).toEqual({ what: 'rehearsal', ref: home })
    expect(await following([4], 0)).toMatchObject({ what: 'nothing' })
    expect(await following([])).toMatchObject({ what: 'nothing' })
  })

  it('rehearses in turn as well', async () => {
    const schedule = new Schedule(store({ lessons: { home: [4], work: [4] } }), settings)
    expect(await schedule.next(0, false)).toEqual({ what: 'rehearsal', ref: home })
    expect(await schedule.next(0, false)).toEqual({ what: 'rehearsal', ref: work })
  })

  it('leaves weights with nothing to rehearse alone until they have new lessons', async () => {
    const ready: ReadySamples[] = []
    const schedule = new Schedule(store({ ready, lessons: { home: [4] } }), settings)
    schedule.skip(home)
    expect(await schedule.next(0, false)).toMatchObject({ what: 'nothing' })
    ready.push({ ref: home, count: 4, oldestAt: 0 })
    expect(await schedule.next(0, false)).toEqual({ what: 'lessons', ref: home })
    ready.pop()
    expect(await schedule.next(0, false)).toEqual({ what: 'rehearsal', ref: home })
  })

  it('keeps to its times, for lessons and rehearsal, unless somebody waits', async () => {
    const ready = [{ ref: home, count: 9, oldestAt: 0 }]
    const seen = { ready, lessons: { home: [4] }, chattedAt: 1_000_000 }
    expect(await next(seen, 1_010_000, false, { when: 'idle' })).toEqual({ what: 'nothing', waitMilliseconds: 60_000 })
    expect(await next(seen, 1_290_000, false, { when: 'idle' })).toEqual({ what: 'nothing', waitMilliseconds: 10_000 })
    expect(await next(seen, 1_300_000, false, { when: 'idle' })).toMatchObject({ what: 'lessons' })
    expect(await next(seen, 1_010_000, true, { when: 'idle' })).toMatchObject({ what: 'lessons' })
  })

  it('asks whether notes are still needed when nothing else is due and nobody chats', async () => {
    const seen = { lessons: { home: [4, 0] }, note: true, chattedAt: 1_000_000 }
    expect(await next(seen, 1_010_000)).toMatchObject({ what: 'nothing' })
    expect(await next(seen, 1_300_000)).toEqual({ what: 'notes', ref: home })
  })
})

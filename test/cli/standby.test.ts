import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Adapter, Health } from '../../adapters/adapter.ts'
import { standby } from '../../cli/standby.ts'
import { type Lease, type Leases, openLeases } from '../../core/store/leases.ts'
import type { Store } from '../../core/store/store.ts'
import type { Event } from '../../core/types.ts'
import { fakePlatform } from '../core/loop.ts'
import { newPlace, type Place } from '../stores.ts'

const TERM = 300
const LOOK = 20
const NAME = 'platform slack'

let place: Place
let store: Store
let leases: Leases[]
const faults: unknown[] = []
const report = (fault: unknown) => void faults.push(fault)

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  leases = []
})

afterEach(async () => {
  for (const one of leases) await one.close()
  await store.close()
  place.remove()
  faults.splice(0)
})

/** A process of the bot: what it did with its connections, `start` and `stop`, and the adapter that it has. */
async function processOf(over: Partial<Adapter> = {}, claim = claiming()) {
  const did: string[] = []
  const create = (): Adapter => {
    let health: Health = { state: 'connecting', since: 1, detail: null }
    return {
      ...fakePlatform('slack'),
      async start(deliver) {
        did.push('start')
        health = { state: 'connected', since: 1, detail: null }
        await deliver({} as Event)
      },
      async stop() {
        did.push('stop')
      },
      health: () => health,
      ...over,
    }
  }
  const delivered: Event[] = []
  const adapter = await standby({ create, claim, report, look: LOOK })
  const ended = adapter.start(async (event) => void delivered.push(event))
  return { did, delivered, adapter, ended, state: () => adapter.health().state }
}

function claiming(): () => Promise<Lease | null> {
  const one = openLeases(store.db, report, TERM)
  leases.push(one)
  return () => one.claim(NAME)
}

describe('of two processes of one bot', () => {
  test('one is connected, and the other takes over when that ends', async () => {
    const [first, second] = [await processOf(), await processOf()]
    await expect.poll(first.state).toBe('connected')
    expect(second.adapter.health()).toMatchObject({ state: 'standby', detail: expect.stringContaining('takes over') })
    await new Promise((resolve) => setTimeout(resolve, 2 * TERM))
    expect([first.did, second.did]).toEqual([['start'], []])
    await first.adapter.stop()
    await first.ended
    await expect.poll(second.state).toBe('connected')
    expect(second.delivered).toHaveLength(1)
    await second.adapter.stop()
    expect([first.did, second.did]).toEqual([
      ['start', 'stop'],
      ['start', 'stop'],
    ])
    expect(faults).toEqual([])
  })

  test('one takes over from another that was killed', async () => {
    const now = Date.now()
    await store.db
      .insertInto('leases')
      .values({ name: NAME, holder: 'killed', expires_at: now + TERM })
      .execute()
    const { state, adapter } = await processOf()
    expect(state()).toBe('standby')
    await expect.poll(state).toBe('connected')
    await adapter.stop()
  })

  test('one that hung leaves the platform to the other, and comes back when that is gone', async () => {
    const { state, did, adapter } = await processOf()
    await expect.poll(state).toBe('connected')
    const taken = { holder: 'another', expires_at: Date.now() + 3_600_000 }
    await store.db.updateTable('leases').set(taken).execute()
    await expect.poll(state).toBe('standby')
    expect(did).toEqual(['start', 'stop'])
    expect(faults).toMatchObject([{ code: 'PLATFORM_LOST', message: expect.stringContaining('slack') }])
    await store.db.deleteFrom('leases').execute()
    await expect.poll(state).toBe('connected')
    expect(did).toEqual(['start', 'stop', 'start'])
    await adapter.stop()
  })

  test('one that cannot start gives the other a chance', async () => {
    const first = await processOf({ start: () => Promise.reject(new Error('the port is taken')) })
    await expect(first.ended).rejects.toThrow('the port is taken')
    const second = await processOf()
    await expect.poll(second.state).toBe('connected')
    await second.adapter.stop()
  })
})

test('a connection is kept while the store cannot say whose it is', async () => {
  const lost: Lease = { held: () => false, release: async () => {} }
  let claims = 0
  const claim = async () => {
    if (++claims > 1) throw new Error('the store is away')
    return lost
  }
  const { state, did, adapter } = await processOf({}, claim)
  await expect.poll(() => claims).toBeGreaterThan(3)
  expect(state()).toBe('connected')
  expect(did).toEqual(['start'])
  await adapter.stop()
})

test('ends while it is being connected', async () => {
  let stop = () => {}
  const starting = new Promise<void>((resolve) => {
    stop = resolve
  })
  const { adapter, ended } = await processOf({ start: () => starting, stop: async () => stop() })
  await adapter.stop()
  await ended
})

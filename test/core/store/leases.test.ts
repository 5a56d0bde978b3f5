import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Leases, openLeases } from '../../../core/store/leases.ts'
import type { Store } from '../../../core/store/store.ts'
import { newPlace, type Place } from '../../stores.ts'

const TERM = 600

let place: Place
let store: Store
let one: Leases
let other: Leases
const faults: unknown[] = []

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  one = openLeases(store.db, (fault) => faults.push(fault), TERM)
  other = openLeases(store.db, (fault) => faults.push(fault), TERM)
})

afterEach(async () => {
  await one.close()
  await other.close()
  await store.close()
  place.remove()
  expect(faults.splice(0)).toEqual([])
})

describe('a lease', () => {
  test('is held by one at a time, and free again when it is released', async () => {
    const lease = await one.claim('c')
    expect(lease?.held()).toBe(true)
    expect(await other.claim('c')).toBeNull()
    expect(await one.claim('c')).toBeNull()
    expect((await other.claim('d'))?.held()).toBe(true)
    await lease?.release()
    expect(lease?.held()).toBe(false)
    expect((await other.claim('c'))?.held()).toBe(true)
  })

  test('is renewed as long as its process lives', async () => {
    const lease = await one.claim('c')
    await sleep(3 * TERM)
    expect(lease?.held()).toBe(true)
    expect(await other.claim('c')).toBeNull()
  })

  test('of a process that is gone is given to the next, never to two', async () => {
    const dead = await one.claim('c')
    // As if its process hung: nobody renews any more.
    await store.db.updateTable('leases').set({ expires_at: 0 }).execute()
    const claims = await Promise.all([other.claim('c'), other.claim('c'), one.claim('c')])
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
    // The late one learns of it before it would have to renew, and takes nothing back.
    await sleep(1.2 * TERM)
    expect(dead?.held()).toBe(false)
    await dead?.release()
    expect(await one.claim('c')).toBeNull()
  })

  test('is let go with the process', async () => {
    await one.claim('c')
    await one.close()
    expect((await other.claim('c'))?.held()).toBe(true)
  })
})

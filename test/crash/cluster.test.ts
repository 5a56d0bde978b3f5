import { beforeAll, expect, test } from 'vitest'
import { random } from '../../core/policy/sampling.ts'
import { hasPostgres } from '../services/postgres.ts'
import { hasRedis } from '../services/redis.ts'
import { buildMembers, runDrill } from './cluster.ts'

beforeAll(buildMembers, 60_000)

test.skipIf(!hasPostgres || !hasRedis)(
  'processes killed, Redis and PostgreSQL stopped under load: everything is there once, and goes on within 10 s',
  async () => {
    const seed = Date.now() % 1e6
    const { flaws, resumed, questions } = await runDrill({ kills: 8, outages: 1, seed: random(seed) })
    expect(flaws, `seed ${seed}`).toEqual([])
    expect(questions).toBeGreaterThan(20)
    expect(Math.max(...resumed.map(({ ms }) => ms))).toBeLessThan(10_000)
  },
  150_000,
)

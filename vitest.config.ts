import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { hasPostgres } from './test/services/postgres.ts'
import { tally } from './test/tally.ts'

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const using = (...names: string[]) =>
  tests.filter(({ text }) => names.some((name) => text.includes(name))).map(({ path }) => path)

/** Tests on the real model take every core: they run last, one file at a time. */
const HEAVY = using('/real-model.ts')

/**
 * Tests on a store run once on SQLite and, where there is one, once more on PostgreSQL. Of the platforms' only those of
 * Slack's installations do: to the rest one database is like the other.
 */
const STORED = using('/stores.ts', '/loop.ts').filter(
  (path) => !/^test\/(?:reports|cli|adapters)\//.test(path) || path === 'test/adapters/slack/connection.test.ts',
)

const FAST = { testTimeout: 20_000, hookTimeout: 20_000, sequence: { groupOrder: 0 } }

const POSTGRES = {
  name: 'PostgreSQL',
  include: STORED,
  exclude: HEAVY,
  globalSetup: 'test/services/shared-postgres.ts',
  ...FAST,
}

// biome-ignore lint/style/noDefaultExport: the shape vitest reads
export default defineConfig({
  test: {
    reporters: ['default', tally],
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: HEAVY,
          ...FAST,
        },
      },
      ...(hasPostgres ? [{ test: POSTGRES }] : []),
      {
        test: {
          name: 'real model',
          include: HEAVY,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { hasPostgres } from './test/services/postgres.ts'
import { tally } from './test/tally.ts'

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const using = (...names: string[]) =>
  tests.filter(({ text }) => names.some((name) => text.includes(name))).map(({ path }) => path)

/** Tests on the real model take every core: they run after all others. */
const HEAVY = using('/real-model.ts')

/**
 * Tests on a store run once on SQLite and, where there is one, once more on PostgreSQL. Of the platforms' only those of
 * Slack's installations do: to the rest one database is like the other.
 */
const STORED = using('/stores.ts', '/loop.ts').filter(
  (path) => !/^test\/(?:reports|cli|adapters)\//.test(path) || path === 'test/adapters/slack/connection.test.ts',
)

/** The longest time that a file gives one of its tests, in seconds: 0 where it leaves that to the project. */
const patience = new Map(
  tests.map(({ path, text }) => {
    const times = [...text.matchAll(/^(?:\}, | *timeout: )(\d+)_000/gm)].map(([, seconds]) => Number(seconds))
    return [resolve(path), Math.max(0, ...times)]
  }),
)

/** Tests against platforms mostly wait, as people and networks make them. */
const waits = (path: string) => /\/test\/(?:adapters|reports)\//.test(path)

/**
 * What may take longest begins first, also where no earlier run has shown it: none is left running alone. Tests that
 * wait stand between those that compute.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const of = ({ moduleId }: TestSpecification) => patience.get(moduleId) ?? 0
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project).sort((a, b) => of(b) - of(a))
      const [waiting, computing] = [
        own.filter((file) => waits(file.moduleId)),
        own.filter((file) => !waits(file.moduleId)),
      ]
      return own.flatMap((_, i) => [...computing.slice(i, i + 1), ...waiting.slice(i, i + 1)])
    })
  }
}

/** Files share their worker's process and modules: to load the modules for each anew takes longer than most files. */
const FAST = { testTimeout: 20_000, hookTimeout: 20_000, sequence: { groupOrder: 0 }, isolate: false }

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
    // They wait more than they compute.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { tally } from './test/tally.ts'

/** Tests on the real model take every core: they run last, one file at a time. */
const HEAVY = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('/real-model.ts'))

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
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
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

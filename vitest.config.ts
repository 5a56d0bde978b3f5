import { defineConfig } from 'vitest/config'
import { tally } from './test/tally.ts'

/** Tests that load a real model take every core: they run last, one file at a time. */
const HEAVY = ['test/**/*.weights.test.ts']

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
          name: 'weights',
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

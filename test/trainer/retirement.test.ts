import { expect, test } from 'vitest'
import { isAsGood } from '../../trainer/retirement.ts'

test.each<[string, number[], number[], number, number, boolean]>([
  ['all follow without it', [1, 1, 1, 1], [1, 1, 1, 1], 0.75, 1, true],
  ['more follow without it', [1, 1, 1, 1], [1, 0, 1, 1], 0.75, 1, true],
  ['fewer follow without it', [1, 1, 1, 0], [1, 1, 1, 1], 0.75, 1, false],
  ['nobody follows either way', [0, 0, 0, 0], [0, 0, 0, 0], 0.75, 1, false],
  ['as many, but too few', [1, 1, 0, 0], [1, 1, 0, 0], 0.75, 1, false],
  ['the margin is nearly all there', [0.19, 0.2], [0.2, 0.2], 0, 0.9, true],
  ['half of the margin is there', [0.1, 0.1], [0.2, 0.2], 0, 0.9, false],
  ['neither has a margin', [-0.1, 0], [-0.2, -0.1], 0, 0.9, false],
])('%s', (_name, without, withIt, least, kept, good) => {
  expect(isAsGood(without, withIt, least, kept)).toBe(good)
})

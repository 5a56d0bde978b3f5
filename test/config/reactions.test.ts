import { expect, test } from 'vitest'
import { reactionKey, reactionScore } from '../../config/reactions.ts'

test.each([
  ['+1', 1],
  [':thumbsup:', 1],
  ['👍🏽', 1],
  [':+1::skin-tone-3:', 1],
  ['❤️', 1],
  ['❤', 1],
  ['+', 1],
  ['-', -1],
  [':-1:', -1],
  ['👎🏿', -1],
  ['🤦🏻‍♀️', -1],
  [':woman-facepalming::skin-tone-2:', -1],
  ['eyes', 0],
  ['🤔', 0],
  ['💀', 0],
  ['🦔', undefined],
  ['', undefined],
  ['constructor', undefined],
])('%s scores %s', (emoji, score) => {
  expect(reactionScore(emoji)).toBe(score)
})

test('a workspace says what its own emoji and ours mean', () => {
  const overrides = { eyes: 1, our_logo: -1 } as const
  expect(reactionScore(':eyes:', overrides)).toBe(1)
  expect(reactionScore('our_logo', overrides)).toBe(-1)
  expect(reactionScore('+1', overrides)).toBe(1)
})

test('one emoji has one key, whatever its skin tone and spelling', () => {
  expect(reactionKey('👍🏽')).toBe(reactionKey('👍'))
  expect(reactionKey(':+1::skin-tone-6:')).toBe('+1')
})

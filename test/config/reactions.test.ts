import { expect, test } from 'vitest'
import { reactionKey, reactionScore, reactionsOf, votePhrase } from '../../config/reactions.ts'

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

test('an operator gives emoji another meaning everywhere or in one workspace', () => {
  const settings = { '*': { ':eyes:': 1, tada: 0 }, 'slack/T1': { eyes: -1 } } as const
  expect(reactionsOf(settings, { platform: 'slack', workspace: 'T1' })).toEqual({ eyes: -1, tada: 0 })
  expect(reactionsOf(settings, { platform: 'slack', workspace: 'T2' })).toEqual({ eyes: 1, tada: 0 })
})

test.each([
  ['good bot', 1],
  ['good bot!!', 1],
  ['bad bot.', -1],
  ['a good bot would know', null],
  ['is that a bad bot?', null],
  ['', null],
])('%j is the vote %s', (text, score) => {
  expect(votePhrase(text)).toBe(score)
})

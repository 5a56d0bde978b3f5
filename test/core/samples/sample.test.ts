import { describe, expect, test } from 'vitest'
import { buildSample } from '../../../core/samples/sample.ts'
import type { Turn, Verdict } from '../../../core/types.ts'
import { prompter, readIds } from '../parrot.ts'

const turn: Turn = {
  platform: 'terminal',
  workspace: 'home',
  id: 't',
  conversation: 'c',
  person: 'ann',
  kind: 'main',
  state: 'judged',
  request: [{ role: 'user', content: 'What is tea?' }],
  notes: [{ id: 'n', text: 'Be kind.' }],
  promptIds: [1, 2, 3],
  responseIds: [4, 5, 6],
  logprobs: Float32Array.of(-1, -2, -3),
  text: 'Leaves.',
  policyVersion: 3,
  sampling: { temperature: 0.7, topP: 0.95, maxTokens: 96, seed: 1 },
  finish: 'stop',
  createdAt: 0,
}
const verdict: Verdict = {
  score: -1,
  weight: 0.5,
  hint: { text: 'Be short.', wish: 'short' },
  basis: 'rule',
  judge: 'test',
}

describe('a sample', () => {
  test('trains the request without notes, towards the request with all of them and the hint last', () => {
    const sample = buildSample('s', turn, verdict, ['Be short.', 'Be kind.'], prompter)!
    expect(readIds(sample.promptIds)).toBe('<user>What is tea?')
    expect(readIds(sample.teacherPromptIds!)).toBe('<user>What is tea?\n\nBe kind.\n\nBe short.')
    expect(sample).toMatchObject({ responseIds: [4, 5, 6], reward: -1, weight: 0.5 })
    expect(sample.logprobs).toBe(turn.logprobs)
  })

  test('without a hint is taught by the notes that stand', () => {
    const sample = buildSample('s', turn, { ...verdict, score: 1, hint: null }, ['Be kind.'], prompter)!
    expect(readIds(sample.teacherPromptIds!)).toBe('<user>What is tea?\n\nBe kind.')
  })

  test('with neither has no teacher', () => {
    expect(buildSample('s', turn, { ...verdict, hint: null }, [], prompter)?.teacherPromptIds).toBeNull()
  })
})

test.each<[string, Partial<Turn>, Partial<Verdict>, number | undefined]>([
  ['a judged reply is rewarded', {}, {}, -1],
  ['an undecided verdict teaches nothing', {}, { score: 0 }, undefined],
  ['a side turn teaches nothing', { kind: 'side' }, {}, undefined],
  ['a truncated reply counts as it was seen', { finish: 'length' }, {}, -1],
  ['an aborted reply teaches nothing', { finish: 'aborted' }, {}, undefined],
  ['an empty reply teaches nothing', { text: ' \n' }, {}, undefined],
])('%s', (_name, fields, judged, reward) => {
  expect(buildSample('s', { ...turn, ...fields }, { ...verdict, ...judged }, [], prompter)?.reward).toBe(reward)
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../config/config.ts'
import { startEngine } from '../../../core/policy/embedded.ts'
import type { EngineOptions } from '../../../core/policy/protocol.ts'
import { realModel } from '../../real-model.ts'

interface Reply {
  readonly prompt: readonly number[]
  readonly response: readonly number[]
  readonly logprobs: readonly number[]
}

/** Made by transformers on the same weights in float32: golden/logprobs.py. */
const golden = JSON.parse(readFileSync(new URL('../../golden/logprobs.json', import.meta.url), 'utf8')) as Reply[]

async function withEngine(
  weights: EngineOptions['weights'],
  use: (engine: Awaited<ReturnType<typeof startEngine>>) => Promise<void>,
) {
  const { cacheDir } = loadConfig()
  const engine = await startEngine({ model: realModel!, weights, threads: 2, context: 2048, cacheDir })
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

describe.skipIf(realModel === null)('the real model', () => {
  it('has transformers’ log-probabilities and greedy replies in float32', async () => {
    expect(golden.reduce((sum, { response }) => sum + response.length, 0)).toBeGreaterThanOrEqual(2000)
    await withEngine('f32', async (engine) => {
      let worst = 0
      for (const { prompt, response, logprobs } of golden) {
        const scores = await engine.score({ promptIds: prompt, responseIds: response, policy: 'base', topK: 0 })
        for (const [i, logprob] of logprobs.entries()) worst = Math.max(worst, Math.abs(scores.logprobs[i]! - logprob))
      }
      expect(worst).toBeLessThanOrEqual(1e-3)
      const items = golden.map(({ prompt, response }) => ({
        promptIds: prompt,
        sampling: { temperature: 0, topP: 1, maxTokens: response.length, seed: 0 },
      }))
      const replies = await engine.generateAll({ policy: 'base', items })
      expect(replies.map(({ ids }) => ids)).toEqual(golden.map(({ response }) => response))
    })
  }, 300_000)

  it('records a sampled token’s log-probability as scoring finds it again, at the default weights', async () => {
    await withEngine('auto', async (engine) => {
      const differences: number[] = []
      for (const { prompt } of golden.slice(0, 4)) {
        const sampling = { temperature: 0.7, topP: 0.95, maxTokens: 64, seed: prompt.length }
        const tokens = engine.generate({ promptIds: prompt, policy: 'base', sampling })
        let next = await tokens.next()
        while (!next.done) next = await tokens.next()
        const { ids, logprobs } = next.value
        const scores = await engine.score({ promptIds: prompt, responseIds: ids, policy: 'base', topK: 0 })
        differences.push(...logprobs.map((logprob, i) => Math.abs(logprob - scores.logprobs[i]!)))
      }
      expect(differences.reduce((sum, x) => sum + x, 0) / differences.length).toBeLessThan(1e-2)
    })
  }, 120_000)
})

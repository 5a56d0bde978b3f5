import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openModel } from '../../../core/model/files.ts'
import { projections } from '../../../core/model/transformer.ts'
import { startEngine } from '../../../core/policy/embedded.ts'
import type { GenerateRequest, Generation, PolicyEngine } from '../../../core/policy/engine.ts'
import { random } from '../../../core/policy/sampling.ts'
import { type BaseModel, readLora, readManifest, writeVersion } from '../../../core/policy/version.ts'
import { tinyConfig, writeFolder } from '../../tiny-model.ts'

const directory = mkdtempSync(join(tmpdir(), 'claw-engine-'))
const sampling = { temperature: 0.8, topP: 0.9, maxTokens: 24, seed: 5 }
const prompt = [1, 40, 41, 42, 43, 44, 45, 46, 2, 77, 78, 79]
let engine: PolicyEngine
let base: BaseModel

beforeAll(async () => {
  const model = writeFolder(join(directory, 'model'))
  const files = await openModel(model)
  base = { config: files.config, hash: files.hash }
  await files.close()
  const cacheDir = join(directory, 'cache')
  engine = await startEngine({ model, weights: 'f32', threads: 1, context: 96, cacheDir })
})

afterAll(async () => {
  await engine.close()
  rmSync(directory, { recursive: true, force: true })
})

async function generate(request: Partial<GenerateRequest> = {}): Promise<Generation> {
  const tokens = engine.generate({ promptIds: prompt, policy: 'base', sampling, ...request })
  let next = await tokens.next()
  while (!next.done) next = await tokens.next()
  return next.value
}

/** A version with random LoRA weights, written as the trainer writes it. */
async function version(seed: number, name = `v${seed}`): Promise<string> {
  const uniform = random(seed)
  const noise = (length: number) => Float32Array.from({ length }, () => uniform() - 0.5)
  const pairs = projections(tinyConfig).map(
    ({ module, inputs, outputs }) => [module, { a: noise(3 * inputs), b: noise(3 * outputs) }] as const,
  )
  const path = join(directory, 'policies', name)
  const manifest = { version: seed, parent: 0, base: base.hash, samples: [], metrics: {}, createdAt: '' }
  await writeVersion(path, { rank: 3, alpha: 6, pairs: new Map(pairs) }, manifest)
  return path
}

describe('generation', () => {
  it('is the same for the same seed and another for another', async () => {
    const [first, again, other] = [
      await generate(),
      await generate(),
      await generate({ sampling: { ...sampling, seed: 6 } }),
    ]
    expect(again.ids).toEqual(first.ids)
    expect(other.ids).not.toEqual(first.ids)
  })

  it('records what scoring finds again', async () => {
    const { ids, logprobs } = await generate()
    const scores = await engine.score({ promptIds: prompt, responseIds: ids, policy: 'base', topK: 3 })
    logprobs.forEach((logprob, i) => {
      expect(Math.abs(logprob - scores.logprobs[i]!)).toBeLessThan(1e-4)
    })
    expect(scores.topIds).toHaveLength(3 * ids.length)
    for (let i = 1; i < 3; i++) expect(scores.topLogprobs[i]!).toBeLessThanOrEqual(scores.topLogprobs[i - 1]!)
  })

  it('does not depend on what was cached before', async () => {
    const longer = [...prompt, 50, 51, 52]
    await generate({ promptIds: longer })
    const cached = await generate()
    expect(cached.cachedTokens).toBe(prompt.length - 1)
    const other = await startEngine({
      model: join(directory, 'model'),
      weights: 'f32',
      threads: 1,
      context: 96,
      cacheDir: join(directory, 'cache'),
    })
    try {
      const tokens = other.generate({ promptIds: prompt, policy: 'base', sampling })
      let next = await tokens.next()
      while (!next.done) next = await tokens.next()
      expect(next.value.cachedTokens).toBe(0)
      expect(next.value.ids).toEqual(cached.ids)
    } finally {
      await other.close()
    }
  })

  it('of several at once equals each alone', async () => {
    const prompts = [prompt, [...prompt, 60], [...prompt, 60, 61], [9, 8, 7]]
    const together = await Promise.all(prompts.map((promptIds) => generate({ promptIds })))
    for (const [i, promptIds] of prompts.entries()) {
      expect((await generate({ promptIds })).ids).toEqual(together[i]!.ids)
    }
  })

  it('side by side equals one by one, whatever their lengths', async () => {
    const items = Array.from({ length: 19 }, (_, i) => ({
      promptIds: Array.from({ length: 3 + ((i * 7) % 40) }, (_, t) => 3 + ((i * 31 + t * 17) % 250)),
      sampling: { ...sampling, seed: i, maxTokens: 5 + ((i * 5) % 30) },
    }))
    const together = await engine.generateAll({ policy: 'base', items })
    for (const [i, item] of items.entries()) {
      const alone = await generate(item)
      expect(together[i]!.ids).toEqual(alone.ids)
      expect(together[i]!.text).toBe(alone.text)
      expect(together[i]!.finish).toBe(alone.finish)
      for (const [t, logprob] of alone.logprobs.entries()) {
        expect(Math.abs(together[i]!.logprobs[t]! - logprob)).toBeLessThan(1e-4)
      }
    }
    const tooLong = { promptIds: prompt, sampling: { ...sampling, maxTokens: 90 } }
    await expect(engine.generateAll({ policy: 'base', items: [tooLong] })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    })
    expect(await engine.generateAll({ policy: 'base', items: [] })).toEqual([])
  })

  it('ends at a stop text, which is not part of the reply', async () => {
    const { text } = await generate()
    const stop = text.slice(3, 5)
    const stopped = await generate({ stop: [stop] })
    expect(stopped.finish).toBe('stop')
    expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)))
  })

  it('ends where the context ends', async () => {
    const promptIds = Array.from({ length: 90 }, (_, i) => 3 + (i % 200))
    const { ids, finish } = await generate({ promptIds, sampling: { ...sampling, maxTokens: 50 } })
    expect(ids.length).toBeLessThanOrEqual(6)
    if (ids.length === 6) expect(finish).toBe('length')
    await expect(generate({ promptIds: [...promptIds, ...promptIds] })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    })
    await expect(generate({ promptIds: [] })).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  })

  it('can be aborted, and the engine goes on', async () => {
    const controller = new AbortController()
    const tokens = engine.generate({ promptIds: prompt, policy: 'base', sampling, signal: controller.signal })
    await tokens.next()
    controller.abort()
    const rest = async () => {
      for await (const _ of tokens);
    }
    await expect(rest()).rejects.toMatchObject({ code: 'REQUEST_ABORTED' })
    const left = engine.generate({ promptIds: prompt, policy: 'base', sampling })
    await left.next()
    await left.return(undefined as never)
    expect((await generate()).ids.length).toBeGreaterThan(0)
    expect((await engine.stats()).running).toBe(0)
  })
})

describe('policy versions', () => {
  it('change replies, are swapped between them, and never leak into the cache of another', async () => {
    const before = await generate()
    await engine.load('one', await version(1))
    await engine.load('two', await version(2))
    const [one, two] = [await generate({ policy: 'one' }), await generate({ policy: 'two' })]
    expect(one.ids).not.toEqual(before.ids)
    expect(two.ids).not.toEqual(one.ids)
    expect((await generate()).ids).toEqual(before.ids)
    expect((await generate({ policy: 'one' })).ids).toEqual(one.ids)
  })

  it('of a reply in flight stay what they were while others are loaded and unloaded', async () => {
    await engine.load('flight', await version(3))
    const before = await generate({ policy: 'flight' })
    const tokens = engine.generate({ promptIds: prompt, policy: 'flight', sampling })
    const first = await tokens.next()
    await engine.load('flight', await version(4))
    await engine.unload('flight')
    const ids = [first.done ? -1 : first.value.id]
    let next = await tokens.next()
    for (; !next.done; next = await tokens.next()) ids.push(next.value.id)
    expect(ids).toEqual(before.ids)
    await expect(generate({ policy: 'flight' })).rejects.toMatchObject({ code: 'POLICY_UNKNOWN' })
  })

  it('come back from their directory as they were', async () => {
    const path = await version(5)
    const { rank, alpha, pairs } = await readLora(path, base)
    expect({ rank, alpha, modules: pairs.size }).toEqual({ rank: 3, alpha: 6, modules: 14 })
    expect((await readManifest(path)).version).toBe(5)
    expect(readdirSync(join(directory, 'policies')).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('of another model are refused', async () => {
    const other = { ...base, hash: 'another' }
    await expect(readLora(await version(7), other)).rejects.toMatchObject({ code: 'POLICY_CORRUPT' })
  })

  it('that are damaged are refused, whichever byte it is, and the engine goes on', async () => {
    const seed = Date.now()
    const uniform = random(seed)
    const before = await generate()
    const path = await version(6, 'damaged')
    const files = ['adapter_model.safetensors', 'adapter_config.json', 'manifest.json']
    for (let i = 0; i < 200; i++) {
      const file = join(path, files[i % 3]!)
      const whole = readFileSync(file)
      const damaged = Buffer.from(whole)
      if (i % 2 === 0) damaged[Math.floor(uniform() * damaged.length)]! ^= 1 + Math.floor(uniform() * 255)
      writeFileSync(file, i % 2 === 0 ? damaged : damaged.subarray(0, Math.floor(uniform() * damaged.length)))
      const problem = await engine.load('damaged', path).then(
        () => null,
        (error: unknown) => error,
      )
      expect(problem, `seed ${seed}, damage ${i}`).toMatchObject({ code: 'POLICY_CORRUPT' })
      writeFileSync(file, whole)
    }
    expect((await generate()).ids).toEqual(before.ids)
  })
})

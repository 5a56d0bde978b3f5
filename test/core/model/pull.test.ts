import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../config/models.ts'
import { listModels, modelInfo, resolveModel } from '../../../core/model/catalogue.ts'
import { openModel } from '../../../core/model/files.ts'
import { knownHash } from '../../../core/model/manifest.ts'
import { type PullProgress, pullModel } from '../../../core/model/pull.ts'
import { type HubServer, startHub } from '../../hub-server.ts'
import { folderFiles, safetensorsBytes, tinyWeights } from '../../tiny-model.ts'

/** A model that only the hub has: no test here asks the Python package index. */
const { name, hub: repo } = CATALOGUE.find(({ pypi }) => !pypi) ?? { name: '', hub: '' }
const WEIGHTS = 'model.safetensors'

const files = new Map<string, Uint8Array>([
  ['README.md', Buffer.from('not wanted')],
  ...Object.entries(folderFiles()).map(([file, json]) => [file, Buffer.from(JSON.stringify(json))] as const),
  [WEIGHTS, safetensorsBytes(tinyWeights())],
])
const size = files.get(WEIGHTS)?.length ?? 0

const root = mkdtempSync(join(tmpdir(), 'claw-pull-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let hub: HubServer
let dataDir: string
beforeEach(async () => {
  hub = await startHub(repo, files)
  dataDir = mkdtempSync(join(root, 'data-'))
})
afterEach(() => hub.close())

const fails = (code: string) => expect.objectContaining({ code, name: 'ClawError' })
const pull = (options: Partial<Parameters<typeof pullModel>[1]> = {}) =>
  pullModel(name, { dataDir, hubUrl: hub.url, ...options })
const models = () => readdirSync(join(dataDir, 'models'))
const isListed = () => listModels(dataDir).some(({ path }) => path !== null)
const downloads = () => hub.downloads.filter((download) => download.startsWith(WEIGHTS))

describe('a pull from the hub', () => {
  test('brings the wanted files, verified, and says how far it is', async () => {
    const progress: PullProgress[] = []
    const path = await pull({ onProgress: (step) => progress.push(step) })
    expect(path).toBe(join(dataDir, 'models', name))
    expect(models()).toEqual([name])
    const wanted = [...files.keys()].filter((file) => file !== 'README.md')
    expect(readdirSync(path).sort()).toEqual([...wanted, 'manifest.json'].sort())
    const received = progress.map((step) => step.received)
    expect(received).toEqual(received.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toMatchObject({ source: 'hub', received: progress.at(-1)?.total })
    expect(resolveModel(name, dataDir)).toBe(path)
    expect(await modelInfo(path)).toMatchObject({
      name,
      quantisation: 'F32',
      license: 'apache-2.0',
      source: `hub ${repo}`,
      contextLength: 128,
    })
  })

  test('asks for nothing a second time', async () => {
    const path = await pull()
    hub.downloads.length = 0
    expect(await pull()).toBe(path)
    expect(hub.downloads).toEqual([])
  })

  test('goes on where the connection broke', async () => {
    let cuts = 2
    hub.fault = ({ file, offset, bytes }) => (file === WEIGHTS && offset > 50_000 && cuts-- > 0 ? 'cut' : bytes)
    await (await openModel(await pull())).close()
    const starts = downloads().map((download) => Number(download.split(' ')[1]))
    expect(starts).toHaveLength(3)
    expect(starts[0]).toBe(0)
    expect(starts[1]).toBeGreaterThan(0)
    expect(starts[2]).toBeGreaterThanOrEqual(starts[1] ?? size)
  })

  test('that is stopped leaves nothing visible and is continued by the next', async () => {
    const controller = new AbortController()
    hub.fault = async ({ file, offset, bytes }) => {
      if (file === WEIGHTS && offset > 50_000) {
        await wait(50)
        controller.abort()
        await wait(50)
      }
      return bytes
    }
    await expect(pull({ signal: controller.signal })).rejects.toThrow(fails('REQUEST_ABORTED'))
    expect(isListed()).toBe(false)
    expect(models()).toEqual([`.${name}.partial`])
    expect(() => resolveModel(name, dataDir)).toThrowError(
      expect.objectContaining({ code: 'MODEL_MISSING', remedy: `claw model pull ${name}` }),
    )
    hub.fault = ({ bytes }) => bytes
    await pull()
    expect(models()).toEqual([name])
    expect(Number(downloads().at(-1)?.split(' ')[1])).toBeGreaterThan(0)
  })

  test('that is killed is continued by the next', async () => {
    hub.fault = async ({ file, offset, bytes }) => {
      if (file === WEIGHTS && offset > 50_000) await wait(60_000, undefined, { ref: false })
      return bytes
    }
    const script = `
      const { pullModel } = await import(${JSON.stringify(new URL('../../../core/model/pull.ts', import.meta.url).href)})
      await pullModel(${JSON.stringify(name)}, { dataDir: ${JSON.stringify(dataDir)}, hubUrl: ${JSON.stringify(hub.url)} })`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'ignore' })
    const partialSize = () => {
      try {
        const [aside = ''] = models()
        const folder = join(dataDir, 'models', aside, 'hub')
        const partial = readdirSync(folder).find((file) => file.endsWith('.partial')) ?? ''
        return readFileSync(join(folder, partial)).length
      } catch {
        return 0
      }
    }
    const deadline = Date.now() + 15_000
    while (partialSize() < 40_000 && Date.now() < deadline) await wait(20)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    expect(isListed()).toBe(false)
    const kept = partialSize()
    expect(kept).toBeGreaterThan(0)
    hub.fault = ({ bytes }) => bytes
    await pull()
    expect(downloads().at(-1)).toBe(`${WEIGHTS} ${kept}`)
    expect(models()).toEqual([name])
  })

  test('beside another pull of the same model: both end with it', async () => {
    hub.fault = async ({ bytes }) => {
      await wait(2)
      return bytes
    }
    const [first, second] = await Promise.all([pull(), wait(30).then(() => pull())])
    expect(second).toBe(first)
    await (await openModel(first)).close()
    expect(models()).toEqual([name])
  })

  test.each([WEIGHTS, 'config.json'])(
    'with other bytes in %s is MODEL_CORRUPT, and the next begins anew',
    async (wrong) => {
      hub.fault = ({ file, offset, bytes }) => {
        if (file === wrong && offset === 0) bytes[9]! ^= 1
        return bytes
      }
      await expect(pull()).rejects.toThrow(fails('MODEL_CORRUPT'))
      expect(isListed()).toBe(false)
      hub.fault = ({ bytes }) => bytes
      await (await openModel(await pull())).close()
    },
  )

  test('starts over by itself when what a killed one left is wrong', async () => {
    const controller = new AbortController()
    hub.fault = ({ file, offset, bytes }) => {
      if (file !== WEIGHTS) return bytes
      if (offset === 0) bytes[9]! ^= 1
      if (offset > 50_000) controller.abort()
      return offset > 50_000 ? wait(100).then(() => bytes) : bytes
    }
    await expect(pull({ signal: controller.signal })).rejects.toThrow(fails('REQUEST_ABORTED'))
    hub.fault = ({ bytes }) => bytes
    await (await openModel(await pull())).close()
  })

  test('gives up on a hub that says nothing within a few seconds', async () => {
    hub.silent = true
    const start = Date.now()
    await expect(pull()).rejects.toThrow(fails('MODEL_UNREACHABLE'))
    expect(Date.now() - start).toBeLessThan(8_000)
  })

  test('without a network, and without anything else to ask, is MODEL_UNREACHABLE', async () => {
    await hub.close()
    await expect(pull()).rejects.toThrow(fails('MODEL_UNREACHABLE'))
    await expect(
      pullModel('smollm2-135m-instruct', { dataDir, hubUrl: hub.url, python: join(root, 'no-python') }),
    ).rejects.toThrow(expect.objectContaining({ message: expect.stringMatching(/hub: .*; PyPI: .*ENOENT/) }))
    expect(isListed()).toBe(false)
  })
})

test('names and paths resolve, and nothing else does', async () => {
  expect(() => resolveModel('no-such-model', dataDir)).toThrowError(fails('MODEL_UNKNOWN'))
  expect(() => resolveModel('../models', dataDir)).toThrowError(fails('MODEL_UNKNOWN'))
  await expect(pullModel('no-such-model', { dataDir })).rejects.toThrow(fails('MODEL_UNKNOWN'))
  expect(resolveModel(dataDir, dataDir)).toBe(dataDir)
})

test('a hash is remembered until the file is touched', async () => {
  const weights = join(await pull(), WEIGHTS)
  expect(knownHash(weights)).toMatch(/^[0-9a-f]{64}$/)
  utimesSync(weights, 1, 1)
  expect(knownHash(weights)).toBeNull()
  writeFileSync(weights, safetensorsBytes(tinyWeights(2)))
  expect(knownHash(weights)).toBeNull()
})

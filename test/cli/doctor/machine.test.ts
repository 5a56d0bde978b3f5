import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { diagnoseMachine, type Finding, type Machine } from '../../../cli/doctor/diagnoses.ts'
import { examineMachine } from '../../../cli/doctor/machine.ts'
import { loadConfig } from '../../../config/config.ts'
import { openStore } from '../../../core/store/store.ts'
import { hasRedis, startRedis } from '../../services/redis.ts'
import { writeFolder } from '../../tiny-model.ts'

type Settings = Parameters<typeof loadConfig>[0]

const home = mkdtempSync(join(tmpdir(), 'claw-doctor-'))
const model = writeFolder(join(home, 'model'))
afterAll(() => rmSync(home, { recursive: true }))

let folders = 0
function newFolder(): string {
  folders += 1
  const folder = join(home, `data-${folders}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

const noTokens = { slack: {}, discord: {}, telegram: {} }

async function examine(
  settings: Settings,
  ...rest: [clock?: number, load?: () => Promise<unknown>]
): Promise<Finding[]> {
  const config = loadConfig({ dataDir: newFolder(), model, http: { port: 0 }, ...settings }, {})
  return diagnoseMachine(await examineMachine(config, noTokens, ...rest))
}

const named = (findings: readonly Finding[], name: string) => findings.find((finding) => finding.name === name)

test('where nothing is wrong, all is well', async () => {
  const findings = await examine({}, 0)
  expect(findings.filter(({ state, name }) => state !== 'ok' && name !== 'disk space')).toEqual([])
  expect(findings.map(({ name }) => name)).toEqual([
    'data folder',
    'disk space',
    'port of page',
    'model',
    'onnxruntime',
    'database',
    'clock',
  ])
})

describe('data folder', () => {
  test('a file in its place', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '', { mode: 0o600 })
    expect(named(await examine({ dataDir: file }), 'data folder')).toMatchObject({ state: 'broken' })
  })

  test('open to others', async () => {
    const dataDir = newFolder()
    chmodSync(dataDir, 0o755)
    const found = named(await examine({ dataDir }), 'data folder')
    expect(found).toMatchObject({ state: 'warning', remedy: `chmod 700 '${dataDir}'` })
  })

  test('tokens that others may read', async () => {
    const dataDir = newFolder()
    writeFileSync(join(dataDir, 'tokens.json'), '{}')
    chmodSync(join(dataDir, 'tokens.json'), 0o644)
    expect(named(await examine({ dataDir }), 'data folder')).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('tokens.json'),
    })
  })
})

test('a port that another program has', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  expect(named(await examine({ http: { port } }), 'port of page')).toMatchObject({ state: 'broken' })
  server.close()
})

test('the port that the running bot was given by a flag', async () => {
  const page = createHttpServer((_request, response) => response.end(JSON.stringify({ name: 'claw' })))
  await new Promise<void>((done) => page.listen(0, '127.0.0.1', done))
  const { port } = page.address() as AddressInfo
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'server.json'), JSON.stringify({ url: `http://127.0.0.1:${port}/`, token: 'run' }))
  const detail = `the running bot is at 127.0.0.1:${port}`
  expect(named(await examine({ dataDir, http: { port: 1 } }), 'port of page')).toMatchObject({ state: 'ok', detail })
  page.close()
})

test('a model that is not here yet, one that nobody knows, one that is damaged', async () => {
  expect(named(await examine({ model: 'smollm2-135m-instruct' }), 'model')).toMatchObject({
    state: 'warning',
    remedy: 'claw model pull smollm2-135m-instruct',
  })
  expect(named(await examine({ model: 'smollm9' }), 'model')).toMatchObject({ state: 'broken' })
  const noise = join(home, 'noise.gguf')
  writeFileSync(noise, 'GGUF and then noise')
  expect(named(await examine({ model: noise }), 'model')).toMatchObject({ state: 'broken' })
})

test('a runtime that does not load', async () => {
  const load = () => Promise.reject(new Error('libonnxruntime.so.1: cannot open shared object file'))
  expect(named(await examine({}, 0, load), 'onnxruntime')).toMatchObject({
    state: 'broken',
    remedy: expect.stringContaining('npm ci'),
  })
})

test('a judge that is away, one that refuses the key, and one that answers', async () => {
  const server = createHttpServer((request, response) => {
    const refused = request.url === '/refusing/chat/completions'
    response.writeHead(refused ? 401 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }] }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const judge = async (address: string) =>
    named(await examine({ judge: { by: { url: address, model: 'm' }, timeoutSeconds: 2 } }), 'judge')
  expect(await judge(`${url}/v1`)).toMatchObject({ state: 'ok' })
  expect(await judge(`${url}/refusing`)).toMatchObject({
    state: 'broken',
    remedy: expect.stringContaining('CLAW_JUDGE_KEY'),
  })
  server.close()
  server.closeAllConnections()
  expect(await judge(`${url}/v1`)).toMatchObject({ state: 'broken', detail: 'm does not judge: unreachable' })
})

test('a database and a Redis that do not answer', async () => {
  const findings = await examine({
    databaseUrl: 'postgres://claw:hidden-word@127.0.0.1:1/x',
    redisUrl: 'redis://127.0.0.1:1',
  })
  for (const name of ['database', 'redis']) expect(named(findings, name)).toMatchObject({ state: 'broken' })
  expect(JSON.stringify(findings)).not.toContain('hidden-word')
})

test.skipIf(!hasRedis)('a Redis that drops keys when it is full', async () => {
  const redis = await startRedis(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'])
  try {
    expect(named(await examine({ redisUrl: redis.url }), 'redis')).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('allkeys-lru'),
      remedy: 'Set its maxmemory-policy to noeviction.',
    })
  } finally {
    await redis.close()
  }
})

describe('learning', () => {
  async function withWorkspace(platform: string, learning: 0 | 1): Promise<string> {
    const dataDir = newFolder()
    const { db, close } = await openStore(dataDir)
    await db
      .insertInto('workspaces')
      .values({ platform, workspace: 'w', learning, method: null, serving_version: 0, created_at: 0 })
      .execute()
    await close()
    return dataDir
  }

  test('off everywhere', async () => {
    const found = named(await examine({ dataDir: await withWorkspace('slack', 0) }), 'learning')
    expect(found).toMatchObject({ state: 'warning', remedy: expect.stringContaining('/claw learn on') })
  })

  test('on at Discord without its permission to train', async () => {
    const dataDir = await withWorkspace('discord', 1)
    const findings = await examine({ dataDir })
    expect(named(findings, 'learning')).toMatchObject({ state: 'ok' })
    expect(named(findings, 'discord training')).toMatchObject({ state: 'warning' })
    expect(named(await examine({ dataDir, discord: { trainingPermission: true } }), 'discord training')).toBeUndefined()
  })
})

test.each([
  [0, 'ok'],
  [-31_000, 'warning'],
  [45_000, 'warning'],
  [-300_000, 'broken'],
] as const)('a clock that is %d ms ahead', async (skew, state) => {
  expect(named(await examine({}, skew), 'clock')).toMatchObject({ state })
})

test('a disk that is nearly full', async () => {
  const config = loadConfig({ dataDir: newFolder(), model, http: { port: 0 } }, {})
  const machine = await examineMachine(config, noTokens)
  const space = (megabytes: number) => {
    const full: Machine = { ...machine, freeBytes: megabytes * 2 ** 20 }
    return named(diagnoseMachine(full), 'disk space')?.state
  }
  expect([space(100), space(500), space(50_000)]).toEqual(['broken', 'warning', 'ok'])
})

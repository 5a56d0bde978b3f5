import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../config/config.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'claw-config-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

const settings = (content: unknown) =>
  writeFileSync(join(dataDir, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content))

test('flags win over the environment, the environment over the file, the file over the defaults', () => {
  settings({ http: { port: 1, host: 'a' }, serving: { threads: 3, maxTokens: 7 }, trainer: { batch: 9 } })
  const env = { CLAW_DATA_DIR: dataDir, CLAW_THREADS: '1', CLAW_HTTP_HOST: 'b', CLAW_HTTP_PORT: '2' }
  const { http, serving, trainer } = loadConfig({ http: { port: 3 } }, env)
  expect(http).toEqual({ host: 'b', port: 3, token: null })
  expect(serving).toMatchObject({ threads: 1, maxTokens: 7, context: 2048 })
  expect(trainer).toMatchObject({ threads: 1, batch: 9 })
})

test.each([
  ['a file that is no JSON', '{', /config\.json cannot be read as JSON/],
  ['a file that is no object', [], /is not one JSON object/],
  ['a name that nobody knows', { modle: 'x' }, /there is no setting modle/],
  ['a name that no group knows', { http: { prot: 1 } }, /there is no setting http\.prot/],
  ['the folder that the file lies in', { dataDir: 'elsewhere' }, /there is no setting dataDir/],
  ['a value out of range', { http: { port: 70_000 } }, /^http\.port: /],
  ['a group that is none', { http: 3 }, /^http: /],
  ['a token that is too short', { http: { token: 'short' } }, /^http\.token: must have at least 16/],
])('%s is refused with its name', (_what, content, message) => {
  settings(content)
  expect(() => loadConfig({ dataDir }, {})).toThrow(ConfigError)
  expect(() => loadConfig({ dataDir }, {})).toThrow(message)
})

test('no file, no settings: the defaults', () => {
  rmSync(join(dataDir, 'config.json'))
  expect(loadConfig({ dataDir }, {})).toMatchObject({
    http: { host: '127.0.0.1', port: 30_000, token: null },
    memory: { notes: true },
  })
})

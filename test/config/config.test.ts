import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError, judgeKey, loadConfig } from '../../config/config.ts'
import { mask } from '../../core/mask.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'claw-config-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

function attempt(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

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

test.each([
  [{ CLAW_THREADS: '0' }, /^CLAW_THREADS \(serving\.threads\): /],
  [{ CLAW_HTTP_PORT: '70000' }, /^CLAW_HTTP_PORT \(http\.port\): /],
  [{ CLAW_JUDGE: 'someone' }, /^CLAW_JUDGE \(judge\.by\): must be off, base, or/],
  [{ DATABASE_URL: 'mysql://host/claw' }, /^DATABASE_URL \(databaseUrl\): must be .* postgres:\/\/$/],
  [{ REDIS_URL: 'localhost' }, /^REDIS_URL \(redisUrl\): must be .* redis:\/\/$/],
])('%j is refused by its name, in words that no mask touches', (env, message) => {
  settings({})
  const refused = attempt(() => loadConfig({ dataDir }, env))
  expect(refused).toMatch(message)
  expect(mask(refused)).toBe(refused)
})

test('a flag that is wrong is not called a variable', () => {
  const load = () => loadConfig({ dataDir, http: { port: 70_000 } }, { CLAW_HTTP_PORT: '1' })
  expect(load).toThrow(/^http\.port: /)
})

test('no file, no settings: the defaults', () => {
  rmSync(join(dataDir, 'config.json'))
  expect(loadConfig({ dataDir }, {})).toMatchObject({
    http: { host: '127.0.0.1', port: 30_000, token: null },
    memory: { notes: true },
  })
})

test.each(['always', 'idle', '22:00-06:00', '00:00-23:59'])('weights may be trained %s', (when) => {
  expect(loadConfig({ dataDir, trainer: { when } }, {}).trainer.when).toBe(when)
})

test.each(['never', '22-6', '24:00-06:00', '22:60-06:00', '22:00-06:00 '])('not %j', (when) => {
  expect(() => loadConfig({ dataDir, trainer: { when } }, {})).toThrow('trainer.when: must be always, idle, or hours')
})

test.each([
  [{}, 'off'],
  [{ CLAW_JUDGE: 'base' }, 'base'],
  [
    { CLAW_JUDGE: 'https://llm.example/v1', CLAW_JUDGE_MODEL: 'big' },
    { url: 'https://llm.example/v1', model: 'big' },
  ],
])('%j names the judge', (env, by) => {
  expect(loadConfig({ dataDir }, env).judge.by).toEqual(by)
})

test.each([{ CLAW_JUDGE: 'someone' }, { CLAW_JUDGE: 'https://llm.example/v1' }, { CLAW_JUDGE: 'file:///x' }])(
  '%j names none',
  (env) => {
    expect(() => loadConfig({ dataDir }, env)).toThrow('judge.by')
  },
)

test("the judge's key is no setting: it stands in nothing that is logged or handed on", () => {
  const key = ['sk', 'test', 'key'].join('-')
  const env = { CLAW_JUDGE: 'https://llm.example/v1', CLAW_JUDGE_MODEL: 'big', CLAW_JUDGE_KEY: key }
  expect(JSON.stringify(loadConfig({ dataDir }, env))).not.toContain(key)
  expect(judgeKey(env)).toBe(key)
  expect(judgeKey({})).toBeNull()
})

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Adapter } from '../../adapters/adapter.ts'
import { createDiscord } from '../../adapters/discord/discord.ts'
import { createSlack } from '../../adapters/slack/slack.ts'
import { createTelegram } from '../../adapters/telegram/telegram.ts'
import { sideBySide } from '../../cli/adapters.ts'
import { examine } from '../../cli/doctor/doctor.ts'
import { logFault, openLog } from '../../cli/log.ts'
import { outcome } from '../../cli/outcome.ts'
import { readTokens, sayChanges } from '../../cli/platforms.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { saveTokens } from '../../config/tokens.ts'
import { ClawError, reason } from '../../core/errors.ts'
import { createMetrics } from '../../core/http/metrics.ts'
import { createHttp } from '../../core/http/server.ts'
import { judge } from '../../core/judge/judge.ts'
import { startRuntime } from '../../core/runtime.ts'
import { openStore } from '../../core/store/store.ts'
import { fakeEngine, prompter } from '../core/parrot.ts'

/** Of the right shapes, made of parts so that no file holds anything that looks like a token. */
const TOKENS = {
  slack: {
    botToken: ['xoxb', '1'.repeat(12), 'z'.repeat(24)].join('-'),
    appToken: ['xapp', '1', 'y'.repeat(40)].join('-'),
  },
  discord: { token: [`M${'b'.repeat(23)}`, 'c'.repeat(6), 'd'.repeat(27)].join('.') },
  telegram: { token: `1234567890:${'E'.repeat(35)}` },
}
const SECRETS = [TOKENS.slack.botToken, TOKENS.slack.appToken, TOKENS.discord.token, TOKENS.telegram.token]

const home = mkdtempSync(join(tmpdir(), 'claw-sinks-'))
afterAll(() => rmSync(home, { recursive: true }))

/** How a server between the bot and its platform goes wrong: it says back what it was asked, with tokens and all. */
const FAILURES: Readonly<Record<string, Parameters<typeof createServer>[1] | null>> = {
  'a connection that is refused': null,
  'an address that is not found, quoted': (request, response) => {
    response.writeHead(404, { 'content-type': 'text/html' })
    response.end(`<p>Not found: ${request.url}, ${request.headers.authorization}`)
  },
  'a token that is not known': (request, response) => {
    const description = `Unauthorized: ${request.url}`
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ ok: false, error: 'invalid_auth', error_code: 401, description, message: description }),
    )
  },
  'a proxy that fails': (request, response) => {
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`upstream ${request.url} reset`)
  },
  'an answer that is no JSON': (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"url": "${request.url}`)
  },
  'a connection that breaks': (request) => void request.socket.destroy(),
}

const printed: string[] = []
beforeAll(() => {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    vi.spyOn(stream, 'write').mockImplementation(((chunk: unknown, ...rest: never[]) => {
      printed.push(String(chunk))
      return (write as (...all: unknown[]) => boolean)(chunk, ...rest)
    }) as typeof stream.write)
  }
})
afterAll(() => vi.restoreAllMocks())

async function listening(answer: Parameters<typeof createServer>[1] | null): Promise<{ url: string; server: Server }> {
  const server = createServer(answer ?? undefined)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  if (answer === null) server.close()
  return { url: `http://127.0.0.1:${port}`, server }
}

function createAll(
  config: Config,
  db: Parameters<typeof createSlack>[0]['db'],
  report: (error: unknown) => void,
): Adapter[] {
  return [
    createSlack({ tokens: TOKENS.slack, config: config.slack, db, report }),
    createDiscord({ token: TOKENS.discord.token, config: config.discord, db, report }),
    createTelegram({ token: TOKENS.telegram.token, webhookSecret: null, config: config.telegram, db, report }),
  ]
}

/** hermes-agent#58893, opensre#6048, smithers#812, lingtai#199 */
describe('no token in log, errors, status, metrics, doctor or store', () => {
  test.each(Object.entries(FAILURES))('%s', async (name, answer) => {
    const data = join(home, name.replaceAll(/\W/g, '-'))
    mkdirSync(data, { mode: 0o700 })
    saveTokens(data, TOKENS)
    readTokens(data)
    const { url, server } = await listening(answer)
    const apis = { slack: { apiUrl: `${url}/api/` }, discord: { apiUrl: `${url}/api` }, telegram: { apiUrl: url } }
    const config = loadConfig({ dataDir: data, ...apis }, {})
    const store = await openStore(data)
    const faults: unknown[] = []
    const report = (error: unknown) => {
      faults.push(error)
      logFault(data, error)
    }
    const log = openLog(data)
    const adapters = sideBySide(createAll(config, store.db, report), report)
    const said: string[] = []
    const runtime = await startRuntime({
      config,
      store,
      engine: fakeEngine(),
      prompter,
      judge,
      outlets: adapters.all,
      onSampleReady() {},
      report,
    })
    adapters.start(runtime.deliver)
    const quiet = sayChanges(adapters.health, (line) => {
      said.push(line)
      log.info(line)
    })
    // A person's message whose reply no platform takes, and a question how the bot stands.
    for (const { platform } of adapters.all) {
      const ids = { platform, workspace: '-100', conversation: platform === 'slack' ? 'C1' : '100', at: Date.now() }
      const person = { id: '7', kind: 'human' } as const
      await runtime.deliver({ ...ids, id: 'e1', type: 'message', message: `${ids.conversation}:1`, text: 'hi', person })
      await runtime.deliver({ ...ids, id: 'e2', type: 'command', text: '/claw status', person })
    }
    await new Promise((done) => setTimeout(done, 1_500))
    const http = createHttp({
      host: '127.0.0.1',
      port: 0,
      token: null,
      run: 'r',
      waitsFor: async () => [],
      metrics: createMetrics().text,
      platforms: adapters.health,
      report,
    })
    const health = await http.app.inject({ url: '/healthz', headers: { host: '127.0.0.1' } })
    const findings = await examine({ data, port: 0 })
    // What a person at the terminal would read of each, whoever made it.
    const shown = faults.flatMap((fault) => [outcome(fault, { data }).text, reason(fault)])
    runtime.stop()
    quiet()
    await adapters.stop()
    await runtime.close()
    await http.close()
    server.close()
    server.closeAllConnections()
    const files = readdirSync(data).filter((file) => file !== 'tokens.json')
    const stored = files.map((file) => readFileSync(join(data, file), 'latin1'))
    const everything = [...stored, ...said, ...shown, ...printed, health.body, JSON.stringify(findings)].join('\n')
    for (const secret of SECRETS) {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
        expect(everything.includes(form), 'a token came through').toBe(false)
      }
    }
    expect(faults.length).toBeGreaterThan(0)
    expect(health.json().platforms).toMatchObject({ slack: {}, discord: {}, telegram: {} })
  })

  test('an error of somebody’s library that nobody has caught', () => {
    const data = join(home, 'uncaught')
    mkdirSync(data, { mode: 0o700 })
    const cause = new Error(`connect ECONNREFUSED https://api.example/bot${TOKENS.telegram.token}/getMe`)
    const { text } = outcome(cause, { data })
    logFault(data, new ClawError('PLATFORM_LOST', `gone: ${cause.message}`, { cause }))
    openLog(data).error({ err: cause, cause: { headers: { authorization: `Bearer ${TOKENS.slack.botToken}` } } })
    const kept = readFileSync(join(data, 'claw.log'), 'utf8')
    for (const secret of SECRETS) expect(text + kept).not.toContain(secret)
    for (const line of kept.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })
})

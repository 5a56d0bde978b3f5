import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { folderFiles, writeFolder } from '../tiny-model.ts'

const CLAW = resolve(import.meta.dirname, '../../dist/claw.js')
const home = mkdtempSync(join(tmpdir(), 'claw-start-'))
const data = join(home, 'data')
const model = writeFolder(join(home, 'model'))
writeFileSync(
  join(model, 'config.json'),
  JSON.stringify({ ...(folderFiles()['config.json'] as object), max_position_embeddings: 2048 }),
)
afterAll(() => rmSync(home, { recursive: true, force: true }))

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

function claw(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLAW, ...args], {
    env: { PATH: process.env.PATH, CLAW_DATA_DIR: data, CLAW_MODEL: model, CLAW_THREADS: '1', ...env },
  })
  running.push(child)
  const exit = once(child, 'exit')
  return { child, exit, stdout: text(child.stdout), stderr: text(child.stderr) }
}

/** Starts the server on any port and waits until it is ready. */
async function start(): Promise<{ server: ReturnType<typeof claw>; url: string }> {
  const server = claw(['start', '--port', '0'])
  let printed = ''
  server.child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  let url: string | undefined
  while (url === undefined) {
    await once(server.child.stdout!, 'data')
    url = /Claw is at (\S+)/.exec(printed)?.[1]
  }
  while (!(await fetch(new URL('readyz', url))).ok) await new Promise((done) => setTimeout(done, 50))
  while (!existsSync(join(data, 'server.json'))) await new Promise((done) => setTimeout(done, 20))
  return { server, url }
}

async function stop({ child, exit }: ReturnType<typeof claw>, signal: NodeJS.Signals): Promise<number> {
  const began = performance.now()
  child.kill(signal)
  expect(await exit).toEqual([0, null])
  return performance.now() - began
}

describe('claw start', () => {
  test('serves its page, tells its own programs where it is, and ends cleanly', async () => {
    const { server, url } = await start()
    const page = await fetch(url)
    expect(await page.text()).toContain('<title>Claw</title>')
    const place = join(data, 'server.json')
    expect(statSync(place).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(place, 'utf8'))).toMatchObject({ url })
    // A stream that stays open keeps nobody from ending.
    const updates = await fetch(new URL('api/workspaces/home/updates', url))
    expect(await stop(server, 'SIGTERM')).toBeLessThan(10_000)
    await expect(text(updates.body as never)).resolves.toBeDefined()
    expect(await server.stderr).toBe('')
    expect(existsSync(place)).toBe(false)
  }, 60_000)

  test('claw chat talks with the running server, and alone where there is none: the same conversation', async () => {
    const chat = async (words: string) => {
      const { child, exit, stdout, stderr } = claw(['chat', '--person', 'Ada', '--conversation', 'trip'])
      child.stdin?.end(words)
      expect(await exit).toEqual([0, null])
      expect(await stderr).toBe('')
      return stdout
    }
    const { server, url } = await start()
    expect(await chat('first words\n+\n')).toMatch(
      /^Ada> first words\nclaw> .*\nAda> \+\n {2}👍 for the last reply\n$/s,
    )
    const history = async () =>
      (await (await fetch(new URL('api/workspaces/home/conversations/trip', url))).json()) as {
        messages: { role: string; text: string }[]
      }
    expect((await history()).messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const other = claw(['chat', '--memory', 'off'])
    expect(await other.exit).toEqual([2, null])
    expect(await other.stderr).toMatch(/^claw: CONFIG_INVALID .*--memory .*\n {2}what to do: /)
    await stop(server, 'SIGINT')
    expect(await chat('/claw why\n')).toMatch(/question +first words\n/)
  }, 60_000)

  test('a second one in the same folder leaves the first to be found', async () => {
    const { server, url } = await start()
    const second = claw(['start', '--port', '0'])
    expect(await second.exit).toEqual([1, null])
    expect(await second.stderr).toMatch(/^claw: STORE_UNUSABLE Another claw is at work/)
    expect(JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'))).toMatchObject({ url })
    await stop(server, 'SIGTERM')
  }, 60_000)

  test('a killed server’s traces mislead nobody', async () => {
    const { server } = await start()
    server.child.kill('SIGKILL')
    await server.exit
    expect(existsSync(join(data, 'server.json'))).toBe(true)
    const { child, exit, stdout } = claw(['chat', '--person', 'Ada'])
    child.stdin?.end('/claw status\n')
    expect(await exit).toEqual([0, null])
    expect(await stdout).toContain('answers')
  }, 60_000)

  test.each([
    ['a port that is taken', ['--port', 'TAKEN'], {}, /^claw: SERVER_UNAVAILABLE Port \d+ on 127\.0\.0\.1 is taken/, 1],
    ['an address that others reach, without a token', ['--host', '0.0.0.0'], {}, /^claw: CONFIG_INVALID .*token/, 2],
    [
      'a token that is too short',
      [],
      { CLAW_HTTP_TOKEN: 'short' },
      /^claw: CONFIG_INVALID CLAW_HTTP_TOKEN \(http\.token\)/,
      2,
    ],
    ['a port that is none', ['--port', '70000'], {}, /^claw: CONFIG_INVALID http\.port/, 2],
  ] as const)('%s', async (_what, args, env, message, code) => {
    const { createServer } = await import('node:net')
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    const { port } = taken.address() as { port: number }
    const run = claw(['start', ...args.map((arg) => (arg === 'TAKEN' ? String(port) : arg))], env)
    expect(await run.exit).toEqual([code, null])
    expect(await run.stderr).toMatch(message)
    expect(await run.stderr).toMatch(/\n {2}what to do: /)
    taken.close()
  })
})

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const CLAW = resolve(import.meta.dirname, '../../dist/claw.js')
const home = mkdtempSync(join(tmpdir(), 'claw-cli-'))
afterAll(() => rmSync(home, { recursive: true }))

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command line in a data directory of its own, with no terminal. */
function claw(...args: string[]): Promise<Run> {
  const env = { PATH: process.env.PATH, CLAW_DATA_DIR: join(home, 'data') }
  return new Promise((resolve) => {
    execFile(process.execPath, [CLAW, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
    }).stdin?.end()
  })
}

/** A mistake of a person's: nothing on stdout, one line with the code, one with the way out, no stack. */
function expectMistake(run: Run, code: string, exit: number): void {
  expect(run.stdout).toBe('')
  expect(run.stderr).toMatch(new RegExp(`^claw: ${code} [^\\n]+\\n {2}what to do: [^\\n]+\\n$`))
  expect(run.stderr).not.toMatch(/^\s+at /m)
  expect(run.code).toBe(exit)
}

describe('help', () => {
  test('claw alone and claw --help print the same help and end well', async () => {
    const [alone, asked] = await Promise.all([claw(), claw('--help')])
    expect(alone).toEqual(asked)
    expect(alone.code).toBe(0)
    for (const part of ['Examples:', 'CLAW_DATA_DIR', 'Exit codes:', 'start', 'chat', 'model']) {
      expect(alone.stdout).toContain(part)
    }
  })

  test('the version is the package’s', async () => {
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await claw('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('help finds a command in its group, and says so where there is none', async () => {
    const [asked, behind] = await Promise.all([claw('help', 'model', 'pull'), claw('model', 'pull', '--help')])
    expect(asked).toEqual(behind)
    expect(asked.stdout).toContain('Usage: claw model pull')
    expect(await claw('help')).toEqual(await claw())
    expectMistake(await claw('help', 'model', 'pul'), 'USAGE', 2)
  })

  test('a group without a command shows its help and is a mistake', async () => {
    const run = await claw('model')
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('Usage: claw model')
  })
})

describe('mistakes', () => {
  test.each([
    ['an unknown command', ['modle'], 'USAGE', 2],
    ['an unknown command of a group', ['model', 'lst'], 'USAGE', 2],
    ['an unknown option', ['model', 'list', '--jsn'], 'USAGE', 2],
    ['an option without its value', ['model', 'list', '--data'], 'USAGE', 2],
    ['one argument too many', ['model', 'list', 'all'], 'USAGE', 2],
    ['a choice that is none', ['chat', '--memory', 'maybe'], 'USAGE', 2],
    ['a number that is none', ['demo', '--seed', 'one'], 'USAGE', 2],
    ['a part alone with nothing to share', ['start', '--only', 'judge'], 'CONFIG_INVALID', 2],
    ['a part that is none', ['start', '--only', 'think'], 'USAGE', 2],
    ['a wish that is none', ['demo', '--wish', 'louder'], 'WISH_INVALID', 2],
    ['an unknown model', ['model', 'pull', 'smollm3'], 'MODEL_UNKNOWN', 1],
    ['an unknown model to talk to', ['chat', '--model', 'smollm3'], 'MODEL_UNKNOWN', 1],
    ['a model that is not here', ['model', 'info'], 'MODEL_MISSING', 1],
  ])('%s', async (_what, args, code, exit) => {
    expectMistake(await claw(...args), code, exit)
  })

  test('a data directory that is a file', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    for (const args of [['model', 'pull'], ['chat'], ['start']]) {
      expectMistake(await claw(...args, '--data', join(file, 'below')), 'CONFIG_INVALID', 2)
    }
  })

  test('a model file that is none', async () => {
    const file = join(home, 'noise.gguf')
    writeFileSync(file, 'GGUF\x03\0\0\0 and then noise')
    expectMistake(await claw('model', 'info', file), 'MODEL_CORRUPT', 1)
    expectMistake(await claw('chat', '--model', file), 'MODEL_CORRUPT', 1)
  })
})

describe('--json', () => {
  test('model list', async () => {
    const run = await claw('model', 'list', '--json')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const models = JSON.parse(run.stdout)
    expect(models[0]).toMatchObject({ name: 'smollm2-135m-instruct', path: null, size: null, inUse: true })
  })
})

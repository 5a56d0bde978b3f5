import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { random } from '../../core/policy/sampling.ts'
import { readManifest } from '../../core/policy/version.ts'
import { openStore } from '../../core/store/store.ts'
import { folderFiles, writeFolder } from '../tiny-model.ts'

const KILLS = 20
const REPLIES = 24
const directory = mkdtempSync(join(tmpdir(), 'claw-kill-'))
const data = join(directory, 'data')

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The real program on a tiny model whose words mean nothing, and a person who is pleased by every other reply. */
function prepare(): readonly string[] {
  const model = writeFolder(join(directory, 'model'))
  const config = { ...(folderFiles()['config.json'] as object), max_position_embeddings: 2048 }
  writeFileSync(join(model, 'config.json'), JSON.stringify(config))
  const wish = join(directory, 'wish.mjs')
  writeFileSync(
    wish,
    `export const corrections = ['shorter please', 'in one sentence', 'Use more vowels.']
     export const praise = ['Perfect, thanks!']
     export const check = (prompt, reply) => reply.length % 2 === 0`,
  )
  const replies = String(REPLIES)
  return ['dist/claw.js', 'demo', '--wish', wish, '--model', model, '--data', data, '--replies', replies, '--json']
}

function run(args: readonly string[]): { child: ChildProcess; output: Promise<string> } {
  const env = { ...process.env, CLAW_THREADS: '1' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const output = new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    child.on('close', () => resolve(text))
  })
  return { child, output }
}

/** Processes that another has started; none where the system does not tell. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

it(`kill -9 of the bot or its trainer at ${KILLS} random points of a running demo loses nothing and doubles nothing`, async () => {
  const seed = Date.now() % 1e6
  const uniform = random(seed)
  const args = prepare()
  let printed = ''
  let kills = 0
  while (printed === '') {
    const { child, output } = run(args)
    const ended = () => child.exitCode !== null
    while (kills < KILLS && !ended()) {
      await Promise.race([sleep(600 + uniform() * 2500), output])
      if (ended()) break
      kills++
      // Now and then it is the trainer alone that dies; the others go on.
      const [trainer] = uniform() < 0.4 ? childrenOf(child.pid!) : []
      if (trainer === undefined) {
        child.kill('SIGKILL')
        break
      }
      try {
        process.kill(trainer, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    printed = await output
  }
  const result = JSON.parse(printed) as { lessons: number; versions: number }
  const home = join(data, 'demo', readFolder(join(data, 'demo')))
  const store = await openStore(home)
  try {
    const turns = await store.db.selectFrom('turns').select(['id', 'message', 'state']).execute()
    expect(turns.map(({ message }) => message).sort(), `seed ${seed}`).toEqual(
      Array.from({ length: REPLIES }, (_, i) => `ada-1-${i}`).sort(),
    )
    const samples = await store.db.selectFrom('samples').select(['turn', 'state', 'version']).execute()
    const trained = samples.filter(({ state }) => state === 'trained')
    expect(new Set(trained.map(({ turn }) => turn)).size).toBe(trained.length)
    expect(samples.filter(({ state }) => state === 'ready')).toEqual([])
    expect(turns.filter(({ state }) => state === 'trained')).toHaveLength(trained.length)
    expect(result.lessons).toBe(trained.length)
    const versions = await store.db.selectFrom('versions').selectAll().orderBy('version').execute()
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, i) => i + 1))
    expect(result.versions).toBe(versions.length)
    for (const { version, state, directory: path, lessons } of versions) {
      expect(trained.filter((sample) => sample.version === version)).toHaveLength(lessons)
      expect(existsSync(path)).toBe(state === 'served')
      if (state === 'served') expect((await readManifest(path)).version).toBe(version)
    }
    expect(JSON.parse(readFileSync(join(home, 'progress.json'), 'utf8'))).toMatchObject({ finished: true })
  } finally {
    await store.close()
  }
}, 240_000)

function readFolder(path: string): string {
  return readdirSync(path)[0]!
}

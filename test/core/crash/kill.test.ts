import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../core/store/store.ts'
import { scratch } from '../../scratch.ts'

const QUESTIONS = 30
const KILLS = 30
/** About as many as a life has that starts again and gets through one more question. */
const MOST_POINTS = 300
const ROOT = join(import.meta.dirname, '../../..')
/** Inside the project, where its packages are found. */
const BUILT = join(ROOT, 'node_modules/.cache/claw-crash')

let dir: string

beforeAll(async () => {
  dir = scratch()
  const ssr = join(import.meta.dirname, 'life.ts')
  // With its packages inside: hundreds of files to load would be most of each life.
  const packages = { noExternal: true as const, external: ['better-sqlite3', 'pg'] }
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    ssr: packages,
    build: { ssr, outDir: BUILT, minify: false },
  })
})

afterAll(() => rmSync(dir, { recursive: true }))

/** Runs one life up to a question, or up to its death. Returns how it ended. */
function live(questions: number, points: number): Promise<number | NodeJS.Signals | null> {
  const child = spawn(process.execPath, [join(BUILT, 'life.js'), dir, String(questions), String(points)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)))
}

test(`killed at ${KILLS} random points and started again, everything is there once`, async () => {
  for (let kills = 0; kills < KILLS; ) {
    const end = await live(Math.ceil(((kills + 1) / KILLS) * QUESTIONS), Math.ceil(Math.random() * MOST_POINTS))
    expect(['SIGKILL', 0]).toContain(end)
    if (end === 'SIGKILL') kills += 1
  }
  expect(await live(QUESTIONS, Number.POSITIVE_INFINITY)).toBe(0)
  const { db, close } = await openStore(dir)

  const turns = await db.selectFrom('turns').selectAll().orderBy('position').execute()
  const corrections = Math.ceil(QUESTIONS / 3)
  expect(turns).toHaveLength(QUESTIONS + corrections)
  expect(new Set(turns.map((turn) => turn.message)).size).toBe(turns.length)
  expect(turns.every((turn) => turn.visible_at !== null && turn.judged === turn.evidence)).toBe(true)

  const inbox = await db.selectFrom('inbox').select(['state', 'error', 'event']).execute()
  expect(inbox).toHaveLength(QUESTIONS + corrections + 3 * (QUESTIONS - corrections))
  expect(inbox.every((event) => event.state === 'handled' && event.error === null)).toBe(true)

  // What the person saw is what is on record, in the same order, each reply once.
  const screen = readFileSync(join(dir, 'screen.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(screen).toEqual(turns.map((turn) => ({ turn: turn.id, text: turn.text })))

  const samples = await db.selectFrom('samples').selectAll().execute()
  const standing = samples.filter((sample) => sample.state !== 'withdrawn')
  expect(standing.every((sample) => sample.state === 'trained')).toBe(true)
  expect(new Set(standing.map((sample) => sample.turn)).size).toBe(standing.length)
  for (const turn of turns.filter((each) => each.message.startsWith('ask'))) {
    const index = Number(turn.message.slice(3))
    const sample = standing.find((each) => each.turn === turn.id)
    expect(sample?.reward).toBe(index % 3 === 0 ? -1 : 1)
    expect(turn.state).toBe('trained')
    const verdicts = await db
      .selectFrom('verdicts')
      .selectAll()
      .where('turn', '=', turn.id)
      .orderBy('revision')
      .execute()
    expect(verdicts.at(-1)?.score).toBe(sample?.reward)
    expect(verdicts.at(-1)?.revision).toBe(turn.evidence)
    const notes = await db.selectFrom('notes').select('text').where('turn', '=', turn.id).execute()
    expect(notes).toHaveLength(index % 3 === 0 ? 1 : 0)
  }

  const versions = await db.selectFrom('versions').selectAll().orderBy('version').execute()
  expect(versions.map((each) => [each.version, each.parent])).toEqual(versions.map((_, i) => [i + 1, i]))
  const learned = versions.reduce((sum, each) => sum + each.lessons, 0)
  expect(learned).toBe(samples.filter((sample) => sample.version !== null).length)
  await close()
}, 180_000)

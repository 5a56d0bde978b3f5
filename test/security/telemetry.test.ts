import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writeFolder } from '../tiny-model.ts'

const home = mkdtempSync(join(tmpdir(), 'claw-telemetry-'))

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Starts the engine and the trainer's engine in a process whose home and temporary folder are empty. */
const PROGRAM = `
  import { openModel } from './core/model/files.ts'
  import { startEngine } from './core/policy/embedded.ts'
  import { createOnnxTrainer } from './trainer/engines/onnx.ts'
  const [path, cacheDir] = process.argv.slice(-2)
  const engine = await startEngine({ model: path, weights: 'f32', threads: 1, context: 64, cacheDir })
  await engine.score({ promptIds: [1, 2], responseIds: [3], policy: 'base', topK: 0 })
  await engine.close()
  const model = await openModel(path)
  const trainer = await createOnnxTrainer({ model, rank: 2, alpha: 4, threads: 1, cacheDir })
  await trainer.close()
`

it('the runtime keeps no device id and writes nothing of its own', () => {
  const model = writeFolder(join(home, 'model'))
  const args = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, model, join(home, 'cache')]
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home }
  execFileSync(process.execPath, args, { env, stdio: 'pipe' })
  expect(existsSync(join(home, '.cache'))).toBe(false)
  expect(readdirSync(home).filter((name) => name.startsWith('mat-debug'))).toEqual([])
})

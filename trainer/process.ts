import { setPriority } from 'node:os'
import type { Config } from '../config/config.ts'
import { ClawError, reason } from '../core/errors.ts'
import { openModel } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import { keyOf } from '../core/queue/queue.ts'
import { noLeases, openLeases } from '../core/store/leases.ts'
import { takeLock } from '../core/store/lock.ts'
import { openStore } from '../core/store/store.ts'
import { createOnnxTrainer } from './engines/onnx.ts'
import { Learner } from './learner.ts'
import type { TrainerAnswer, TrainerRequest } from './messages.ts'
import { RECIPE } from './recipe.ts'
import { Schedule } from './schedule.ts'

/** The trainer's own process, at the lowest priority: replies never wait for it. */
setPriority(19)
// Not an orderly exit: the runtime aborts with noise when it is torn down in the middle of a run, and what is not
// recorded is done again anyway.
const die = () => process.kill(process.pid, 'SIGKILL')
process.on('disconnect', die)
// The main process may have died while this one was loading.
if (!process.connected) die()
// A terminal's Ctrl-C reaches the whole group; the main process decides when this one ends.
process.on('SIGINT', () => {})

/** A step blocks this thread, and with it the renewal of leases, for seconds. In milliseconds. */
const TERM = 30_000

let wake = () => {}
let closing = false
let asked = { id: 0, flush: false }
let settled = 0
type Start = Extract<TrainerRequest, { type: 'start' }>
let start: (request: Start) => void = () => {}
const started = new Promise<Start>((resolve) => {
  start = resolve
})
process.on('message', (request: TrainerRequest) => {
  if (request.type === 'start') start(request)
  if (request.type === 'close') closing = true
  if (request.type === 'settle') asked = request
  wake()
})

function tell(answer: TrainerAnswer): void {
  if (process.connected) process.send!(answer)
}

/** Resolves at the next wake-up, or after `milliseconds`. */
function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function open(config: Config, path: string) {
  const model = await openModel(path)
  const { cacheDir } = config
  const { threads } = config.trainer
  const { rank, alpha } = RECIPE
  const engine = await createOnnxTrainer({ model, rank, alpha, threads, cacheDir })
  const { weights, context } = config.serving
  const policy = await startEngine({ model: path, weights, threads, context, cacheDir })
  const store = await openStore(config.dataDir, config.databaseUrl, () => {})
  const failed = (error: unknown) => tell({ type: 'failed', code: codeOf(error), message: reason(error) })
  return {
    // Other trainers of the same bot may be at work on other machines.
    leases: config.databaseUrl === null ? noLeases : openLeases(store.db, failed, TERM),
    learner: new Learner({ config, store, model, engine, policy }),
    schedule: new Schedule(store, config.trainer),
  }
}

async function run(): Promise<void> {
  const { config, model } = await started
  if (config.databaseUrl === null) {
    // One whose main process was killed may still be ending a step.
    const lock = await takeLock(config.dataDir, 'train', 60_000)
    process.once('exit', lock.release)
  }
  const { learner, schedule, leases } = await open(config, model)
  tell({ type: 'ready' })
  while (!closing) {
    const { id, flush } = asked
    const next = await schedule.next(Date.now(), flush && id > settled)
    if (next.what === 'nothing') {
      settled = id
      tell({ type: 'idle', settled })
      if (asked.id === settled) await sleep(next.waitMilliseconds)
      continue
    }
    // All weights of a workspace count their versions together.
    const { platform, workspace } = next.ref
    const lease = await leases.claim(`train ${keyOf(platform, workspace)}`)
    if (lease === null) {
      // The schedule gives each its turn: the next that is due is another's.
      await sleep(1_000)
      continue
    }
    try {
      if (next.what === 'notes') {
        await learner.checkNote(next.ref)
        schedule.succeeded(next.ref)
        continue
      }
      tell({ type: 'busy', what: next.what })
      const outcome = next.what === 'lessons' ? await learner.learn(next.ref) : await learner.rehearse(next.ref)
      schedule.succeeded(next.ref)
      if (outcome !== null) tell({ type: 'version', outcome })
      else if (next.what === 'rehearsal') schedule.skip(next.ref)
      // Another trainer was faster.
      else await sleep(1_000)
    } catch (error) {
      schedule.failed(next.ref, Date.now())
      tell({ type: 'failed', code: codeOf(error), message: reason(error) })
    } finally {
      await lease.release()
    }
  }
}

run().then(
  () => process.exit(0),
  (error) => {
    tell({ type: 'failed', code: codeOf(error), message: reason(error) })
    process.exit(1)
  },
)

function codeOf(error: unknown): string {
  return error instanceof ClawError ? error.code : 'TRAINER_FAILED'
}

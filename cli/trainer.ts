import type { Config } from '../config/config.ts'
import { reason } from '../core/errors.ts'
import { startProcess } from '../core/sibling.ts'
import type { Outcome } from '../trainer/learner.ts'
import type { TrainerAnswer, TrainerRequest } from '../trainer/messages.ts'

/** What the trainer is at. */
export type TrainingState = 'idle' | 'lessons' | 'rehearsal'

export interface TrainerListener {
  state(state: TrainingState): void
  version(outcome: Outcome): void
  failed(code: string, message: string): void
}

/** The trainer's process as the main process sees it. */
export interface TrainerLink {
  /** There may be something to learn. */
  wake(): void
  /** Resolves when nothing is due to be learned or rehearsed; `flush`: not even a batch that is not full. */
  settle(flush: boolean): Promise<void>
  close(): Promise<void>
}

const RESTART_AFTER = 2_000

/** What was said to one that has just died is said again, or lost at no cost: without this it would end the bot. */
const lost = (): void => {}

/** Starts the trainer at low priority, and again when it dies: what it had not recorded, it does again. */
export function startTrainer(config: Config, model: string, listener: TrainerListener): TrainerLink {
  let closing = false
  let asked = { id: 0, flush: false }
  const waiting = new Map<number, () => void>()
  let restarting: NodeJS.Timeout | undefined
  let child = launch()

  function launch() {
    const started = startProcess('../trainer/process', import.meta.url, [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    if (started.connected) started.send({ type: 'start', config, model } satisfies TrainerRequest, lost)
    started.on('message', (answer: TrainerAnswer) => {
      if (answer.type === 'busy') listener.state(answer.what)
      if (answer.type === 'idle') listener.state('idle')
      if (answer.type === 'version') listener.version(answer.outcome)
      if (answer.type === 'failed') listener.failed(answer.code, answer.message)
      if (answer.type !== 'idle') return
      for (const [id, resolve] of waiting) {
        if (id > answer.settled) continue
        waiting.delete(id)
        resolve()
      }
    })
    const ended = () => {
      listener.state('idle')
      if (closing) return
      clearTimeout(restarting)
      restarting = setTimeout(() => {
        child = launch()
        if (waiting.size > 0) send({ type: 'settle', ...asked })
      }, RESTART_AFTER)
    }
    started.on('exit', ended)
    // It could not be started: too many processes, or no memory.
    started.on('error', (error) => {
      listener.failed('TRAINER_FAILED', reason(error))
      if (started.pid === undefined) ended()
    })
    return started
  }

  function send(request: TrainerRequest): void {
    if (child.connected) child.send(request, lost)
  }

  return {
    wake: () => send({ type: 'wake' }),
    settle(flush) {
      asked = { id: asked.id + 1, flush }
      const settled = new Promise<void>((resolve) => {
        waiting.set(asked.id, resolve)
      })
      send({ type: 'settle', ...asked })
      return settled
    },
    async close() {
      closing = true
      clearTimeout(restarting)
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      send({ type: 'close' })
      // A step takes seconds; what is not recorded is done again at the next start.
      const timer = setTimeout(() => child.kill('SIGKILL'), 1_000)
      await exited
      clearTimeout(timer)
    },
  }
}

import '../../config/privacy.ts'
import type { Worker } from 'node:worker_threads'
import { ClawError } from '../errors.ts'
import { startThread } from '../sibling.ts'
import type {
  BatchRequest,
  EngineStats,
  GeneratedToken,
  GenerateRequest,
  Generation,
  PolicyEngine,
  ScoreRequest,
  Scores,
} from './engine.ts'
import type { EngineAnswer, EngineOptions, EngineRequest } from './protocol.ts'

type Question = EngineRequest extends infer R ? (R extends EngineRequest ? Omit<R, 'id'> : never) : never

interface Pending {
  token(token: GeneratedToken): void
  done(result: unknown): void
  fail(error: ClawError): void
}

/** The engine on this machine, in a thread of its own. Throws MODEL_* and ENGINE_FAILED when it cannot start. */
export async function startEngine(options: EngineOptions): Promise<PolicyEngine> {
  const engine = new EmbeddedEngine(options)
  await engine.ready
  return engine
}

class EmbeddedEngine implements PolicyEngine {
  readonly ready: Promise<unknown>
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #next = 1
  #stopped: ClawError | null = null

  constructor(options: EngineOptions) {
    this.#worker = startThread('./worker', import.meta.url, options)
    this.ready = new Promise((resolve, reject) => {
      this.#pending.set(0, { token: () => {}, done: resolve, fail: reject })
    })
    this.#worker.on('message', (answer: EngineAnswer) => this.#receive(answer))
    this.#worker.on('error', (error) => this.#stop(asClawError(error)))
    this.#worker.on('exit', () => this.#stop(new ClawError('ENGINE_STOPPED', 'The engine has stopped')))
  }

  async *generate({ signal, ...request }: GenerateRequest): AsyncGenerator<GeneratedToken, Generation, void> {
    const aborted = () => new ClawError('REQUEST_ABORTED', 'The reply was stopped')
    if (signal?.aborted) throw aborted()
    const tokens: GeneratedToken[] = []
    let result: Generation | undefined
    let failure: ClawError | undefined
    let wake = () => {}
    const id = this.#ask(
      { type: 'generate', request },
      {
        token: (token) => {
          tokens.push(token)
          wake()
        },
        done: (generation) => {
          result = generation as Generation
          wake()
        },
        fail: (error) => {
          failure = error
          wake()
        },
      },
    )
    const abort = () => this.#send({ id, type: 'abort' })
    signal?.addEventListener('abort', abort)
    try {
      while (true) {
        const token = tokens.shift()
        if (token !== undefined) yield token
        else if (failure !== undefined) throw failure
        else if (result?.finish === 'aborted') throw aborted()
        else if (result !== undefined) return result
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      signal?.removeEventListener('abort', abort)
      // The consumer may have left the loop early.
      if (result === undefined && failure === undefined) abort()
    }
  }

  generateAll(request: BatchRequest): Promise<readonly Generation[]> {
    return this.#call({ type: 'generateAll', request })
  }

  score(request: ScoreRequest): Promise<Scores> {
    return this.#call({ type: 'score', request })
  }

  async load(name: string, directory: string): Promise<void> {
    await this.#call({ type: 'load', name, directory })
  }

  async unload(name: string): Promise<void> {
    await this.#call({ type: 'unload', name })
  }

  stats(): Promise<EngineStats> {
    return this.#call({ type: 'stats' })
  }

  async close(): Promise<void> {
    if (this.#stopped !== null) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    await this.#call({ type: 'close' })
    await exited
  }

  #call<R>(question: Question): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#ask(question, { token: () => {}, done: (result) => resolve(result as R), fail: reject })
    })
  }

  #ask(question: Question, pending: Pending): number {
    const id = this.#next++
    if (this.#stopped !== null) pending.fail(this.#stopped)
    else {
      this.#pending.set(id, pending)
      this.#send({ id, ...question } as EngineRequest)
    }
    return id
  }

  #send(request: EngineRequest): void {
    this.#worker.postMessage(request)
  }

  #receive(answer: EngineAnswer): void {
    const pending = this.#pending.get(answer.id)
    if (pending === undefined) return
    if (answer.type === 'token') {
      pending.token(answer.token)
      return
    }
    this.#pending.delete(answer.id)
    if (answer.type === 'done') pending.done(answer.result)
    else {
      const { code, message, remedy } = answer
      pending.fail(new ClawError(code, message, remedy === undefined ? {} : { remedy }))
    }
  }

  #stop(error: ClawError): void {
    this.#stopped ??= error
    for (const pending of this.#pending.values()) pending.fail(this.#stopped)
    this.#pending.clear()
  }
}

/** Errors cross the thread boundary as plain objects that keep their own properties. */
function asClawError(error: unknown): ClawError {
  const { code, message, remedy } = error as Partial<ClawError>
  const known = typeof code === 'string' && /^(MODEL|POLICY|CONFIG)_/.test(code)
  return new ClawError(known ? (code as ClawError['code']) : 'ENGINE_FAILED', message ?? 'The engine failed', {
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
  })
}

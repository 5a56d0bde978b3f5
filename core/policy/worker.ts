import { parentPort, workerData } from 'node:worker_threads'
import { ClawError, reason } from '../errors.ts'
import { openModel } from '../model/files.ts'
import { servingGraph } from '../model/serving-graph.ts'
import { openSession } from '../model/session.ts'
import { chooseFormat, storeWeights } from '../model/weights.ts'
import { Decoder } from './decoder.ts'
import type { BatchRequest, EngineStats, GenerateRequest, Generation, ScoreRequest, Scores } from './engine.ts'
import { RunningGeneration } from './generation.ts'
import type { EngineAnswer, EngineOptions, EngineRequest } from './protocol.ts'
import { logSumExp, topOf } from './sampling.ts'

/** The engine's thread: ONNX Runtime blocks the thread it runs on, so nothing else may live here. */
const options = workerData as EngineOptions
const model = await openModel(options.model)
const context = Math.min(options.context, model.config.contextLength)
const format = chooseFormat(model, options.weights)
const weights = await storeWeights(model, format, options.cacheDir)
const graph = servingGraph(model.config, weights, context)
const decoder = new Decoder(await openSession('serve', graph, weights, options.threads), model)

/** Something that shares the thread a step at a time. */
interface Job {
  readonly priority: number
  /** Takes one step and answers; true after the last one. */
  step(): Promise<boolean>
  abort(): Generation | null
}

const running = new Map<number, Job>()
const counters = { generatedTokens: 0, prefillTokens: 0, cachedTokens: 0 }
let turning = false

function answer(message: EngineAnswer, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transfer)
}

function fail(id: number, error: unknown): void {
  const { code, remedy } = error instanceof ClawError ? error : { code: 'ENGINE_FAILED' as const, remedy: undefined }
  answer({ id, type: 'error', code, message: reason(error), remedy })
}

function checkLength(promptIds: readonly number[], more: number): void {
  if (promptIds.length === 0) throw new ClawError('REQUEST_INVALID', 'The prompt is empty')
  if (promptIds.length + more > context) {
    throw new ClawError('REQUEST_INVALID', `The prompt is longer than the context of ${context} tokens`, {
      remedy: 'Shorten it or raise serving.context.',
    })
  }
}

/** Jobs take turns, one token each; background work waits while anything of a higher priority runs. */
async function takeTurns(): Promise<void> {
  if (turning) return
  turning = true
  while (running.size > 0) {
    const priority = Math.max(...[...running.values()].map((job) => job.priority))
    for (const [id, job] of [...running]) {
      if (job.priority < priority || !running.has(id)) continue
      try {
        if (await job.step()) running.delete(id)
      } catch (error) {
        running.delete(id)
        job.abort()
        fail(id, error)
      }
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  turning = false
}

function start(id: number, job: Job): void {
  running.set(id, job)
  void takeTurns()
}

function generation(id: number, request: GenerateRequest): Job {
  checkLength(request.promptIds, 1)
  const reply = new RunningGeneration(request, decoder, model.tokenizer, context)
  counters.cachedTokens += reply.cachedTokens
  counters.prefillTokens += request.promptIds.length - reply.cachedTokens
  return {
    priority: request.priority ?? 1,
    abort: () => reply.abort(),
    async step() {
      const { token, finished } = await reply.step()
      // It may have been aborted during the step.
      if (!running.has(id)) return true
      counters.generatedTokens++
      answer({ id, type: 'token', token })
      if (finished !== null) answer({ id, type: 'done', result: finished })
      return finished !== null
    },
  }
}

function batch(id: number, { policy, items }: BatchRequest): Job {
  for (const { promptIds, sampling } of items) checkLength(promptIds, sampling.maxTokens)
  const replies = decoder.batch(policy, model.tokenizer, items)
  return {
    priority: 0,
    abort: () => null,
    async step() {
      const finished = await replies.step()
      if (finished === null) return false
      counters.generatedTokens += finished.reduce((sum, { ids }) => sum + ids.length, 0)
      answer({ id, type: 'done', result: finished })
      return true
    },
  }
}

async function score({ promptIds, responseIds, policy, topK }: ScoreRequest): Promise<Scores> {
  checkLength(promptIds, responseIds.length)
  const logprobs = new Float32Array(responseIds.length)
  const topIds = new Int32Array(responseIds.length * topK)
  const topLogprobs = new Float32Array(topIds.length)
  if (responseIds.length === 0) return { logprobs, topIds, topLogprobs }
  const loan = decoder.borrow(policy, promptIds)
  try {
    const pending = [...promptIds.slice(loan.cachedTokens), ...responseIds.slice(0, -1)]
    const rows = await loan.append(pending, responseIds.length)
    rows.forEach((logits, i) => {
      logprobs[i] = logits[responseIds[i]!]! - logSumExp(logits)
      if (topK === 0) return
      const top = topOf(logits, topK)
      topIds.set(top.ids, i * topK)
      topLogprobs.set(top.logprobs, i * topK)
    })
  } finally {
    loan.release()
  }
  return { logprobs, topIds, topLogprobs }
}

function stats(): EngineStats {
  const { loaded } = decoder
  return { model: model.name, weights: format, loaded, running: running.size, waiting: 0, ...counters }
}

async function handle(request: EngineRequest): Promise<EngineAnswer | null> {
  const { id, type } = request
  switch (type) {
    case 'generate':
      start(id, generation(id, request.request))
      return null
    case 'generateAll':
      if (request.request.items.length === 0) return { id, type: 'done', result: [] }
      start(id, batch(id, request.request))
      return null
    case 'abort': {
      const job = running.get(id)
      running.delete(id)
      return job === undefined ? null : { id, type: 'done', result: job.abort() }
    }
    case 'score':
      return { id, type: 'done', result: await score(request.request) }
    case 'load':
      await decoder.load(request.name, request.directory)
      return { id, type: 'done', result: null }
    case 'unload':
      decoder.unload(request.name)
      return { id, type: 'done', result: null }
    case 'stats':
      return { id, type: 'done', result: stats() }
    case 'close':
      for (const [other] of running) fail(other, new ClawError('ENGINE_STOPPED', 'The engine was stopped'))
      running.clear()
      await model.close()
      return { id, type: 'done', result: null }
  }
}

parentPort!.on('message', (request: EngineRequest) => {
  handle(request).then(
    (message) => {
      if (message !== null) answer(message)
      if (request.type === 'close') parentPort!.close()
    },
    (error) => fail(request.id, error),
  )
})
answer({ id: 0, type: 'done', result: stats() })

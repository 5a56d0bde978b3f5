/**
 * The serving peer: node-llama-cpp on a GGUF file, as a process that answers one line of JSON for each line it reads.
 *
 *   {"text"} → {"ids"}
 *   {"ids", "tokens", "threads"} → {"firstMs", "restMs", "count"}: greedy; the first token, then the others
 *
 * node serve_llama.mjs FILE.gguf MAX_THREADS
 */
import { createInterface } from 'node:readline'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'

const [modelPath, maxThreads] = process.argv.slice(2)
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.error,
  maxThreads: Number(maxThreads),
})
const model = await llama.loadModel({ modelPath })

async function generate({ ids, tokens, threads }) {
  const context = await model.createContext({ contextSize: 512, batchSize: 512, threads })
  const sequence = context.getSequence()
  const started = performance.now()
  let first = started
  let count = 0
  for await (const _ of sequence.evaluate(ids, { temperature: 0 })) {
    if (++count === 1) first = performance.now()
    if (count === tokens) break
  }
  const answer = { firstMs: first - started, restMs: performance.now() - first, count }
  await context.dispose()
  return answer
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = 'text' in request ? { ids: model.tokenize(request.text, true) } : await generate(request)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
await llama.dispose()

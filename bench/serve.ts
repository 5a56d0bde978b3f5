/**
 * Decoding one stream: this project's engine with its default weights against node-llama-cpp, on one GGUF file.
 *
 *   npm run bench:serve -- [--quick] [--json] [--model FILE.gguf]
 */
import { startEngine } from '../core/policy/embedded.ts'
import { BASE_POLICY, type PolicyEngine } from '../core/policy/engine.ts'
import { type BenchOptions, benchOptions, median, progress, repeat, round, surroundings, THREADS } from './measure.ts'
import { installLlama, Peer } from './peer.ts'
import { finish } from './result.ts'

const PROMPT_TOKENS = 256
const NEW_TOKENS = 128

/** A run: the prompt and the first token, then the others. */
interface Run {
  readonly promptTokens: number
  readonly firstMs: number
  readonly restMs: number
  readonly count: number
}

const SCENE =
  'The village lies where two rivers meet. In spring the water rises to the lowest steps of the mill, and the ' +
  'children count them every morning. An old ferryman knows each stone below the bridge by its name. '

/** A prompt of exactly PROMPT_TOKENS whose beginning is new in every round, so that no cache knows it. */
async function promptOf(peer: Peer, story: number): Promise<number[]> {
  const tokens = async (text: string) => (await peer.ask<{ ids: number[] }>({ text })).ids
  const head = await tokens(`<|im_start|>system\nStory ${story}.<|im_end|>\n<|im_start|>user\n`)
  const tail = await tokens('\n\nTell a long story about this village.<|im_end|>\n<|im_start|>assistant\n')
  const body = await tokens(SCENE.repeat(8))
  return [...head, ...body.slice(0, PROMPT_TOKENS - head.length - tail.length), ...tail]
}

async function runEngine(engine: PolicyEngine, promptIds: readonly number[], maxTokens: number): Promise<Run> {
  const sampling = { temperature: 0, topP: 1, maxTokens, seed: 0 }
  const reply = engine.generate({ promptIds, policy: BASE_POLICY, sampling })
  const started = performance.now()
  let step = await reply.next()
  const first = performance.now()
  while (!step.done) step = await reply.next()
  const { ids, cachedTokens } = step.value
  return {
    promptTokens: promptIds.length - cachedTokens,
    firstMs: first - started,
    restMs: performance.now() - first,
    count: ids.length,
  }
}

async function runPeer(peer: Peer, ids: readonly number[], tokens: number, threads: number): Promise<Run> {
  return { promptTokens: ids.length, ...(await peer.ask<Omit<Run, 'promptTokens'>>({ ids, tokens, threads })) }
}

function rates(runs: readonly Run[]) {
  return {
    decode_tok_s: round(median(runs.map(({ count, restMs }) => ((count - 1) / restMs) * 1000)), 1),
    prefill_tok_s: round(median(runs.map(({ promptTokens, firstMs }) => (promptTokens / firstMs) * 1000)), 1),
  }
}

async function measure({ model, quick, config }: BenchOptions) {
  installLlama()
  const around = surroundings()
  const peer = new Peer('node-llama-cpp', process.execPath, 'serve_llama.mjs', [model, String(THREADS)])
  const { cacheDir } = config
  const engine = await startEngine({ model, weights: 'auto', threads: THREADS, context: 512, cacheDir })
  const runs = { ours: [] as Run[], peer2: [] as Run[], peer1: [] as Run[] }
  try {
    const warm = await promptOf(peer, 999)
    await runEngine(engine, warm, 8)
    for (const threads of [1, THREADS]) await runPeer(peer, warm, 8, threads)
    const rounds = await repeat(quick ? 5 : 15, quick ? 60 : 600, async (done) => {
      const ids = await promptOf(peer, done)
      runs.ours.push(await runEngine(engine, ids, NEW_TOKENS))
      runs.peer2.push(await runPeer(peer, ids, NEW_TOKENS, THREADS))
      runs.peer1.push(await runPeer(peer, ids, NEW_TOKENS, 1))
      const last = Object.values(runs).map((side) => rates(side.slice(-1)).decode_tok_s)
      progress(`round ${done + 1}: ${last.join(' / ')} tokens/s (ours, peer on ${THREADS} threads, peer on 1)`)
    })
    const { weights } = await engine.stats()
    return { rounds, weights, ours: rates(runs.ours), peer2: rates(runs.peer2), peer1: rates(runs.peer1), ...around }
  } finally {
    peer.close()
    await engine.close()
  }
}

await finish(async () => {
  const options = await benchOptions()
  const { ours, peer1, peer2, ...rest } = await measure(options)
  const ratio = (key: keyof typeof ours, against: number) => round(ours[key] / against)
  const best = (key: keyof typeof ours) => Math.max(peer1[key], peer2[key])
  const result = {
    decode_tok_s: ours.decode_tok_s,
    decode_ratio: ratio('decode_tok_s', peer2.decode_tok_s),
    decode_ratio_best: ratio('decode_tok_s', best('decode_tok_s')),
    prefill_tok_s: ours.prefill_tok_s,
    prefill_ratio: ratio('prefill_tok_s', peer2.prefill_tok_s),
    prefill_ratio_best: ratio('prefill_tok_s', best('prefill_tok_s')),
    peer: { name: 'node-llama-cpp 3.21.1', threads_1: peer1, threads_2: peer2 },
    threads: THREADS,
    prompt_tokens: PROMPT_TOKENS,
    new_tokens: NEW_TOKENS,
    ...rest,
  }
  const table = [
    ['', 'decode, tokens/s', 'prefill, tokens/s'],
    [`claw, ${rest.weights}, ${THREADS} threads`, ours.decode_tok_s, ours.prefill_tok_s],
    [`node-llama-cpp, ${THREADS} threads`, peer2.decode_tok_s, peer2.prefill_tok_s],
    ['node-llama-cpp, 1 thread', peer1.decode_tok_s, peer1.prefill_tok_s],
    [`ratio at ${THREADS} threads`, result.decode_ratio, result.prefill_ratio],
    ["ratio to the peer's best", result.decode_ratio_best, result.prefill_ratio_best],
  ]
  return { json: options.json, result, table }
})

/**
 * One training step: this project's trainer against PyTorch and PEFT, on the same weights and tokens.
 *
 *   npm run bench:train -- [--quick] [--json] [--model FILE.gguf] [--python PATH]
 */
import { openModel } from '../core/model/files.ts'
import { createOnnxTrainer, type OnnxTrainer } from '../trainer/engines/onnx.ts'
import { RECIPE } from '../trainer/recipe.ts'
import {
  type BenchOptions,
  benchOptions,
  median,
  peakMb,
  progress,
  repeat,
  resetPeak,
  round,
  surroundings,
  THREADS,
} from './measure.ts'
import { installTorch, Peer } from './peer.ts'
import { finish } from './result.ts'

const TOKENS = 256
const RANK = 8
const ADAM = { ...RECIPE.adam, learningRate: 1e-4 }

/** What one step took and found: milliseconds, and the mean log-probability of the next tokens before it. */
interface Step {
  readonly ms: number
  readonly logprob: number
}

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length

/** Steps of one sequence, one candidate a row. `old` is the step before, as for a policy that has just been updated. */
async function stepper(engine: OnnxTrainer, ids: readonly number[], rows: readonly number[]) {
  const candidates = Int32Array.from(rows, (row) => ids[row + 1]!)
  const zeros = new Float32Array(rows.length)
  const advantages = new Float32Array(rows.length).fill(1 / rows.length)
  let [old] = (await engine.forward([{ ids, rows, candidates }], 'current')).map(({ logprobs }) => logprobs)
  return async (): Promise<Step> => {
    const item = { ids, rows, candidates, old: old!, advantages, reference: old!, klWeights: zeros, targets: zeros }
    const started = performance.now()
    const { logprobs } = await engine.forwardBackward([item])
    await engine.optimStep(ADAM)
    const ms = performance.now() - started
    old = logprobs[0]
    return { ms, logprob: mean(old!) }
  }
}

async function measure({ model: path, quick, python, config }: BenchOptions) {
  const interpreter = python ?? installTorch()
  const around = surroundings()
  const torch = (type: string) =>
    new Peer(`PyTorch (${type})`, interpreter, 'train_torch.py', [path, type, String(RANK), String(THREADS)])
  const peers = [torch('float32'), torch('bfloat16')] as const
  try {
    const model = await openModel(path)
    const ids = Array.from({ length: TOKENS }, (_, i) => (i * 7919) % model.config.vocabSize)
    const rows = ids.slice(1).map((_, row) => row)
    const { cacheDir } = config
    const engine = await createOnnxTrainer({ model, rank: RANK, alpha: 2 * RANK, threads: THREADS, cacheDir })
    const ours = await stepper(engine, ids, rows)
    const request = { ids, rows, learningRate: ADAM.learningRate }
    const theirs = peers.map((peer) => () => peer.ask<Step & { rssMb: number }>(request))
    progress('warming up …')
    resetPeak()
    const warm: Step[] = []
    for (const step of [ours, ...theirs]) warm.push(await step())
    // The very same work on both sides, or the times mean nothing.
    if (Math.abs(warm[0]!.logprob - warm[1]!.logprob) > 1e-2) throw new Error('The two sides disagree on the model')
    const ms: [number[], number[], number[]] = [[], [], []]
    let peerRss = 0
    const rounds = await repeat(quick ? 6 : 20, quick ? 45 : 600, async (done) => {
      ms[0].push((await ours()).ms)
      for (const [i, step] of theirs.entries()) {
        const { ms: took, rssMb } = await step()
        ms[i + 1]!.push(took)
        if (i === 0) peerRss = rssMb
      }
      const last = ms.map((side) => Math.round(side.at(-1)!))
      progress(`round ${done + 1}: ${last.join(' / ')} ms (ours, PyTorch float32, PyTorch bfloat16)`)
    })
    const medians = ms.map((side) => round(median(side), 1)) as [number, number, number]
    return { medians, rounds, rss: peakMb(), peerRss, ...around }
  } finally {
    for (const peer of peers) peer.close()
  }
}

await finish(async () => {
  const options = await benchOptions()
  const { medians, rss, peerRss, ...rest } = await measure(options)
  const [ours, float32, bfloat16] = medians
  const result = {
    ours_ms: ours,
    pytorch_ms: float32,
    pytorch_bf16_ms: bfloat16,
    ratio_vs_pytorch: round(float32 / ours),
    ratio_vs_pytorch_bf16: round(bfloat16 / ours),
    rss_mb: rss,
    peer_rss_mb: peerRss,
    tokens: TOKENS,
    rank: RANK,
    threads: THREADS,
    ...rest,
  }
  const table = [
    ['', 'ms a step', 'times ours', 'peak MB'],
    ['claw, float32', ours, 1, rss],
    ['PyTorch + PEFT, float32', float32, result.ratio_vs_pytorch, peerRss],
    ['PyTorch + PEFT, bfloat16', bfloat16, result.ratio_vs_pytorch_bf16, ''],
  ]
  return { json: options.json, result, table }
})

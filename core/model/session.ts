import '../../config/privacy.ts'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelConfig } from './architecture.ts'
import type { StoredWeights } from './weights.ts'

/**
 * Opens a graph over stored weights. The graph lies beside the weights because the runtime resolves external data
 * relative to it. `run` blocks the calling thread, so a session lives in a worker thread or a process of its own.
 */
export async function openSession(
  name: string,
  graph: Uint8Array,
  weights: StoredWeights,
  threads: number,
): Promise<InferenceSession> {
  const path = join(weights.directory, `${name}.onnx`)
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`
  await writeFile(aside, graph)
  await rename(aside, path)
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
    // A plan for each length of input keeps a block as large as that whole run: a sixth more memory, and no faster.
    enableMemPattern: false,
  })
}

export function floats(values: Float32Array, shape: readonly number[]): Tensor {
  return new Tensor('float32', values, shape)
}

export function integers(values: readonly number[] | Int32Array, shape: readonly number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), shape)
}

/** Very negative instead of infinite: a row that sees nothing must not become NaN. */
export const HIDDEN = -1e9

/**
 * Additive mask [1, N · group, N], `group` rows a token: token i of a segment sees the tokens of the same segment up to itself.
 * `segments` [N] names each token's sequence; one sequence is all zeros. The first `shared` tokens begin all of them.
 */
export function causalMask(config: ModelConfig, segments: ArrayLike<number>, shared = 0): Tensor {
  const n = segments.length
  const group = config.heads / config.kvHeads
  const mask = new Float32Array(n * group * n).fill(HIDDEN)
  for (let i = 0; i < n; i++) {
    const row = i * group * n
    mask.fill(0, row, row + Math.min(shared, i + 1))
    for (let j = i; j >= 0 && segments[j] === segments[i]; j--) mask[row + j] = 0
    for (let g = 1; g < group; g++) mask.copyWithin(row + g * n, row, row + n)
  }
  return floats(mask, [1, n * group, n])
}

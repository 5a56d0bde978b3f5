import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../../core/model/architecture.ts'
import type { Ops } from '../../core/model/ops.ts'
import { EMBEDDING, fullAttention, projections, transformer } from '../../core/model/transformer.ts'
import { random } from '../../core/policy/sampling.ts'
import { differentiable } from '../../trainer/differentiate.ts'
import { objective } from '../../trainer/objective.ts'
import { type Dense, dense, type ReferenceSettings, referenceOps } from '../reference-ops.ts'

type Build = (ops: Ops<Dense>, variables: readonly Dense[]) => Dense

const uniform = random(11)
const noise = (...shape: number[]) =>
  dense(
    shape,
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => uniform() * 2 - 1),
  )

/** Largest relative difference between the adjoints and central differences, over every element of every variable. */
function gap(build: Build, variables: readonly Dense[], settings: ReferenceSettings = {}): number {
  const plain = referenceOps(settings)
  // A fixed random weighting of the outputs, so that no gradient cancels by symmetry.
  const weigh = (ops: Ops<Dense>, y: Dense) => {
    const draw = random(3)
    return ops.total(
      ops.mul(
        y,
        dense(
          y.shape,
          Array.from(y.data, () => draw() + 0.5),
        ),
      ),
    )
  }
  const { ops, variable, gradients } = differentiable(plain)
  for (const x of variables) variable(x)
  const found = gradients(weigh(ops, build(ops, variables)), variables)
  const loss = () => weigh(plain, build(plain, variables)).data[0]!
  let worst = 0
  variables.forEach((x, v) => {
    expect(found[v]!.shape).toEqual(x.shape)
    const largest = Math.max(...found[v]!.data.map(Math.abs), 1e-3)
    x.data.forEach((value, i) => {
      const step = 1e-5
      x.data[i] = value + step
      const above = loss()
      x.data[i] = value - step
      const below = loss()
      x.data[i] = value
      worst = Math.max(worst, Math.abs((above - below) / (2 * step) - found[v]!.data[i]!) / largest)
    })
  })
  return worst
}

const positions = dense([3], [0, 1, 5])
const operations: Record<string, readonly [Build, readonly Dense[], ReferenceSettings?]> = {
  linear: [(ops, [x]) => ops.linear(x!, 'w'), [noise(3, 4)], { weights: new Map([['w', noise(5, 4)]]) }],
  linearAdjoint: [(ops, [x]) => ops.linearAdjoint(x!, 'w'), [noise(3, 5)], { weights: new Map([['w', noise(5, 4)]]) }],
  matmul: [(ops, [a, b]) => ops.matmul(a!, b!, { scale: 0.7 }), [noise(2, 3, 4), noise(2, 4, 5)]],
  'matmul, second transposed': [(ops, [a, b]) => ops.matmul(a!, b!, { transposeB: true }), [noise(3, 4), noise(5, 4)]],
  'matmul, first transposed': [(ops, [a, b]) => ops.matmul(a!, b!, { transposeA: true }), [noise(4, 3), noise(4, 5)]],
  'matmul, both transposed': [
    (ops, [a, b]) => ops.matmul(a!, b!, { transposeA: true, transposeB: true, scale: 2 }),
    [noise(2, 4, 3), noise(2, 5, 4)],
  ],
  'matmul plus': [
    (ops, [a, b, c]) => ops.matmul(a!, b!, { scale: 3, plus: c! }),
    [noise(3, 4), noise(4, 5), noise(3, 5)],
  ],
  'a value used twice': [(ops, [x]) => ops.mul(ops.add(x!, x!), x!), [noise(3, 4)]],
  add: [(ops, [a, b]) => ops.add(a!, b!), [noise(3, 4), noise(3, 4)]],
  sub: [(ops, [a, b]) => ops.sub(a!, b!), [noise(3, 4), noise(3, 4)]],
  mul: [(ops, [a, b]) => ops.mul(a!, b!), [noise(3, 4), noise(3, 4)]],
  min: [(ops, [a, b]) => ops.min(a!, b!), [noise(3, 4), noise(3, 4)]],
  exp: [(ops, [x]) => ops.exp(x!), [noise(3, 4)]],
  silu: [(ops, [x]) => ops.silu(x!), [noise(3, 4)]],
  clip: [(ops, [x]) => ops.clip(x!, -0.5, 0.4), [noise(3, 4)]],
  rmsNorm: [(ops, [x]) => ops.rmsNorm(x!, dense([4], [1, 2, 0.5, -1]), 1e-5).y, [noise(3, 4)]],
  rotate: [(ops, [x]) => ops.rotate(x!, positions, 8, false), [noise(3, 8)]],
  'rotate back': [(ops, [x]) => ops.rotate(x!, positions, 8, true), [noise(3, 8)]],
  softmax: [(ops, [x]) => ops.softmax(x!), [noise(2, 3, 5)]],
  attend: [
    (ops, [q, k, v]) => {
      const mask = dense(
        [1, 2, 3, 4],
        [0, -9, -9, -9, 0, 0, -9, -9, 0, 0, 0, -9, 0, -9, 0, -9, 0, 0, 0, 0, -9, -9, 0, 0],
      )
      return ops.attend(q!, k!, v!, mask, 0.7).y
    },
    [noise(2, 2, 3, 5), noise(2, 1, 4, 5), noise(2, 1, 4, 5)],
  ],
  concat: [(ops, [a, b]) => ops.exp(ops.concat([a!, b!], 1)), [noise(2, 3, 2), noise(2, 3, 2)]],
  split: [(ops, [x]) => ops.split(x!, 1, 2).reduce((a, b) => ops.mul(a, ops.exp(b))), [noise(2, 4, 3)]],
  'split by lengths': [
    (ops, [x]) => ops.matmul(...(ops.split(x!, 1, 2, dense([2], [2, 3])) as [Dense, Dense])),
    [noise(2, 5)],
  ],
  'concat and split of one piece': [(ops, [x]) => ops.exp(ops.split(ops.concat([x!], 0), 1, 1)[0]!), [noise(3, 2)]],
  'split, one piece unused': [(ops, [x]) => ops.exp(ops.split(x!, 0, 3)[1]!), [noise(6, 2)]],
  'logProbs, a candidate twice': [
    (ops, [x]) => ops.logProbs(x!, dense([2, 3], [0, 4, 4, 2, 1, 3])).picked,
    [noise(2, 5)],
  ],
  total: [(ops, [x]) => ops.total(x!), [noise(3, 4)]],
  reshape: [(ops, [x]) => ops.exp(ops.reshape(x!, [-1, 2, 2], [-1, 4])), [noise(3, 4)]],
  transpose: [(ops, [x]) => ops.exp(ops.transpose(x!, [2, 0, 1])), [noise(2, 3, 4)]],
  'rows, one twice': [(ops, [x]) => ops.exp(ops.rows(x!, dense([3], [2, 0, 2]))), [noise(4, 3)]],
}

describe('the adjoint of every operation agrees with central differences in float64', () => {
  for (const [name, [build, variables, settings]] of Object.entries(operations)) {
    it(name, () => expect(gap(build, variables, settings)).toBeLessThan(1e-5))
  }
})

describe('rotation', () => {
  it('back is the inverse', () => {
    const ops = referenceOps({})
    const x = noise(3, 8)
    const back = ops.rotate(ops.rotate(x, positions, 8, false), positions, 8, true)
    for (const [i, value] of back.data.entries()) expect(value).toBeCloseTo(x.data[i]!, 12)
  })
})

describe('the whole network under the whole objective', () => {
  const config: ModelConfig = {
    architecture: 'llama',
    vocabSize: 7,
    hiddenSize: 8,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 4,
    intermediateSize: 6,
    ropeTheta: 100,
    normEps: 1e-5,
    tiedEmbeddings: true,
    contextLength: 16,
  }
  const modules = projections(config)
  const norms = [0, 1].flatMap((layer) =>
    ['input_layernorm', 'post_attention_layernorm'].map((name) => `model.layers.${layer}.${name}.weight`),
  )
  const weights = new Map<string, Dense>([
    [EMBEDDING, noise(7, 8)],
    ...[...norms, 'model.norm.weight'].map((name) => [name, noise(8)] as const),
    ...modules.map(({ module, inputs, outputs }) => [`${module}.weight`, noise(outputs, inputs)] as const),
  ])
  const pairs = modules.map(({ inputs, outputs }) => ({ a: noise(2, inputs), b: noise(2, outputs) }))
  const n = 8
  const hidden = (i: number, j: number) => (j <= i && !(i >= 3 && j < 3) ? 0 : -1e9)
  const mask = dense(
    [1, 4, n / 2, n],
    Array.from({ length: 2 * n * n }, (_, at) => hidden(Math.floor(at / n / 2), at % n)),
  )
  const shape = [3, 2]
  const streams = {
    candidates: dense(shape, [1, 2, 6, 0, 3, 3]),
    old: dense(shape, [-1, -3, -2, -1.5, -0.2, -2.2]),
    advantages: dense(shape, [1, -1, 0.5, 2, -0.5, 0]),
    reference: dense(shape, [-1.2, -2, -2, -1, -1, -2]),
    klWeights: dense(shape, [0.1, 0.2, 0, 0.1, 0.3, 0]),
    targets: dense(shape, [0, 0.4, 0.1, 0, 0, 0.7]),
  }

  it('agrees with central differences', () => {
    const build: Build = (ops, variables) => {
      const lora = new Map(modules.map(({ module }, i) => [module, { a: variables[2 * i]!, b: variables[2 * i + 1]! }]))
      const stacked = (names: readonly string[]) => {
        const stage = names.map((name) => lora.get(name)!)
        const a = ops.concat(
          stage.map((pair) => pair.a),
          0,
        )
        return { a, b: stage.map((pair) => pair.b), scale: 2 }
      }
      const logits = transformer(ops, config, {
        ids: dense([n], [1, 5, 2, 4, 0, 3, 6, 6]),
        positions: dense([n], [0, 1, 2, 0, 1, 2, 3, 4]),
        rows: dense([3], [1, 2, 4]),
        lora: stacked,
        attention: fullAttention(ops, config, mask),
      })
      return objective(ops, logits, streams).loss
    }
    const variables = pairs.flatMap(({ a, b }) => [a, b])
    expect(gap(build, variables, { weights, headDim: 4, ropeTheta: 100 })).toBeLessThan(1e-5)
  })
})

import type { ModelConfig } from '../core/model/architecture.ts'
import { OnnxGraph } from '../core/model/onnx.ts'
import type { Ops } from '../core/model/ops.ts'
import { loraA, loraB } from '../core/model/serving-graph.ts'
import { ATTENTION_GRAIN, fullAttention, projections, transformer } from '../core/model/transformer.ts'
import type { StoredWeights } from '../core/model/weights.ts'
import { differentiable } from './differentiate.ts'
import { TOP } from './engines/engine.ts'
import { objective } from './objective.ts'

interface GraphSettings {
  readonly config: ModelConfig
  readonly weights: StoredWeights
  /** Bounds the positions of a sequence. */
  readonly context: number
  /** alpha / rank */
  readonly scale: number
}

export const gradientOf = (input: string) => `gradient.${input}`

/** Inputs that both graphs have: N packed tokens, R scored rows, K candidates a row. */
function declareInputs(graph: OnnxGraph, { config, scale }: GraphSettings) {
  const variables = new Map<string, { readonly a: string; readonly b: string }>()
  for (const { module, inputs, outputs } of projections(config)) {
    const a = graph.input(loraA(module), 'float32', ['rank', inputs])
    const b = graph.input(loraB(module), 'float32', ['rank', outputs])
    variables.set(module, { a, b })
  }
  return {
    ids: graph.input('ids', 'int64', ['N']),
    positions: graph.input('positions', 'int64', ['N']),
    mask: graph.input('mask', 'float32', [1, ATTENTION_GRAIN, 'queries', 'N']),
    rows: graph.input('rows', 'int64', ['R']),
    candidates: graph.input('candidates', 'int64', ['R', 'K']),
    variables: [...variables.values()].flatMap(({ a, b }) => [a, b]),
    lora: (ops: Ops<string>) => (modules: readonly string[]) => {
      const pairs = modules.map((module) => variables.get(module)!)
      const stacked = ops.concat(
        pairs.map(({ a }) => a),
        0,
      )
      return { a: stacked, b: pairs.map(({ b }) => b), scale }
    },
  }
}

/** Log-probabilities of given candidates, and the most probable tokens of every row. */
export function scoringGraph(settings: GraphSettings): Buffer {
  const { config, weights, context } = settings
  const graph = new OnnxGraph(config, weights, context)
  const { ids, positions, rows, lora, mask, candidates } = declareInputs(graph, settings)
  const attention = fullAttention(graph, config, mask)
  const logits = transformer(graph, config, { ids, positions, rows, attention, lora: lora(graph) })
  const { picked, all } = graph.logProbs(logits, candidates)
  const top = graph.topK(all, TOP)
  graph.output('logprobs', picked, 'float32', ['R', 'K'])
  graph.output('top.ids', top.ids, 'int64', ['R', TOP])
  graph.output('top.logprobs', top.values, 'float32', ['R', TOP])
  return graph.encode()
}

/** The objective and its gradients with respect to all LoRA weights, as a plain inference graph. */
export function trainingGraph(settings: GraphSettings): Buffer {
  const { config, weights, context } = settings
  const graph = new OnnxGraph(config, weights, context)
  const { lora, mask, candidates, variables, ...inputs } = declareInputs(graph, settings)
  const stream = (name: string) => graph.input(name, 'float32', ['R', 'K'])
  const streams = {
    candidates,
    old: stream('old'),
    advantages: stream('advantages'),
    reference: stream('reference'),
    klWeights: stream('klWeights'),
    targets: stream('targets'),
  }
  const { ops, variable, gradients } = differentiable(graph)
  for (const x of variables) variable(x)
  const attention = fullAttention(ops, config, mask)
  const logits = transformer(ops, config, { ...inputs, attention, lora: lora(ops) })
  const { loss, logprobs } = objective(ops, logits, streams)
  graph.output('loss', loss, 'float32', [1])
  graph.output('logprobs', logprobs, 'float32', ['R', 'K'])
  gradients(loss, variables).forEach((gradient, i) => {
    graph.output(gradientOf(variables[i]!), gradient, 'float32', ['outer', 'inner'])
  })
  return graph.encode()
}

import type { ModelConfig } from './architecture.ts'
import { OnnxGraph } from './onnx.ts'
import { cachedAttention, stages, transformer } from './transformer.ts'
import type { StoredWeights } from './weights.ts'

export const cacheKeys = (layer: number) => `past.${layer}.keys`
export const cacheValues = (layer: number) => `past.${layer}.values`
export const newKeys = (layer: number) => `new.${layer}.keys`
export const newValues = (layer: number) => `new.${layer}.values`
export const loraA = (module: string) => `${module}.lora_A`
/** The A of modules that read the same input, one below the other. */
export const stackedLoraA = (modules: readonly string[]) => loraA(modules.join('+'))
/** Transposed, and already multiplied by alpha / rank in the serving graph. */
export const loraB = (module: string) => `${module}.lora_B`

/**
 * The graph that generates: `ids`, `positions` [N], `rows` [R], `past.mask` [1, 1 or N · group, capacity], `mask` [1, N · group, N],
 * `lengths` [2], the cache and the LoRA weights in; `logits` [R, vocabulary] and the new keys and values out. The
 * LoRA rank is whatever the tensors have, so that versions of different ranks and the base share one session.
 */
export function servingGraph(config: ModelConfig, weights: StoredWeights, context: number): Buffer {
  const graph = new OnnxGraph(config, weights, context)
  const { layers, kvHeads, headDim } = config
  const ids = graph.input('ids', 'int64', ['N'])
  const positions = graph.input('positions', 'int64', ['N'])
  const rows = graph.input('rows', 'int64', ['R'])
  const pastMask = graph.input('past.mask', 'float32', [1, 'pastQueries', 'capacity'])
  const mask = graph.input('mask', 'float32', [1, 'queries', 'N'])
  const lengths = graph.input('lengths', 'int64', [2])
  const past = (name: (layer: number) => string) =>
    Array.from({ length: layers }, (_, layer) => graph.input(name(layer), 'float32', [kvHeads, 'capacity', headDim]))
  const cache = { keys: past(cacheKeys), values: past(cacheValues), pastMask, mask, lengths }
  const lora = new Map(
    stages(config).map((stage) => {
      const a = stackedLoraA(stage.map(({ module }) => module))
      const adapter = {
        a: graph.input(a, 'float32', [stage.length === 1 ? 'rank' : `${stage.length} · rank`, stage[0]!.inputs]),
        b: stage.map(({ module, outputs }) => graph.input(loraB(module), 'float32', ['rank', outputs])),
        scale: 1,
      }
      return [a, adapter] as const
    }),
  )
  const attention = cachedAttention(graph, config, {
    ...cache,
    emit(layer, keys, values) {
      graph.output(newKeys(layer), keys, 'float32', [kvHeads, 'N', headDim])
      graph.output(newValues(layer), values, 'float32', [kvHeads, 'N', headDim])
    },
  })
  const adapter = (modules: readonly string[]) => lora.get(stackedLoraA(modules))!
  const logits = transformer(graph, config, { ids, positions, rows, lora: adapter, attention })
  graph.output('logits', logits, 'float32', ['R', config.vocabSize])
  return graph.encode()
}

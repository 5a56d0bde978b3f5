import { type ModelConfig, rotaryAngles } from './architecture.ts'
import type { MatmulOptions, Ops } from './ops.ts'
import {
  type Attribute,
  type DataType,
  type Dimension,
  encodeExternalTensor,
  encodeModel,
  encodeNode,
  encodeTensor,
  encodeValue,
  type NodeMessage,
} from './protobuf.ts'
import { BLOCK } from './quantised.ts'
import type { StoredWeights } from './weights.ts'

const OPSET = 21
const MICROSOFT = 'com.microsoft'

interface NodeOptions {
  readonly attributes?: Readonly<Record<string, Attribute>>
  readonly domain?: string
}

/** Writes operations down as an ONNX graph, to be run by ONNX Runtime. A handle is the name of a value. */
export class OnnxGraph implements Ops<string> {
  readonly #config: ModelConfig
  readonly #weights: StoredWeights
  readonly #context: number
  readonly #nodes: NodeMessage[] = []
  readonly #tensors: Buffer[] = []
  readonly #inputs: Buffer[] = []
  readonly #outputs: Buffer[] = []
  /** Values that left the graph under another name. */
  readonly #renamed = new Map<string, string>()
  /** What a reshaped value was reshaped from, so that of several reshapes in a row only the last is computed. */
  readonly #shapeless = new Map<string, string>()
  /** Values that are the same wherever they are asked for, by a key that names them. */
  readonly #shared = new Map<string, string>()
  #count = 0

  /** `context` bounds the positions that `rotate` may meet. */
  constructor(config: ModelConfig, weights: StoredWeights, context: number) {
    this.#config = config
    this.#weights = weights
    this.#context = context
  }

  input(name: string, type: DataType, shape: readonly Dimension[]): string {
    this.#inputs.push(encodeValue(name, type, shape))
    return name
  }

  output(name: string, value: string, type: DataType, shape: readonly Dimension[]): void {
    this.#renamed.set(value, name)
    this.#outputs.push(encodeValue(name, type, shape))
  }

  encode(): Buffer {
    const rename = (names: readonly string[]) => names.map((name) => this.#renamed.get(name) ?? name)
    const nodes = this.#nodes.map((node) =>
      encodeNode({ ...node, inputs: rename(node.inputs), outputs: rename(node.outputs) }),
    )
    const graph = { nodes, tensors: this.#tensors, inputs: this.#inputs, outputs: this.#outputs }
    return encodeModel(graph, OPSET)
  }

  weight(name: string): string {
    return this.#once(`weight:${name}`, () => this.#external(name, this.#weights.tensor(name)))
  }

  constant(values: readonly number[], shape: readonly number[]): string {
    return this.#once(`float:${shape}:${values}`, () => this.#floats(Float32Array.from(values), shape))
  }

  embed(table: string, ids: string): string {
    return this.#node('Gather', [this.weight(table), ids], { attributes: { axis: 0 } })
  }

  linear(x: string, weight: string): string {
    const matrix = this.#weights.matrix(weight)
    if (matrix.kind === 'float32') {
      return this.#node('Gemm', [x, this.weight(weight)], { attributes: { transB: 1 } })
    }
    const [rows, columns] = matrix.shape
    const packed = this.#once(`packed:${weight}`, () => this.#external(`${weight}.packed`, matrix.weights))
    const scales = this.#once(`scales:${weight}`, () => this.#external(`${weight}.scales`, matrix.scales))
    // Level 4 rounds activations to 8 bits: a third faster a token, but the log-probability of a sampled token would
    // then depend on how many rows were computed with it (0.03 on average instead of 3e-5).
    const attributes = {
      K: columns,
      N: rows,
      bits: matrix.bits,
      block_size: BLOCK,
      accuracy_level: matrix.bits === 4 ? 0 : 4,
    }
    const product = this.#node('MatMulNBits', [x, packed, scales], { attributes, domain: MICROSOFT })
    if (matrix.offsets === null) return product
    // A block's offset meets the sum of x over the block; the runtime's own zero points in float are 38 times slower.
    const offsets = this.#once(`offsets:${weight}`, () => this.#external(`${weight}.offsets`, matrix.offsets!))
    const sums = this.#once(`sums:${x}`, () =>
      this.#node('ReduceSum', [this.reshape(x, [-1, columns / BLOCK, BLOCK]), this.#integers([-1])], {
        attributes: { keepdims: 0 },
      }),
    )
    return this.#node('Gemm', [sums, offsets, product], { attributes: { transB: 1 } })
  }

  linearAdjoint(dy: string, weight: string): string {
    return this.#node('Gemm', [dy, this.weight(weight)])
  }

  matmul(a: string, b: string, options: MatmulOptions<string> = {}): string {
    const { transposeA = false, transposeB = false, scale = 1, plus } = options
    const attributes = { transA: Number(transposeA), transB: Number(transposeB), alpha: { float: scale } }
    if (plus !== undefined) return this.#node('Gemm', [a, b, plus], { attributes })
    return this.#node('FusedMatMul', [a, b], { attributes, domain: MICROSOFT })
  }

  add(a: string, b: string): string {
    return this.#node('Add', [a, b])
  }

  sub(a: string, b: string): string {
    return this.#node('Sub', [a, b])
  }

  mul(a: string, b: string): string {
    return this.#node('Mul', [a, b])
  }

  min(a: string, b: string): string {
    return this.#node('Min', [a, b])
  }

  exp(x: string): string {
    return this.#node('Exp', [x])
  }

  sigmoid(x: string): string {
    return this.#node('Sigmoid', [x])
  }

  silu(x: string): string {
    return this.#node('QuickGelu', [x], { attributes: { alpha: { float: 1 } }, domain: MICROSOFT })
  }

  clip(x: string, low: number, high: number): string {
    return this.#node('Clip', [x, this.constant([low], []), this.constant([high], [])])
  }

  inside(x: string, low: number, high: number): string {
    const above = this.#node('Greater', [x, this.constant([low], [])])
    const below = this.#node('Less', [x, this.constant([high], [])])
    return this.#asFloat(this.#node('And', [above, below]))
  }

  lessOrEqual(a: string, b: string): string {
    return this.#asFloat(this.#node('LessOrEqual', [a, b]))
  }

  rmsNorm(x: string, weight: string, epsilon: number): { y: string; inverse: string } {
    const attributes = { axis: -1, epsilon: { float: epsilon }, stash_type: 1 }
    const [y, inverse] = this.#nodeWith('SimplifiedLayerNormalization', [x, weight], 2, { attributes })
    return { y: y!, inverse: inverse! }
  }

  rotate(x: string, positions: string, width: number, inverse: boolean): string {
    const table = (f: (angle: number) => number) => {
      const angles = rotaryAngles(this.#config, this.#context)
      return this.#floats(Float32Array.from(angles, f), [this.#context, this.#config.headDim / 2])
    }
    const cos = this.#once('rotate:cos', () => table(Math.cos))
    const sin = inverse
      ? this.#once('rotate:-sin', () => table((angle) => -Math.sin(angle)))
      : this.#once('rotate:sin', () => table(Math.sin))
    const at = this.#once(`rotate:${positions}`, () => this.reshape(positions, [1, -1]))
    const rotated = this.#node('RotaryEmbedding', [this.reshape(x, [1, -1, width]), at, cos, sin], {
      attributes: { interleaved: 0 },
      domain: MICROSOFT,
    })
    return this.reshape(rotated, [-1, width])
  }

  softmax(x: string): string {
    return this.#node('Softmax', [x], { attributes: { axis: -1 } })
  }

  attend(q: string, k: string, v: string, mask: string, scale: number): { y: string; p: string } {
    const p = this.softmax(this.add(this.matmul(q, k, { transposeB: true, scale }), mask))
    return { y: this.matmul(p, v), p }
  }

  logProbs(logits: string, ids: string): { picked: string; all: string } {
    const all = this.#node('LogSoftmax', [logits], { attributes: { axis: -1 } })
    return { picked: this.#node('GatherElements', [all, ids], { attributes: { axis: 1 } }), all }
  }

  sum(x: string, axis: number): string {
    return this.#node('ReduceSum', [x, this.#integers([axis])], { attributes: { keepdims: 1 } })
  }

  mean(x: string): string {
    return this.#node('ReduceMean', [x, this.#integers([-1])], { attributes: { keepdims: 1 } })
  }

  total(x: string): string {
    return this.reshape(this.#node('ReduceSum', [x], { attributes: { keepdims: 0 } }), [1])
  }

  reshape(x: string, to: readonly number[]): string {
    const from = this.#shapeless.get(x) ?? x
    const reshaped = this.#node('Reshape', [from, this.#integers(to)])
    this.#shapeless.set(reshaped, from)
    return reshaped
  }

  transpose(x: string, permutation: readonly number[]): string {
    return this.#node('Transpose', [x], { attributes: { perm: permutation } })
  }

  concat(pieces: readonly string[], axis: number): string {
    return pieces.length === 1 ? pieces[0]! : this.#node('Concat', pieces, { attributes: { axis } })
  }

  split(x: string, axis: number, count: number, lengths?: string): readonly string[] {
    if (count === 1) return [x]
    if (lengths !== undefined) return this.#nodeWith('Split', [x, lengths], count, { attributes: { axis } })
    return this.#nodeWith('Split', [x], count, { attributes: { axis, num_outputs: count } })
  }

  rows(x: string, index: string): string {
    return this.#node('Gather', [x, index], { attributes: { axis: 0 } })
  }

  spreadRows(values: string, index: string, like: string): string {
    const zeros = this.#node('ConstantOfShape', [this.#node('Shape', [like])])
    const at = this.#node('Unsqueeze', [index, this.#integers([1])])
    return this.#node('ScatterND', [zeros, at, values], { attributes: { reduction: 'add' } })
  }

  addAt(x: string, ids: string, values: string): string {
    return this.#node('ScatterElements', [x, ids, values], { attributes: { axis: 1, reduction: 'add' } })
  }

  /** The k largest of the last axis, largest first. */
  topK(x: string, k: number): { values: string; ids: string } {
    const [values, ids] = this.#nodeWith('TopK', [x, this.#integers([k])], 2, { attributes: { axis: -1 } })
    return { values: values!, ids: ids! }
  }

  #node(type: string, inputs: readonly string[], options: NodeOptions = {}): string {
    return this.#nodeWith(type, inputs, 1, options)[0]!
  }

  #nodeWith(type: string, inputs: readonly string[], count: number, options: NodeOptions): string[] {
    const outputs = Array.from({ length: count }, () => this.#name())
    const { attributes = {}, domain = '' } = options
    this.#nodes.push({ type, domain, inputs, outputs, attributes })
    return outputs
  }

  #once(key: string, make: () => string): string {
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#shared.set(key, made)
    return made
  }

  #asFloat(x: string): string {
    return this.#node('Cast', [x], { attributes: { to: 1 } })
  }

  #floats(values: Float32Array, shape: readonly number[]): string {
    const name = this.#name()
    this.#tensors.push(encodeTensor(name, 'float32', shape, new Uint8Array(values.buffer)))
    return name
  }

  #integers(values: readonly number[]): string {
    return this.#once(`int:${values}`, () => {
      const name = this.#name()
      const data = BigInt64Array.from(values, BigInt)
      this.#tensors.push(encodeTensor(name, 'int64', [values.length], new Uint8Array(data.buffer)))
      return name
    })
  }

  #external(name: string, tensor: Parameters<typeof encodeExternalTensor>[1]): string {
    this.#tensors.push(encodeExternalTensor(name, tensor))
    return name
  }

  #name(): string {
    return `v${this.#count++}`
  }
}

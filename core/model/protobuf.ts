/** The few ONNX messages a graph needs, encoded by hand. Field numbers: onnx.proto3 of ONNX 1.16 (IR version 10). */

export type DataType = 'float32' | 'uint8' | 'int64'
export type Dimension = number | string
export type Attribute = number | string | readonly number[] | { readonly float: number }

const DATA_TYPES: Record<DataType, number> = { float32: 1, uint8: 2, int64: 7 }
const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, ints: 7 } as const

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

const tag = (field: number, wire: number) => varint((field << 3) | wire)
const integer = (field: number, value: number) => Buffer.concat([tag(field, 0), varint(value)])
const bytes = (field: number, value: Uint8Array | string) => {
  const data = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([tag(field, 2), varint(data.length), data])
}

function float(field: number, value: number): Buffer {
  const data = Buffer.alloc(4)
  data.writeFloatLE(value)
  return Buffer.concat([tag(field, 5), data])
}

function attribute(name: string, value: Attribute): Buffer {
  const parts: Buffer[] = [bytes(1, name)]
  if (typeof value === 'number') parts.push(integer(3, value), integer(20, ATTRIBUTE_TYPES.int))
  else if (typeof value === 'string') parts.push(bytes(4, value), integer(20, ATTRIBUTE_TYPES.string))
  else if ('float' in value) parts.push(float(2, value.float), integer(20, ATTRIBUTE_TYPES.float))
  else parts.push(...value.map((item) => integer(8, item)), integer(20, ATTRIBUTE_TYPES.ints))
  return Buffer.concat(parts)
}

export interface NodeMessage {
  readonly type: string
  readonly domain: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: Readonly<Record<string, Attribute>>
}

export function encodeNode(node: NodeMessage): Buffer {
  return Buffer.concat([
    ...node.inputs.map((name) => bytes(1, name)),
    ...node.outputs.map((name) => bytes(2, name)),
    bytes(4, node.type),
    ...Object.entries(node.attributes).map(([name, value]) => bytes(5, attribute(name, value))),
    ...(node.domain === '' ? [] : [bytes(7, node.domain)]),
  ])
}

/** A tensor inside the graph. */
export function encodeTensor(name: string, type: DataType, shape: readonly number[], data: Uint8Array): Buffer {
  return Buffer.concat([
    ...shape.map((size) => integer(1, size)),
    integer(2, DATA_TYPES[type]),
    bytes(8, name),
    bytes(9, data),
  ])
}

export interface ExternalTensor {
  readonly type: DataType
  readonly shape: readonly number[]
  /** File name beside the graph. */
  readonly file: string
  readonly offset: number
  readonly bytes: number
}

/** A tensor in a file beside the graph. */
export function encodeExternalTensor(name: string, tensor: ExternalTensor): Buffer {
  const entry = (key: string, value: string) => bytes(13, Buffer.concat([bytes(1, key), bytes(2, value)]))
  return Buffer.concat([
    ...tensor.shape.map((size) => integer(1, size)),
    integer(2, DATA_TYPES[tensor.type]),
    bytes(8, name),
    entry('location', tensor.file),
    entry('offset', String(tensor.offset)),
    entry('length', String(tensor.bytes)),
    integer(14, 1),
  ])
}

/** Name, element type and shape of a graph input or output. */
export function encodeValue(name: string, type: DataType, shape: readonly Dimension[]): Buffer {
  const dims = shape.map((size) => bytes(1, typeof size === 'number' ? integer(1, size) : bytes(2, size)))
  const tensorType = Buffer.concat([integer(1, DATA_TYPES[type]), bytes(2, Buffer.concat(dims))])
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensorType))])
}

export interface GraphMessage {
  readonly nodes: readonly Buffer[]
  readonly tensors: readonly Buffer[]
  readonly inputs: readonly Buffer[]
  readonly outputs: readonly Buffer[]
}

export function encodeModel(graph: GraphMessage, opset: number): Buffer {
  const body = Buffer.concat([
    ...graph.nodes.map((node) => bytes(1, node)),
    bytes(2, 'network'),
    ...graph.tensors.map((tensor) => bytes(5, tensor)),
    ...graph.inputs.map((input) => bytes(11, input)),
    ...graph.outputs.map((output) => bytes(12, output)),
  ])
  const operators = (domain: string, version: number) =>
    bytes(8, Buffer.concat([bytes(1, domain), integer(2, version)]))
  return Buffer.concat([
    integer(1, 10),
    bytes(2, 'claw'),
    bytes(7, body),
    operators('', opset),
    operators('com.microsoft', 1),
  ])
}

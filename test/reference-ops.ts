import type { MatmulOptions, Ops } from '../core/model/ops.ts'

/** A float64 array of any rank, row-major. */
export interface Dense {
  readonly shape: readonly number[]
  readonly data: Float64Array
}

export function dense(shape: readonly number[], data: ArrayLike<number>): Dense {
  return { shape, data: Float64Array.from(data) }
}

const size = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1)

export interface ReferenceSettings {
  readonly weights?: ReadonlyMap<string, Dense>
  readonly headDim?: number
  readonly ropeTheta?: number
}

/** The vocabulary in plain float64 loops: slow, obvious, and the judge of the other interpreters. */
export function referenceOps({ weights = new Map(), headDim = 4, ropeTheta = 10_000 }: ReferenceSettings): Ops<Dense> {
  const map = (x: Dense, f: (value: number) => number): Dense => ({ shape: x.shape, data: x.data.map(f) })

  /** Elementwise with broadcasting of trailing axes, as NumPy does it. */
  const zip = (a: Dense, b: Dense, f: (x: number, y: number) => number): Dense => {
    const rank = Math.max(a.shape.length, b.shape.length)
    const pad = ({ shape }: Dense) => [...new Array<number>(rank - shape.length).fill(1), ...shape]
    const [sa, sb] = [pad(a), pad(b)]
    const shape = sa.map((n, axis) => Math.max(n, sb[axis]!))
    const data = new Float64Array(size(shape))
    for (let i = 0; i < data.length; i++) {
      let rest = i
      let [ia, ib, strideA, strideB] = [0, 0, 1, 1]
      for (let axis = rank - 1; axis >= 0; axis--) {
        const at = rest % shape[axis]!
        rest = Math.floor(rest / shape[axis]!)
        if (sa[axis] !== 1) ia += at * strideA
        if (sb[axis] !== 1) ib += at * strideB
        strideA *= sa[axis]!
        strideB *= sb[axis]!
      }
      data[i] = f(a.data[ia]!, b.data[ib]!)
    }
    return { shape, data }
  }

  const rowsOf = (x: Dense, f: (row: Float64Array) => ArrayLike<number>): Dense => {
    const width = x.shape.at(-1)!
    const out: number[] = []
    for (let at = 0; at < x.data.length; at += width) out.push(...Array.from(f(x.data.subarray(at, at + width))))
    return dense([...x.shape.slice(0, -1), out.length / (x.data.length / width)], out)
  }

  const transposeLast = (x: Dense): Dense => {
    const axes = x.shape.map((_, axis) => axis)
    return ops.transpose(x, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!])
  }

  const weight = (name: string) => weights.get(name)!

  const ops: Ops<Dense> = {
    weight,
    constant: (values, shape) => dense(shape, values),
    embed: (table, ids) => ops.rows(weight(table), ids),
    linear: (x, name) => ops.matmul(x, weight(name), { transposeB: true }),
    linearAdjoint: (dy, name) => ops.matmul(dy, weight(name)),
    matmul(a, b, { transposeA = false, transposeB = false, scale = 1, plus }: MatmulOptions<Dense> = {}) {
      const [x, y] = [transposeA ? transposeLast(a) : a, transposeB ? transposeLast(b) : b]
      const [n, inner] = x.shape.slice(-2) as [number, number]
      const m = y.shape.at(-1)!
      const batch = size(x.shape.slice(0, -2))
      // Leading axes of b may be 1: its matrices are then repeated.
      const whole = ops.add(dense(x.shape.slice(0, -2), new Float64Array(batch)), {
        shape: y.shape.slice(0, -2),
        data: Float64Array.from({ length: size(y.shape.slice(0, -2)) }, (_, matrix) => matrix),
      })
      const data = new Float64Array(batch * n * m)
      for (let g = 0; g < batch; g++) {
        for (let i = 0; i < n; i++) {
          for (let j = 0; j < m; j++) {
            let sum = 0
            for (let k = 0; k < inner; k++)
              sum += x.data[(g * n + i) * inner + k]! * y.data[(whole.data[g]! * inner + k) * m + j]!
            data[(g * n + i) * m + j] = sum * scale
          }
        }
      }
      const product = { shape: [...x.shape.slice(0, -1), m], data }
      return plus === undefined ? product : ops.add(product, plus)
    },
    add: (a, b) => zip(a, b, (x, y) => x + y),
    sub: (a, b) => zip(a, b, (x, y) => x - y),
    mul: (a, b) => zip(a, b, (x, y) => x * y),
    min: (a, b) => zip(a, b, Math.min),
    exp: (x) => map(x, Math.exp),
    sigmoid: (x) => map(x, (v) => 1 / (1 + Math.exp(-v))),
    silu: (x) => map(x, (v) => v / (1 + Math.exp(-v))),
    clip: (x, low, high) => map(x, (v) => Math.min(high, Math.max(low, v))),
    inside: (x, low, high) => map(x, (v) => Number(v > low && v < high)),
    lessOrEqual: (a, b) => zip(a, b, (x, y) => Number(x <= y)),
    rmsNorm(x, scale, epsilon) {
      const inverse = rowsOf(x, (row) => [1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) / row.length + epsilon)])
      return { y: ops.mul(ops.mul(x, inverse), scale), inverse }
    },
    rotate(x, positions, width, inverse) {
      const half = headDim / 2
      const data = new Float64Array(x.data.length)
      for (let i = 0; i < data.length; i++) {
        const at = i % headDim
        const angle = positions.data[Math.floor(i / width)]! * ropeTheta ** (-(at % half) / half)
        const sin = (inverse ? -1 : 1) * Math.sin(angle)
        const [other, sign] = at < half ? [i + half, -1] : [i - half, 1]
        data[i] = x.data[i]! * Math.cos(angle) + sign * x.data[other]! * sin
      }
      return { shape: x.shape, data }
    },
    softmax: (x) =>
      rowsOf(x, (row) => {
        const max = Math.max(...row)
        const sum = row.reduce((total, v) => total + Math.exp(v - max), 0)
        return row.map((v) => Math.exp(v - max) / sum)
      }),
    logProbs(logits, ids) {
      const all = rowsOf(logits, (row) => {
        const max = Math.max(...row)
        const norm = max + Math.log(row.reduce((total, v) => total + Math.exp(v - max), 0))
        return row.map((v) => v - norm)
      })
      const width = all.shape[1]!
      const k = ids.shape[1]!
      const picked = Array.from(ids.data, (id, i) => all.data[Math.floor(i / k) * width + id]!)
      return { picked: dense(ids.shape, picked), all }
    },
    sum: (x, axis) => ops.split(x, axis, x.shape.at(axis)!).reduce(ops.add),
    mean: (x) => rowsOf(x, (row) => [row.reduce((total, v) => total + v, 0) / row.length]),
    total: (x) => dense([1], [x.data.reduce((total, v) => total + v, 0)]),
    reshape(x, to) {
      const known = to.reduce((product, n) => (n === -1 ? product : product * n), 1)
      return { shape: to.map((n) => (n === -1 ? x.data.length / known : n)), data: x.data }
    },
    transpose(x, permutation) {
      const strides = x.shape.map((_, axis) => size(x.shape.slice(axis + 1)))
      const shape = permutation.map((axis) => x.shape[axis]!)
      const data = new Float64Array(x.data.length)
      for (let i = 0; i < data.length; i++) {
        let rest = i
        let from = 0
        for (let axis = shape.length - 1; axis >= 0; axis--) {
          from += (rest % shape[axis]!) * strides[permutation[axis]!]!
          rest = Math.floor(rest / shape[axis]!)
        }
        data[i] = x.data[from]!
      }
      return { shape, data }
    },
    attend(q, k, v, mask, scale) {
      const p = ops.softmax(ops.add(ops.matmul(q, k, { transposeB: true, scale }), mask))
      return { y: ops.matmul(p, v), p }
    },
    concat(pieces, axis) {
      if (pieces.length === 1) return pieces[0]!
      const sizes = pieces.map(({ shape }) => size(shape.slice(axis)))
      const out: number[] = []
      for (let at = 0; at < size(pieces[0]!.shape.slice(0, axis)); at++) {
        pieces.forEach(({ data }, i) => {
          out.push(...data.subarray(at * sizes[i]!, (at + 1) * sizes[i]!))
        })
      }
      const length = pieces.reduce((sum, { shape }) => sum + shape[axis]!, 0)
      return dense(pieces[0]!.shape.with(axis, length), out)
    },
    split(x, at, count, lengths) {
      if (count === 1) return [x]
      const axis = at < 0 ? at + x.shape.length : at
      const whole = x.shape[axis]!
      const inner = size(x.shape.slice(axis + 1))
      let end = 0
      return Array.from({ length: count }, (_, piece) => {
        const length = lengths?.data[piece] ?? whole / count
        const start = end
        end += length
        const inside = (i: number) => i >= start && i < end
        return {
          shape: x.shape.with(axis, length),
          data: x.data.filter((_, i) => inside(Math.floor(i / inner) % whole)),
        }
      })
    },
    rows(x, index) {
      const width = x.shape[1]!
      const out = Array.from(index.data).flatMap((row) => [...x.data.subarray(row * width, (row + 1) * width)])
      return dense([index.data.length, width], out)
    },
    spreadRows(values, index, like) {
      const width = like.shape[1]!
      const data = new Float64Array(like.data.length)
      index.data.forEach((row, i) => {
        for (let j = 0; j < width; j++) data[row * width + j]! += values.data[i * width + j]!
      })
      return { shape: like.shape, data }
    },
    addAt(x, ids, values) {
      const data = x.data.slice()
      const k = ids.shape[1]!
      const width = x.shape[1]!
      ids.data.forEach((id, i) => {
        data[Math.floor(i / k) * width + id]! += values.data[i]!
      })
      return { shape: x.shape, data }
    },
  }
  return ops
}

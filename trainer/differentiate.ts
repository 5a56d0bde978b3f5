import type { Ops } from '../core/model/ops.ts'

export interface Differentiable<T> {
  /** The same operations, recorded. */
  readonly ops: Ops<T>
  /** Declares a value that gradients are wanted for; only what depends on one is recorded. */
  variable(x: T): T
  /** d loss / d x for each of `variables`; `loss` has one element. Source: reverse-mode accumulation, Griewank 1989. */
  gradients(loss: T, variables: readonly T[]): T[]
}

/**
 * Reverse-mode differentiation over the vocabulary: the adjoint of every operation is written in the same operations,
 * so whatever interprets the forward pass interprets the backward pass too.
 *
 * Invariant: an operand that a gradient flows to has the shape of the result (it is never broadcast), except for a
 * last axis of length 1 that the operation itself made.
 */
export function differentiable<T>(ops: Ops<T>): Differentiable<T> {
  const active = new Set<T>()
  const tape: { readonly outputs: readonly T[]; readonly backward: () => void }[] = []
  const adjoints = new Map<T, T>()

  const flow = (x: T, adjoint: () => T) => {
    if (!active.has(x)) return
    const before = adjoints.get(x)
    adjoints.set(x, before === undefined ? adjoint() : ops.add(before, adjoint()))
  }
  const record = (output: T, inputs: readonly T[], backward: (dy: T) => void): T => {
    if (inputs.some((input) => active.has(input))) {
      active.add(output)
      tape.push({ outputs: [output], backward: () => backward(adjoints.get(output)!) })
    }
    return output
  }
  const one = () => ops.constant([1], [1])
  const zeros = (like: T) => ops.mul(like, ops.constant([0], [1]))
  const negative = (x: T) => ops.mul(x, ops.constant([-1], [1]))

  const recorded: Ops<T> = {
    ...constantOps(ops),
    linear: (x, weight) => record(ops.linear(x, weight), [x], (dy) => flow(x, () => ops.linearAdjoint(dy, weight))),
    linearAdjoint: (dy, weight) =>
      record(ops.linearAdjoint(dy, weight), [dy], (d) => flow(dy, () => ops.linear(d, weight))),
    matmul: (a, b, options = {}) =>
      record(ops.matmul(a, b, options), [a, b, ...(options.plus === undefined ? [] : [options.plus])], (dy) => {
        const { transposeA: ta = false, transposeB: tb = false, scale = 1, plus } = options
        if (plus !== undefined) flow(plus, () => dy)
        flow(a, () =>
          ta
            ? ops.matmul(b, dy, { transposeA: tb, transposeB: true, scale })
            : ops.matmul(dy, b, { transposeB: !tb, scale }),
        )
        flow(b, () =>
          tb
            ? ops.matmul(dy, a, { transposeA: true, transposeB: ta, scale })
            : ops.matmul(a, dy, { transposeA: !ta, scale }),
        )
      }),
    add: (a, b) =>
      record(ops.add(a, b), [a, b], (dy) => {
        flow(a, () => dy)
        flow(b, () => dy)
      }),
    sub: (a, b) =>
      record(ops.sub(a, b), [a, b], (dy) => {
        flow(a, () => dy)
        flow(b, () => negative(dy))
      }),
    mul: (a, b) =>
      record(ops.mul(a, b), [a, b], (dy) => {
        flow(a, () => ops.mul(dy, b))
        flow(b, () => ops.mul(dy, a))
      }),
    // At a tie the gradient goes to `a`, as the unclipped side of a clipped objective wants.
    min: (a, b) =>
      record(ops.min(a, b), [a, b], (dy) => {
        const first = ops.lessOrEqual(a, b)
        flow(a, () => ops.mul(dy, first))
        flow(b, () => ops.mul(dy, ops.sub(one(), first)))
      }),
    exp: (x) => {
      const y = ops.exp(x)
      return record(y, [x], (dy) => flow(x, () => ops.mul(dy, y)))
    },
    silu: (x) => {
      const y = ops.silu(x)
      return record(y, [x], (dy) =>
        flow(x, () => {
          const s = ops.sigmoid(x)
          return ops.mul(dy, ops.add(s, ops.sub(y, ops.mul(y, s))))
        }),
      )
    },
    clip: (x, low, high) =>
      record(ops.clip(x, low, high), [x], (dy) => flow(x, () => ops.mul(dy, ops.inside(x, low, high)))),
    rmsNorm: (x, weight, epsilon) => {
      const { y, inverse } = ops.rmsNorm(x, weight, epsilon)
      record(y, [x], (dy) =>
        flow(x, () => {
          const dn = ops.mul(dy, weight)
          const n = ops.mul(x, inverse)
          return ops.mul(ops.sub(dn, ops.mul(n, ops.mean(ops.mul(dn, n)))), inverse)
        }),
      )
      return { y, inverse }
    },
    rotate: (x, positions, width, inverse) =>
      record(ops.rotate(x, positions, width, inverse), [x], (dy) =>
        flow(x, () => ops.rotate(dy, positions, width, !inverse)),
      ),
    softmax: (x) => {
      const y = ops.softmax(x)
      return record(y, [x], (dy) =>
        flow(x, () => {
          const weighted = ops.mul(y, dy)
          return ops.sub(weighted, ops.mul(y, ops.sum(weighted, -1)))
        }),
      )
    },
    attend: (q, k, v, mask, scale) => {
      const { y, p } = ops.attend(q, k, v, mask, scale)
      record(y, [q, k, v], (dy) => {
        // Σ p·dp over the keys is Σ dy·y over the width, which is shorter. Source: Dao et al. 2022, arXiv 2205.14135, B.4.
        const inner = ops.sum(ops.mul(dy, y), 3)
        const ds = ops.mul(p, ops.sub(ops.matmul(dy, v, { transposeB: true }), inner))
        flow(q, () => ops.matmul(ds, k, { scale }))
        flow(k, () => ops.sum(ops.matmul(ds, q, { transposeA: true, scale }), 1))
        flow(v, () => ops.sum(ops.matmul(p, dy, { transposeA: true }), 1))
      })
      return { y, p }
    },
    logProbs: (logits, ids) => {
      const { picked, all } = ops.logProbs(logits, ids)
      record(picked, [logits], (dy) =>
        flow(logits, () => ops.addAt(ops.mul(ops.exp(all), negative(ops.sum(dy, 1))), ids, dy)),
      )
      return { picked, all }
    },
    total: (x) =>
      record(ops.total(x), [x], (dy) =>
        // The one element spreads over x's shape, which need not be known.
        flow(x, () => ops.add(zeros(x), dy)),
      ),
    reshape: (x, to, from) => record(ops.reshape(x, to, from), [x], (dy) => flow(x, () => ops.reshape(dy, from, to))),
    transpose: (x, permutation) =>
      record(ops.transpose(x, permutation), [x], (dy) =>
        flow(x, () =>
          ops.transpose(
            dy,
            permutation.map((_, axis) => permutation.indexOf(axis)),
          ),
        ),
      ),
    concat: (pieces, axis) => {
      const whole = ops.concat(pieces, axis)
      if (pieces.length === 1) return whole
      return record(whole, pieces, (dy) => {
        ops.split(dy, axis, pieces.length).forEach((adjoint, i) => {
          flow(pieces[i]!, () => adjoint)
        })
      })
    },
    split: (x, axis, count, lengths) => {
      const pieces = ops.split(x, axis, count, lengths)
      if (count > 1 && active.has(x)) {
        for (const piece of pieces) active.add(piece)
        const adjoint = (piece: T) => adjoints.get(piece) ?? zeros(piece)
        tape.push({ outputs: pieces, backward: () => flow(x, () => ops.concat(pieces.map(adjoint), axis)) })
      }
      return pieces
    },
    rows: (x, index) => record(ops.rows(x, index), [x], (dy) => flow(x, () => ops.spreadRows(dy, index, x))),
  }

  return {
    ops: recorded,
    variable(x) {
      active.add(x)
      return x
    },
    gradients(loss, variables) {
      adjoints.clear()
      adjoints.set(loss, ops.constant([1], [1]))
      for (const { outputs, backward } of tape.toReversed()) {
        if (outputs.some((output) => adjoints.has(output))) backward()
      }
      return variables.map((x) => {
        const gradient = adjoints.get(x)
        if (gradient === undefined) throw new Error('the loss does not depend on a variable')
        return gradient
      })
    },
  }
}

/** What no gradient passes through: frozen tensors, comparisons, and what only serving or the adjoints use. */
function constantOps<T>(ops: Ops<T>) {
  const refuse = (name: string) => (): never => {
    throw new Error(`${name} has no adjoint`)
  }
  return {
    weight: (name: string) => ops.weight(name),
    constant: (values: readonly number[], shape: readonly number[]) => ops.constant(values, shape),
    embed: (table: string, ids: T) => ops.embed(table, ids),
    inside: (x: T, low: number, high: number) => ops.inside(x, low, high),
    lessOrEqual: (a: T, b: T) => ops.lessOrEqual(a, b),
    sigmoid: refuse('sigmoid'),
    sum: refuse('sum'),
    mean: refuse('mean'),
    spreadRows: refuse('spreadRows'),
    addAt: refuse('addAt'),
  }
}

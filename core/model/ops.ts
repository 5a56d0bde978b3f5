/**
 * The vocabulary the network is written in. `T` is an interpreter's own handle: a name in an ONNX graph, an eager
 * tensor in a test. Handles are compared by identity. Matrices are row-major; `[N, d]` means N tokens of width d.
 */
export interface Ops<T> {
  /** A frozen tensor of the model, by its Hugging Face name. */
  weight(name: string): T
  constant(values: readonly number[], shape: readonly number[]): T

  /** Rows of a frozen table: ids [N] → [N, d]. */
  embed(table: string, ids: T): T
  /** x [N, in] · Wᵀ with a frozen W [out, in] → [N, out]. */
  linear(x: T, weight: string): T
  /** dy [N, out] · W → [N, in]: the adjoint of `linear`. */
  linearAdjoint(dy: T, weight: string): T
  /** scale · a·b + plus over the last two axes, leading axes alike; or 1 for b, to which no gradient flows then. */
  matmul(a: T, b: T, options?: MatmulOptions<T>): T

  add(a: T, b: T): T
  sub(a: T, b: T): T
  mul(a: T, b: T): T
  min(a: T, b: T): T
  exp(x: T): T
  sigmoid(x: T): T
  /** x · sigmoid(x). */
  silu(x: T): T
  /** Limits every element to [low, high]. */
  clip(x: T, low: number, high: number): T
  /** 1 where low < x < high, else 0: the derivative of `clip`. */
  inside(x: T, low: number, high: number): T
  /** 1 where a ≤ b, else 0. */
  lessOrEqual(a: T, b: T): T

  /** y = x · inverse · weight with inverse = 1 / sqrt(mean(x²) + epsilon) over the last axis [N, 1]. */
  rmsNorm(x: T, weight: T, epsilon: number): { y: T; inverse: T }
  /** Rotary position embedding of [N, width], width = heads · headDim; `inverse` is the other way, its adjoint. */
  rotate(x: T, positions: T, width: number, inverse: boolean): T
  /** Over the last axis. */
  softmax(x: T): T
  /**
   * y = p·v with p = softmax(scale · q·kᵀ + mask): q [H, P, M, d], k and v [H, 1, K, d], mask [1, P, M, K] →
   * y [H, P, M, d], p [H, P, M, K]. The P parts of the queries are independent, so that they can run side by side.
   */
  attend(q: T, k: T, v: T, mask: T, scale: number): { y: T; p: T }
  /** all = log softmax(logits) [R, V], picked = all at ids [R, K]. */
  logProbs(logits: T, ids: T): { picked: T; all: T }
  /** Over one axis, which stays with length 1. */
  sum(x: T, axis: number): T
  /** Over the last axis, which stays with length 1. */
  mean(x: T): T
  /** Over everything → [1]. */
  total(x: T): T

  /** At most one -1 in either shape; `from` is the shape that `to` came from. */
  reshape(x: T, to: readonly number[], from: readonly number[]): T
  transpose(x: T, permutation: readonly number[]): T
  /** Joins along an axis; one piece is itself. A gradient flows only to pieces that are all of one size. */
  concat(pieces: readonly T[], axis: number): T
  /** Cuts an axis into pieces of one size, or of the given lengths [count]; one piece is x itself. */
  split(x: T, axis: number, count: number, lengths?: T): readonly T[]
  /** Some rows of x: x [N, d], index [R] → [R, d]. */
  rows(x: T, index: T): T
  /** The adjoint of `rows`: values [R, d] added to zeros shaped like x [N, d]. */
  spreadRows(values: T, index: T, like: T): T
  /** x [R, V] with values [R, K] added at ids [R, K]. */
  addAt(x: T, ids: T, values: T): T
}

export interface MatmulOptions<T> {
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  readonly scale?: number
  /** Added to the product, which then has two axes. */
  readonly plus?: T
}

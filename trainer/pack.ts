import type { ScoreItem } from './engines/engine.ts'

/** Several sequences as one row of tokens: no padding, kept apart by positions and segments. */
export interface Packed<Item extends ScoreItem> {
  readonly items: readonly Item[]
  /** [N] */
  readonly ids: Int32Array
  /** Position of each token in its own sequence. [N] */
  readonly positions: Int32Array
  /** Which item a token belongs to. [N] */
  readonly segments: Int32Array
  /** Scored positions in the packed row, item after item. [R] */
  readonly rows: Int32Array
}

/** Groups items in order so that a group has at most `limit` tokens, or is one item longer than that. */
export function pack<Item extends ScoreItem>(items: readonly Item[], limit: number): Packed<Item>[] {
  const groups: Item[][] = []
  let tokens = 0
  for (const item of items) {
    const last = groups.at(-1)
    if (last === undefined || tokens + item.ids.length > limit) {
      groups.push([item])
      tokens = item.ids.length
    } else {
      last.push(item)
      tokens += item.ids.length
    }
  }
  return groups.map(join)
}

function join<Item extends ScoreItem>(items: readonly Item[]): Packed<Item> {
  const starts: number[] = []
  let length = 0
  for (const item of items) {
    starts.push(length)
    length += item.ids.length
  }
  return {
    items,
    ids: Int32Array.from(items.flatMap((item) => item.ids)),
    positions: Int32Array.from(items.flatMap((item) => item.ids.map((_, position) => position))),
    segments: Int32Array.from(items.flatMap((item, segment) => item.ids.map(() => segment))),
    rows: Int32Array.from(items.flatMap((item, segment) => item.rows.map((row) => starts[segment]! + row))),
  }
}

/** The part of a packed [R × width] output that belongs to each item. */
export function unpack<Row extends Float32Array | Int32Array>(packed: Packed<ScoreItem>, values: Row): Row[] {
  const width = values.length / packed.rows.length
  let at = 0
  return packed.items.map((item) => {
    const end = at + item.rows.length * width
    const part = values.slice(at, end) as Row
    at = end
    return part
  })
}

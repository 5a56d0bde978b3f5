import type { ScoreItem } from './engines/engine.ts'

/**
 * Several sequences as one row of tokens: no padding, kept apart by positions and segments. What all of them begin
 * with (the system prompt, mostly) stands once, in front: causal attention makes it the same for each.
 */
export interface Packed<Item extends ScoreItem> {
  readonly items: readonly Item[]
  /** [N] */
  readonly ids: Int32Array
  /** Position of each token in its own sequence. [N] */
  readonly positions: Int32Array
  /** Which item a token belongs to; -1 for the shared beginning. [N] */
  readonly segments: Int32Array
  /** Tokens of the shared beginning. */
  readonly shared: number
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
  const shared = items.length === 1 ? 0 : commonLength(items.map(({ ids }) => ids))
  const range = (count: number) => Array.from({ length: count }, (_, i) => i)
  const ids = items[0]!.ids.slice(0, shared)
  const positions = range(shared)
  const segments = new Array<number>(shared).fill(-1)
  const rows: number[] = []
  for (const [segment, item] of items.entries()) {
    const start = ids.length - shared
    rows.push(...item.rows.map((row) => (row < shared ? row : start + row)))
    const own = item.ids.slice(shared)
    ids.push(...own)
    positions.push(...range(own.length).map((i) => shared + i))
    segments.push(...own.map(() => segment))
  }
  return {
    items,
    ids: Int32Array.from(ids),
    positions: Int32Array.from(positions),
    segments: Int32Array.from(segments),
    shared,
    rows: Int32Array.from(rows),
  }
}

function commonLength(sequences: readonly (readonly number[])[]): number {
  const [first, ...others] = sequences
  let length = 0
  while (length < first!.length && others.every((other) => other[length] === first![length])) length++
  return length
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

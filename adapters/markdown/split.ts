import { parse } from './parse.ts'
import { isBlank } from './render.ts'
import { type Block, type Document, flat, type Inline, type Item, type Markdown, slice, unlinked } from './tree.ts'

/** What is said where there is nothing to see: platforms refuse empty messages. */
const SILENCE: Document = [{ type: 'paragraph', children: [{ type: 'text', value: '…' }] }]

/**
 * Cuts Markdown into parts that fit: between blocks where that is possible, else between items, rows and lines, else
 * after a sentence, after a word, and in the worst case between two characters as a reader sees them. Each part is a
 * document of its own: what is open at its end is closed, and open again in the next. There is always at least one
 * part, no part is blank, and together they hold every word. `fits` must be true of a single character in what it
 * stands in.
 */
export function split(markdown: Markdown, fits: (part: Document) => boolean): readonly Document[] {
  const document = parse(markdown)
  const parts = fits(document) ? [document] : pack(document, fits, cut)
  const seen = parts.filter((part) => !isBlank(part))
  return seen.length > 0 ? seen : [SILENCE]
}

type BlockOf<T extends Block['type']> = Extract<Block, { type: T }>

/** Divides one thing so that each piece fits. */
type Cut<T> = (node: T, fits: (node: T) => boolean) => readonly T[]

/** Puts things together as long as they fit, in order; one that never fits is cut. */
function pack<T>(nodes: readonly T[], fits: (group: readonly T[]) => boolean, cutOne: Cut<T>): (readonly T[])[] {
  const groups: (readonly T[])[] = []
  let group: readonly T[] = []
  const flush = (): void => {
    if (group.length > 0) groups.push(group)
    group = []
  }
  for (const node of nodes) {
    const more = [...group, node]
    if (fits(more)) {
      group = more
      continue
    }
    // A heading goes with what it is the heading of.
    const last = group.slice(-1)
    const carried = group.length > 1 && last.some(isHeading) && fits([...last, node]) ? last : []
    group = group.slice(0, group.length - carried.length)
    flush()
    if (carried.length > 0 || fits([node])) {
      group = [...carried, node]
      continue
    }
    for (const piece of cutOne(node, (piece) => fits([piece]))) {
      flush()
      group = [piece]
    }
  }
  flush()
  return groups
}

const isHeading = (node: unknown): boolean => (node as Partial<Block> | undefined)?.type === 'heading'

function cut(node: Block, fits: (node: Block) => boolean): readonly Block[] {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return cutWords(node.children, (children) => fits({ ...node, children })).map((children) => ({
        ...node,
        children,
      }))
    case 'quote':
      return pack(node.children, (children) => fits({ ...node, children }), cut).map((children) => ({
        ...node,
        children,
      }))
    case 'list':
      return cutList(node, fits)
    case 'code': {
      const code = (lines: readonly string[]): Block => ({ ...node, value: lines.join('\n') })
      const groups = pack(node.value.split('\n'), (lines) => fits(code(lines)), cutText)
      return groups.map(code)
    }
    case 'table':
      return cutTable(node, fits)
    case 'rule':
      return [node]
  }
}

/** Items keep their numbers; the rest of one that was cut has none. */
function cutList(list: BlockOf<'list'>, fits: (node: Block) => boolean): readonly Block[] {
  const { start, children } = list
  // The number with the most digits, since nobody knows yet which items stand where.
  const widest = start === null ? null : start + children.length
  const cutItem: Cut<Item> = (item, fitsItem) =>
    pack(item.children, (inner) => fitsItem({ ...item, children: inner }), cut).map((inner, index) =>
      index === 0 ? { ...item, children: inner } : { children: inner, continued: true },
    )
  let before = 0
  return pack(children, (items) => fits({ ...list, start: widest, children: items }), cutItem).map((items) => {
    const part: Block = { ...list, start: start === null ? null : start + before, children: items }
    before += items.filter((item) => !item.continued).length
    return part
  })
}

/** Every part has the header. Where a row does not fit behind it, the table is lines of words. */
function cutTable(table: BlockOf<'table'>, fits: (node: Block) => boolean): readonly Block[] {
  const { header, rows } = table
  if (rows.length > 0 && rows.every((row) => fits({ ...table, rows: [row] }))) {
    return pack(
      rows,
      (some) => fits({ ...table, rows: some }),
      (row) => [row],
    ).map((some) => ({ ...table, rows: some }))
  }
  const value = [header, ...rows].map((row) => row.join(' | ')).join('\n')
  return cut({ type: 'paragraph', children: [{ type: 'text', value }] }, fits)
}

function cutWords(
  children: readonly Inline[],
  fits: (children: readonly Inline[]) => boolean,
): readonly (readonly Inline[])[] {
  const pieces: (readonly Inline[])[] = []
  let rest = children
  while (!fits(rest)) {
    const text = flat(rest)
    const most = longest(text.length, (length) => fits(slice(rest, 0, length)))
    const plain = unlinked(rest)
    if (most === 0 && flat(plain) !== text) {
      rest = plain
      continue
    }
    const at = boundary(text, Math.max(most, 1))
    const from = at + /^\s*/.exec(text.slice(at))![0].length
    pieces.push(slice(rest, 0, text.slice(0, at).trimEnd().length))
    rest = slice(rest, from, text.length)
  }
  return [...pieces, rest].filter((piece) => piece.length > 0)
}

const cutText: Cut<string> = (text, fits) => {
  const pieces: string[] = []
  let rest = text
  while (!fits(rest)) {
    const most = longest(rest.length, (length) => fits(rest.slice(0, length)))
    const at = between(rest, Math.max(most, 1))
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...pieces, rest].filter((piece) => piece !== '')
}

/** The greatest length below `end` that fits; what fits stays so when it gets shorter. */
function longest(end: number, fits: (length: number) => boolean): number {
  let [low, high] = [0, end - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

const SENTENCE = /[.!?…]["'”’»)\]]*(?=\s)|[。！？]["'”’」』）]*|(?=\n)/g
const WORD = /\S(?=\s)/g

/** A boundary this early would leave a part that is hardly one. [share of what fits] */
const EARLY = 0.25

/** Where a text is best cut, at `most` at the latest: after a sentence, a word, a character. */
function boundary(text: string, most: number): number {
  const window = text.slice(0, most + 1)
  const last = (pattern: RegExp) =>
    [...window.matchAll(pattern)]
      .map((match) => match.index + match[0].length)
      .filter((end) => end > 0 && end <= most)
      .at(-1) ?? 0
  const sentence = last(SENTENCE)
  if (sentence >= most * EARLY) return sentence
  return last(WORD) || between(text, most)
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The same or an earlier place that is between two characters as a reader sees them. */
function between(text: string, at: number): number {
  const start = graphemes.segment(text).containing(at)?.index ?? at
  if (start > 0) return start
  // One character of more marks than fit: at least no pair is cut.
  const paired = /[\uD800-\uDBFF]/.test(text.charAt(at - 1))
  return paired ? (at > 1 ? at - 1 : 2) : at
}

import { parse } from './parse.ts'
import { type Block, type Document, flat, type Inline, type Item, type Mark, type Markdown } from './tree.ts'

/** How a platform writes what a document is made of. `T` is text, or text with its formatting beside it. */
export interface Notation<T> {
  /** Words, in which nothing may be read as formatting or a mention. */
  text(value: string): T
  code(value: string): T
  mark(mark: Mark, inner: T): T
  /** A label, where there is one, and always the address. */
  link(url: string, label: T | null): T
  heading(depth: number, inner: T): T
  fence(value: string, language: string | null): T
  quote(inner: T): T
  /** An item with what stands before its first line. */
  item(bullet: string, inner: T): T
  readonly rule: T
  join(parts: readonly T[], between: string): T
}

/** Writes a document as a platform's own. */
export function render<T>(markdown: Markdown, notation: Notation<T>): T {
  const blocks = (document: Document, between: string): T => notation.join(document.map(block), between)
  const block = (node: Block): T => {
    switch (node.type) {
      case 'paragraph':
        return inlines(node.children)
      case 'heading':
        return notation.heading(node.depth, inlines(node.children))
      case 'code':
        return notation.fence(node.value, node.language)
      case 'quote':
        return notation.quote(blocks(node.children, '\n\n'))
      case 'list':
        return list(node.start, node.children)
      case 'table':
        return notation.fence(tableText(node.header, node.rows), null)
      case 'rule':
        return notation.rule
    }
  }
  const list = (start: number | null, items: readonly Item[]): T => {
    let number = start
    return notation.join(
      items.map(({ children, continued }) => {
        const bullet = continued ? ' ' : number === null ? '-' : `${number++}.`
        return notation.item(bullet, blocks(children, '\n'))
      }),
      '\n',
    )
  }
  const inlines = (children: readonly Inline[]): T =>
    notation.join(
      children.map((node): T => {
        if (node.type === 'text') return notation.text(node.value)
        if (node.type === 'code') return notation.code(node.value)
        if (node.type === 'link') return notation.link(node.url, node.label.length === 0 ? null : inlines(node.label))
        return notation.mark(node.type, inlines(node.children))
      }),
      '',
    )
  return blocks(parse(markdown), '\n\n')
}

const CELL = 40

/** A table in letters of one width. Cells that are long are not padded to. */
function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const width = (cell: string) => [...cell].length
  const widths = header.map((_, column) => Math.min(CELL, Math.max(...all.map((row) => width(row[column] ?? '')))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(cell))))
      .join(' | ')
      .trimEnd()
  return [line(header), widths.map((columns) => '-'.repeat(columns)).join('-+-'), ...rows.map(line)].join('\n')
}

/** Every line behind a prefix; the first may have another. */
export function indented(text: string, prefix: string, first = prefix): string {
  return first + text.replaceAll('\n', `\n${prefix}`)
}

/** Marks do nothing where blanks stand just inside them. */
export function marked(inner: string, mark: string): string {
  const words = inner.trim()
  if (words === '') return inner
  const start = inner.indexOf(words)
  return inner.slice(0, start) + mark + words + mark + inner.slice(start + words.length)
}

/** A fence that its content cannot close: the platforms know only the short one. */
export function fenced(value: string, language: string | null): string {
  return `\`\`\`${language ?? ''}\n${value.replaceAll('```', '`\u200B`\u200B`')}\n\`\`\``
}

/** Whether a reader would see anything at all. */
export const isBlank = (document: Document): boolean => document.every(isBlankBlock)

function isBlankBlock(node: Block): boolean {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
      return !VISIBLE.test(flat(node.children))
    case 'code':
      return !VISIBLE.test(node.value)
    case 'quote':
      return isBlank(node.children)
    case 'list':
      return node.children.every((item) => isBlank(item.children))
    case 'table':
      return ![node.header, ...node.rows].flat().some((cell) => VISIBLE.test(cell))
    case 'rule':
      return false
  }
}

const VISIBLE = /[^\s\p{Cf}\p{Mn}\u3164\u2800\u115F\u1160\uFFA0]/u

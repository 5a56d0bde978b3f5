import { parse } from '../markdown/parse.ts'
import { type Block, type Document, type Inline, slice } from '../markdown/tree.ts'

/** Whatever stands behind one of these may become something else when more is written. */
const OPEN = /[*_~`[\]<|\\!&]|https?:|www\./

/** The beginning of an unfinished text that nothing which comes next changes, but for what is very rare. */
export function settled(markdown: string): Document {
  const document = parse(markdown)
  const last = document.at(-1)
  return last === undefined ? [] : [...document.slice(0, -1), ...beginning(last)]
}

function beginning(block: Block): Document {
  if (block.type === 'paragraph') {
    const children = wholeWords(block.children)
    return children.length > 0 ? [{ ...block, children }] : []
  }
  if (block.type === 'list') {
    const children = block.children.slice(0, -1)
    return children.length > 0 ? [{ ...block, children }] : []
  }
  return []
}

/** Up to the first thing that formatting may still reach. */
function wholeWords(children: readonly Inline[]): readonly Inline[] {
  const [first] = children
  if (first?.type !== 'text') return []
  const calm = first.value.slice(0, OPEN.exec(first.value)?.index)
  const end = calm.search(/\s\S*$/)
  return end > 0 ? slice(children, 0, end) : []
}

import type * as mdast from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { labelled } from './link.ts'
import { type Block, type Document, type Inline, type Item, type Markdown, words } from './tree.ts'

const EXTENSIONS = { extensions: [gfm({ singleTilde: false })], mdastExtensions: [gfmFromMarkdown()] }

/** Quotes and lists in one another; what is deeper is shown at this depth. */
const DEEPEST = 8

/** Turns text around so that it reads as something else, or is no text at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g
const LONE = /\p{Surrogate}/gu

/** Quotes and lists in one another at the beginning of a line: with more of them no reader of Markdown comes back. */
const NESTED = /^((?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){64})/gm
const GAP = '\u200B'

/** What a fence may say about its language and a platform still shows. */
const LANGUAGE = /^[\w+#.-]{1,20}$/

/** Addresses by the identifiers that links refer to them by. */
type Definitions = ReadonlyMap<string, mdast.Definition>

/**
 * Reads Markdown with GitHub's extensions. References are resolved, HTML stays words, images are links, and nothing of
 * what a reader would not see is dropped. Never throws.
 */
export function parse(markdown: Markdown): Document {
  if (typeof markdown !== 'string') return markdown
  const root = fromMarkdown(visible(markdown).replace(LONE, '\uFFFD').replace(NESTED, `$1${GAP}`), EXTENSIONS)
  const definitions = new Map<string, mdast.Definition>()
  const used = new Set<string>()
  const look = (node: mdast.Nodes): void => {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node)
    if (node.type === 'linkReference' || node.type === 'imageReference') used.add(node.identifier)
    if ('children' in node) for (const child of node.children) look(child)
  }
  look(root)
  return blocks(root.children, { definitions, used, depth: 0 })
}

/** Also of what was read: Markdown has a way to write every letter by its number. */
const visible = (text: string): string => text.replace(INVISIBLE, '')

interface Context {
  readonly definitions: Definitions
  readonly used: ReadonlySet<string>
  readonly depth: number
}

function blocks(nodes: readonly mdast.RootContent[], context: Context): Document {
  return nodes.flatMap((node) => block(node, context))
}

function block(node: mdast.RootContent, context: Context): readonly Block[] {
  const within = { ...context, depth: context.depth + 1 }
  switch (node.type) {
    case 'paragraph':
      return [{ type: 'paragraph', children: inlines(node.children, context) }]
    case 'heading':
      return [{ type: 'heading', depth: node.depth, children: inlines(node.children, context) }]
    case 'code':
      return [{ type: 'code', language: LANGUAGE.exec(node.lang ?? '')?.[0] ?? null, value: node.value }]
    case 'thematicBreak':
      return [{ type: 'rule' }]
    case 'blockquote': {
      const children = blocks(node.children, within)
      return within.depth > DEEPEST ? children : [{ type: 'quote', children }]
    }
    case 'list': {
      const children = node.children.map((item) => listItem(item, within))
      if (within.depth > DEEPEST) return children.flatMap((item) => item.children)
      return [{ type: 'list', start: node.ordered ? (node.start ?? 1) : null, children }]
    }
    case 'table': {
      const cells = ({ children }: mdast.TableRow) => children.map((cell) => words(inlines(cell.children, context)))
      const [header, ...rows] = node.children.map(cells)
      return [{ type: 'table', header: header ?? [], rows }]
    }
    case 'html':
      return [paragraph(node.value)]
    case 'definition': {
      const shown = !context.used.has(node.identifier) || context.definitions.get(node.identifier) !== node
      return shown ? [paragraph(`[${node.label ?? node.identifier}]: ${node.url}`)] : []
    }
    case 'footnoteDefinition':
      return [paragraph(`[^${node.label ?? node.identifier}]:`), ...blocks(node.children, within)]
    default:
      return []
  }
}

const paragraph = (value: string): Block => ({ type: 'paragraph', children: [text(value)] })

const text = (value: string): Inline => ({ type: 'text', value: visible(value) })

function listItem({ children, checked }: mdast.ListItem, context: Context): Item {
  const inner = blocks(children, context)
  if (checked === null || checked === undefined) return { children: inner }
  const box: Inline = { type: 'text', value: checked ? '☑ ' : '☐ ' }
  const [first, ...rest] = inner
  if (first?.type !== 'paragraph') return { children: [{ type: 'paragraph', children: [box] }, ...inner] }
  return { children: [{ ...first, children: [box, ...first.children] }, ...rest] }
}

function inlines(nodes: readonly mdast.PhrasingContent[], context: Context): Inline[] {
  return nodes.flatMap((node) => inline(node, context))
}

function addressIn({ identifier }: mdast.Association, { definitions }: Context): string {
  return visible(definitions.get(identifier)?.url ?? '')
}

function inline(node: mdast.PhrasingContent, context: Context): readonly Inline[] {
  switch (node.type) {
    case 'text':
    case 'html':
      return [text(node.value)]
    case 'break':
      return [{ type: 'text', value: '\n' }]
    case 'inlineCode':
      return [{ type: 'code', value: node.value }]
    case 'strong':
    case 'emphasis':
    case 'delete':
      return [{ type: node.type, children: inlines(node.children, context) }]
    case 'link':
      return labelled(visible(node.url), inlines(node.children, context))
    case 'image':
      return labelled(visible(node.url), [text(node.alt ?? '')])
    case 'linkReference':
      return labelled(addressIn(node, context), inlines(node.children, context))
    case 'imageReference':
      return labelled(addressIn(node, context), [text(node.alt ?? '')])
    case 'footnoteReference':
      return [text(`[^${node.label ?? node.identifier}]`)]
    default:
      return []
  }
}

/** What the model wrote, without the notation it wrote it in. Platforms show it in their own. */
export type Document = readonly Block[]

/** Markdown as it was written, or already parsed: a part of a reply is a part of its tree. */
export type Markdown = string | Document

export interface Item {
  readonly children: Document
  /** The rest of an item that began in an earlier part: it has no bullet and no number. */
  readonly continued?: true
}

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly depth: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string | null; readonly value: string }
  | { readonly type: 'quote'; readonly children: Document }
  /** `start` is the first item's number, null where they have none. */
  | { readonly type: 'list'; readonly start: number | null; readonly children: readonly Item[] }
  | { readonly type: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'rule' }

export type Mark = 'strong' | 'emphasis' | 'delete'

export type Inline =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'code'; readonly value: string }
  | { readonly type: Mark; readonly children: readonly Inline[] }
  /** `label` is empty where it would only repeat the address. The address is complete, and of a scheme that is safe. */
  | { readonly type: 'link'; readonly url: string; readonly label: readonly Inline[] }

/** Stands for a link in the flat text of a paragraph: links are not cut. */
const LINK = '\uFFFC'

/** The words of a paragraph as one string; `slice` takes offsets into it. */
export function flat(children: readonly Inline[]): string {
  return children
    .map((child) => {
      if (child.type === 'link') return LINK
      return 'value' in child ? child.value : flat(child.children)
    })
    .join('')
}

/** The part of a paragraph between two offsets of its flat text, in the marks that it stands in. */
export function slice(children: readonly Inline[], from: number, to: number): Inline[] {
  const found: Inline[] = []
  let at = 0
  for (const child of children) {
    const length = flat([child]).length
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, length)]
    at += length
    if (start >= end) continue
    if (child.type === 'link') found.push(child)
    else if ('value' in child) found.push({ ...child, value: child.value.slice(start, end) })
    else found.push({ ...child, children: slice(child.children, start, end) })
  }
  return found
}

/** The same words, with addresses as plain words that may be cut. */
export function unlinked(children: readonly Inline[]): Inline[] {
  return children.flatMap((child): Inline[] => {
    if (child.type === 'link') {
      const address: Inline = { type: 'text', value: child.label.length > 0 ? ` (${child.url})` : child.url }
      return [...unlinked(child.label), address]
    }
    return 'value' in child ? [child] : [{ ...child, children: unlinked(child.children) }]
  })
}

/** What a reader sees of a paragraph without any notation; behind a label stands where it leads. */
export const words = (children: readonly Inline[]): string => flat(unlinked(children))

import { shownAddress } from './link.ts'
import { indented, type Notation, render } from './render.ts'
import type { Markdown } from './tree.ts'

const NOTATION: Notation<string> = {
  text: (value) => value,
  code: (value) => value,
  mark: (_mark, inner) => inner,
  link: (url, label) => (label === null ? shownAddress(url) : `${label} (${shownAddress(url)})`),
  heading: (_depth, inner) => inner,
  fence: (value) => value,
  quote: (inner) => indented(inner, '> '),
  item: (bullet, inner) => indented(inner, ' '.repeat(bullet.length + 1), `${bullet} `),
  rule: '———',
  join: (parts, between) => parts.join(between),
}

/**
 * The words as they are, without notation and without escapes: for where a platform refuses its own. What the platform
 * reads in plain text all the same is for its renderer to take out.
 */
export const plainText = (markdown: Markdown): string => render(markdown, NOTATION)

import { shownAddress } from './link.ts'
import { uncalled, unmentioned, unopened } from './mention.ts'
import { fenced, indented, marked, type Notation, render } from './render.ts'
import type { Markdown } from './tree.ts'

/** Whether the limit of 2,000 counts characters or UTF-16 units is not documented. */
const LIMIT = 1_900

const code = (value: string): string => unopened(uncalled(value))

const MARKS = { strong: '**', emphasis: '*', delete: '~~' }

const NOTATION: Notation<string> = {
  text: (value) =>
    unmentioned(unopened(value.replace(/[\\*_~`|[\]]/g, '\\$&')))
      .replace(/^(\s*)([#>+-])/gm, '$1\\$2')
      .replace(/^(\s*\d+)([.)])/gm, '$1\\$2'),
  code(value) {
    const shown = code(value.replaceAll('``', '`\u200B`'))
    return value.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``
  },
  mark: (mark, inner) => marked(inner, MARKS[mark]),
  link(url, label) {
    const address = url.startsWith('mailto:') ? uncalled(shownAddress(url)) : `<${url}>`
    return label === null ? address : `${label} (${address})`
  },
  heading: (depth, inner) => `${'#'.repeat(Math.min(depth, 3))} ${inner.replaceAll('\n', ' ')}`,
  fence: (value, language) => fenced(code(value), language),
  quote: (inner) => indented(inner, '> '),
  item: (bullet, inner) => indented(inner, ' '.repeat(bullet.length + 1), `${bullet} `),
  rule: '———',
  join: (parts, between) => parts.join(between),
}

/** Discord's Markdown: no mentions, no images, no tables, and no link without its address. */
export const discordText = (markdown: Markdown): string => render(markdown, NOTATION)

export const fitsDiscord = (markdown: Markdown): boolean => discordText(markdown).length <= LIMIT

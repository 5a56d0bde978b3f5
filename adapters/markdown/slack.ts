import { uncalled, unmentioned, unopened } from './mention.ts'
import { plainText } from './plain.ts'
import { fenced, indented, marked, type Notation, render } from './render.ts'
import type { Markdown } from './tree.ts'

/** A size that reads well; what Slack takes is 12,000 of `markdown_text`, and about 13,000 of all blocks together. */
const LIMIT = 3_500

/** Slack reads what stands between `<` and `>` in any text, so none is left, and none that would come back. */
const escaped = (value: string): string =>
  unopened(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const text = (value: string): string => escaped(unmentioned(value))
const code = (value: string): string => escaped(uncalled(value))

const SHARED = {
  fence: (value: string) => fenced(code(value), null),
  rule: '———',
  join: (parts: readonly string[], between: string) => parts.join(between),
}

const item = (bullet: string, inner: string): string => indented(inner, ' '.repeat(bullet.length + 1), `${bullet} `)

const address = (url: string): string => `<${url.replaceAll('&', '&amp;')}>`

const MARKS = { strong: '**', emphasis: '*', delete: '~~' }

const MARKDOWN: Notation<string> = {
  ...SHARED,
  text: (value) =>
    text(value.replace(/[\\*_~`[\]]/g, '\\$&'))
      .replace(/^(\s*)([#+=|-])/gm, '$1\\$2')
      .replace(/^(\s*\d+)([.)])/gm, '$1\\$2'),
  code(value) {
    const shown = code(value.replaceAll('``', '`\u200B`'))
    return value.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``
  },
  mark: (mark, inner) => marked(inner, MARKS[mark]),
  link: (url, label) => (label === null ? `<${url}>` : `${label} (<${url}>)`),
  heading: (depth, inner) => `${'#'.repeat(depth)} ${inner.replaceAll('\n', ' ')}`,
  fence: (value, language) => fenced(code(value), language),
  quote: (inner) => indented(inner, '> '),
  item,
}

const MRKDWN_MARKS = { strong: '*', emphasis: '_', delete: '~' }

const MRKDWN: Notation<string> = {
  ...SHARED,
  text,
  code: (value) => (value.includes('`') ? code(value) : `\`${code(value)}\``),
  mark: (mark, inner) => marked(inner, MRKDWN_MARKS[mark]),
  link: (url, label) => (label === null ? address(url) : `${label} (${address(url)})`),
  heading: (_depth, inner) => marked(inner, '*'),
  quote: (inner) => indented(inner, '> '),
  item: (bullet, inner) => item(bullet === '-' ? '•' : bullet, inner),
}

/** For `markdown_text` and blocks of the type `markdown`. */
export const slackMarkdown = (markdown: Markdown): string => render(markdown, MARKDOWN)

/** For `text`: Slack's older notation. */
export const slackMrkdwn = (markdown: Markdown): string => render(markdown, MRKDWN)

/** For `text` with `mrkdwn: false`, where Slack has refused the notation. */
export const slackPlain = (markdown: Markdown): string => text(plainText(markdown))

export const fitsSlack = (markdown: Markdown): boolean =>
  slackMarkdown(markdown).length <= LIMIT &&
  slackMrkdwn(markdown).length <= LIMIT &&
  slackPlain(markdown).length <= LIMIT

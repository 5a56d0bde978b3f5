import { shownAddress } from './link.ts'
import { unmentioned } from './mention.ts'
import { type Notation, render } from './render.ts'
import type { Mark, Markdown } from './tree.ts'

/** A piece of formatting; offset and length count UTF-16 units. */
export type Entity = { readonly offset: number; readonly length: number } & (
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }
)

/** Text with its formatting beside it, so that no letter of the text can be taken for formatting. */
export interface Formatted {
  readonly text: string
  readonly entities: readonly Entity[]
}

const LIMIT = 4_096

/** Telegram ignores formatting beyond these. */
const MOST_ENTITIES = 100

const MARKS: Readonly<Record<Mark, 'bold' | 'italic' | 'strikethrough'>> = {
  strong: 'bold',
  emphasis: 'italic',
  delete: 'strikethrough',
}

const bare = (text: string): Formatted => ({ text, entities: [] })

function join(parts: readonly Formatted[], between: string): Formatted {
  const entities: Entity[] = []
  let text = ''
  for (const [index, part] of parts.entries()) {
    if (index > 0) text += between
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + text.length })
    text += part.text
  }
  return { text, entities }
}

/** Formats everything but code, which holds no other formatting and stands in none. */
function marked(inner: Formatted, type: 'bold' | 'italic' | 'strikethrough'): Formatted {
  const entities: Entity[] = []
  const code = inner.entities.filter((entity) => entity.type === 'code' || entity.type === 'pre')
  let from = 0
  for (const { offset, length } of [...code, { offset: inner.text.length, length: 0 }]) {
    if (inner.text.slice(from, offset).trim() !== '') entities.push({ type, offset: from, length: offset - from })
    from = offset + length
  }
  return { text: inner.text, entities: [...entities, ...inner.entities] }
}

/** Every line behind blanks; entities grow over the blanks within them. */
function indented({ text, entities }: Formatted, prefix: string, first: string): Formatted {
  const moved = (offset: number) =>
    offset + first.length + prefix.length * (text.slice(0, offset).split('\n').length - 1)
  return {
    text: first + text.replaceAll('\n', `\n${prefix}`),
    entities: entities.map((entity) => {
      const offset = moved(entity.offset)
      return { ...entity, offset, length: moved(entity.offset + entity.length) - offset }
    }),
  }
}

const whole = (text: string): { offset: number; length: number } => ({ offset: 0, length: text.length })

const NOTATION: Notation<Formatted> = {
  text: (value) => bare(unmentioned(value)),
  code: (value) => ({ text: value, entities: value.trim() === '' ? [] : [{ type: 'code', ...whole(value) }] }),
  mark: (mark, inner) => marked(inner, MARKS[mark]),
  link(url, label) {
    const address = bare(shownAddress(url))
    if (url.startsWith('mailto:')) return label === null ? address : join([label, bare(' ('), address, bare(')')], '')
    const shown: Formatted = { text: address.text, entities: [{ type: 'text_link', url, ...whole(address.text) }] }
    return label === null ? shown : join([label, bare(' ('), shown, bare(')')], '')
  },
  heading: (_depth, inner) => marked(inner, 'bold'),
  fence(value, language) {
    if (value.trim() === '') return bare(value)
    return { text: value, entities: [{ type: 'pre', ...(language === null ? {} : { language }), ...whole(value) }] }
  },
  /** Quotes hold no quotes. */
  quote({ text, entities }) {
    const inner = entities.filter((entity) => entity.type !== 'blockquote')
    return { text, entities: text.trim() === '' ? inner : [{ type: 'blockquote', ...whole(text) }, ...inner] }
  },
  item: (bullet, inner) => indented(inner, '  ', bullet === '-' ? '• ' : `${bullet} `),
  rule: bare('———'),
  join,
}

/** A message's text and its entities. */
export const telegramText = (markdown: Markdown): Formatted => render(markdown, NOTATION)

/** Telegram reads a name behind each of these, unless it is formatted as something else. */
const CALLING = /(?<![\p{L}\p{N}_])@(?=\w)/gu

/** The same words without any formatting, for where Telegram refuses it: code and addresses could hold mentions then. */
export const telegramPlain = (markdown: Markdown): string => telegramText(markdown).text.replace(CALLING, unmentioned)

export function fitsTelegram(markdown: Markdown): boolean {
  const { text, entities } = telegramText(markdown)
  return text.length <= LIMIT && entities.length <= MOST_ENTITIES && telegramPlain(markdown).length <= LIMIT
}

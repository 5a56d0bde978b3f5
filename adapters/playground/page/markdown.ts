import { el } from './dom.ts'

const FENCE = /^```/
const BULLET = /^\s*[-*•]\s+(.*)$/
const NUMBER = /^\s*(\d{1,3})[.)]\s+(.*)$/
const HEADING = /^#{1,6}\s+(.*)$/
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g

/**
 * The little of Markdown that small models write: paragraphs, lists, code, bold, headings as bold lines. Everything
 * else, links and HTML among it, stays the text that it is.
 */
export function markdown(text: string): Node[] {
  const blocks: Node[] = []
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  let paragraph: string[] = []
  const close = () => {
    if (paragraph.length > 0) blocks.push(el('p', {}, ...joined(paragraph)))
    paragraph = []
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string
    if (FENCE.test(line)) {
      close()
      const end = lines.findIndex((other, index) => index > at && FENCE.test(other))
      const code = lines.slice(at + 1, end < 0 ? undefined : end)
      blocks.push(el('pre', { tabindex: '0' }, el('code', {}, code.join('\n'))))
      at = end < 0 ? lines.length : end + 1
      continue
    }
    const kind = BULLET.test(line) ? BULLET : NUMBER.test(line) ? NUMBER : null
    if (kind !== null) {
      close()
      const items: HTMLElement[] = []
      const start = kind === NUMBER ? (NUMBER.exec(line)?.[1] ?? '1') : undefined
      for (let item = kind.exec(line); item !== null; item = kind.exec(lines[++at] ?? '')) {
        items.push(el('li', {}, ...inline(item.at(-1) ?? '')))
      }
      blocks.push(kind === BULLET ? el('ul', {}, ...items) : el('ol', { start }, ...items))
      continue
    }
    const heading = HEADING.exec(line)?.[1]
    if (heading !== undefined) {
      close()
      blocks.push(el('p', {}, el('strong', {}, ...inline(heading))))
    } else if (line.trim() === '') close()
    else paragraph.push(line)
    at++
  }
  close()
  return blocks
}

function joined(lines: readonly string[]): Node[] {
  return lines.flatMap((line, at) => (at === 0 ? inline(line) : [el('br'), ...inline(line)]))
}

function inline(text: string): Node[] {
  const nodes: Node[] = []
  let done = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > done) nodes.push(document.createTextNode(text.slice(done, match.index)))
    const [whole, code, bold] = match
    nodes.push(code === undefined ? el('strong', {}, bold ?? '') : el('code', {}, code))
    done = match.index + whole.length
  }
  if (done < text.length) nodes.push(document.createTextNode(text.slice(done)))
  return nodes
}

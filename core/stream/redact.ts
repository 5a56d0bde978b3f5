import type { Event } from '../types.ts'
import { PERSONAL } from './personal.ts'
import { type Kind, SECRETS } from './secrets.ts'

const KINDS: readonly Kind[] = [...SECRETS, ...PERSONAL]

/** The event as it may be kept: nothing in it that its person would not want to find in a store. */
export function redactEvent(event: Event): Event {
  const { name } = event.person
  const person = name === undefined ? event.person : { ...event.person, name: redact(name) }
  return 'text' in event ? { ...event, person, text: redact(event.text) } : { ...event, person }
}

/**
 * Masks secrets and personal numbers; everything else stays as it is, byte for byte. Looks at the text as a reader sees
 * it: invisible characters do not hide anything, nor do other shapes of the same letters, nor a break of the line.
 * Nothing in the text can switch it off.
 */
export function redact(text: string): string {
  const plain = view(text)
  const spans = find(plain, KINDS)
  if (BREAK.test(plain.text)) {
    const joined = join(plain)
    for (const span of find(joined, KINDS)) extend(spans, span, text)
  }
  if (spans.length === 0) return text
  spans.sort((a, b) => a.start - b.start)
  let masked = ''
  let done = 0
  for (const { start, end, name } of spans) {
    masked += `${text.slice(done, start)}[${name}]`
    done = end
  }
  return masked + text.slice(done)
}

/** A part of the text, in UTF-16 units of the original. */
interface Span {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A text to look at, and where its UTF-16 units stand in the original. Null: just where they stand here. */
interface View {
  readonly text: string
  readonly starts: readonly number[] | null
  readonly ends: readonly number[] | null
}

/** Default ignorable: zero-width, bidirectional controls, tags, variation selectors, fillers. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u00AD]/u
const ASCII = /^[\t\n\r -~]*$/
/** A line's end, with what stands around it where a token is wrapped, quoted or put together in code. */
const BREAK = /["'`\\]?[ \t]*(?:\+[ \t]*)?\r?\n[ \t>]*["'`]?/

function view(text: string): View {
  if (ASCII.test(text)) return { text, starts: null, ends: null }
  let plain = ''
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const character of text) {
    const end = at + character.length
    if (!INVISIBLE.test(character)) {
      const shown = character.normalize('NFKC')
      plain += shown
      for (let i = 0; i < shown.length; i++) {
        starts.push(at)
        ends.push(end)
      }
    }
    at = end
  }
  return { text: plain, starts, ends }
}

/** The same with its lines run together. */
function join({ text, starts, ends }: View): View {
  let plain = ''
  const from: number[] = []
  const to: number[] = []
  let at = 0
  const take = (end: number) => {
    plain += text.slice(at, end)
    for (let i = at; i < end; i++) {
      from.push(starts?.[i] ?? i)
      to.push(ends?.[i] ?? i + 1)
    }
  }
  for (const match of text.matchAll(new RegExp(BREAK, 'g'))) {
    take(match.index)
    at = match.index + match[0].length
  }
  take(text.length)
  return { text: plain, starts: from, ends: to }
}

/** What is found, each part of the text by the first kind that knows it. */
function find({ text, starts, ends }: View, kinds: readonly Kind[]): Span[] {
  const spans: Span[] = []
  for (const { name, pattern, measure } of kinds) {
    for (const match of text.matchAll(pattern)) {
      const [from, to] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
      const length = measure === undefined ? to - from : measure(text.slice(from, to))
      if (length === 0) continue
      const start = starts?.[from] ?? from
      const end = ends?.[from + length - 1] ?? from + length
      if (!spans.some((span) => span.start < end && start < span.end)) spans.push({ name, start, end })
    }
  }
  return spans
}

/**
 * Adds what runs over the end of a line. Of what began to be found on its line already, the rest is taken only where it
 * looks like more of it and not like the next word.
 */
function extend(spans: Span[], found: Span, text: string): void {
  const met = spans.filter((span) => span.start < found.end && found.start < span.end)
  const [first] = met
  if (first === undefined) {
    if (/\n/.test(text.slice(found.start, found.end))) spans.push(found)
    return
  }
  const rest = text.slice(first.end, found.end).replace(/^[\s>"'`\\+]+/, '')
  const more = first.start === found.start && first.name === found.name && /^\S{6,}$/.test(rest) && /\d/.test(rest)
  if (met.length === 1 && more) spans[spans.indexOf(first)] = found
}

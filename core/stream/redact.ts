import type { Event } from '../types.ts'
import { PERSONAL } from './personal.ts'
import { type Kind, SECRETS } from './secrets.ts'

const KINDS: readonly Kind[] = [...SECRETS, ...PERSONAL]

/** The event as it may be kept: nothing in it that its person would not want to find in a store. */
export function redactEvent(event: Event): Event {
  const { name } = event.person
  const person = name === undefined ? event.person : { ...event.person, name: redact(name) }
  const seen: Event = { ...event, person }
  if (seen.type === 'message' && seen.unread !== undefined) {
    return { ...seen, text: redact(seen.text), unread: seen.unread.map((name) => redact(name)) }
  }
  if ('text' in seen) return { ...seen, text: redact(seen.text) }
  // A platform's own emoji may be called anything.
  return 'emoji' in seen && seen.emoji !== null ? { ...seen, emoji: redact(seen.emoji) } : seen
}

/**
 * Masks secrets and personal numbers; everything else stays as it is, byte for byte. Looks at the text as a reader sees
 * it: invisible characters do not hide anything, nor do other shapes of the same letters, nor a break of the line.
 * Nothing in the text can switch it off.
 */
export function redact(text: string, kinds: readonly Kind[] = KINDS): string {
  const plain = view(text)
  const spans: Span[] = []
  for (const found of find(plain, kinds)) if (!spans.some((span) => overlap(span, found))) spans.push(found)
  const together = joined(plain)
  if (together !== null) for (const found of find(together, kinds)) extend(spans, found, text)
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
const BREAKS = /(?:(?:["'`][ \t]*\+|["'`\\])[ \t]*|(?<![ \t])[ \t]*)\r?\n[ \t>]*["'`]?/g

/** Parts texts that are looked at one below the other: no secret runs over it. */
const BETWEEN = '\n\0\n'

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

/** Its lines, each run together with the next one and with the next two, one below the other; null for a single line. */
function joined({ text, starts, ends }: View): View | null {
  const breaks = [...text.matchAll(BREAKS)]
  if (breaks.length === 0) return null
  const lines = [...breaks, null].map((next, i) => {
    const last = breaks[i - 1]
    return [last === undefined ? 0 : last.index + last[0].length, next?.index ?? text.length] as const
  })
  let plain = ''
  const from: number[] = []
  const to: number[] = []
  const take = ([start, end]: readonly [number, number]) => {
    plain += text.slice(start, end)
    for (let at = start; at < end; at++) {
      from.push(starts?.[at] ?? at)
      to.push(ends?.[at] ?? at + 1)
    }
  }
  for (let first = 0; first < breaks.length; first++) {
    for (const group of [lines.slice(first, first + 2), lines.slice(first, first + 3)]) {
      if (group.some(([start, end]) => start >= end)) continue
      for (const line of group) take(line)
      plain += BETWEEN
      for (const _ of BETWEEN) {
        from.push(group[0]?.[0] ?? 0)
        to.push(group[0]?.[0] ?? 0)
      }
    }
  }
  return { text: plain, starts: from, ends: to }
}

/** Everything that looks like one of the kinds, those that are surest first. */
function* find({ text, starts, ends }: View, kinds: readonly Kind[]): Generator<Span> {
  for (const { name, pattern, measure } of kinds) {
    for (const match of text.matchAll(pattern)) {
      const [from, to] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
      const length = measure === undefined ? to - from : measure(text.slice(from, to))
      if (length === 0) continue
      yield { name, start: starts?.[from] ?? from, end: ends?.[from + length - 1] ?? from + length }
    }
  }
}

/**
 * Adds what runs over the end of a line. Of what began to be found on its line already, the rest is taken only where it
 * looks like more of it and not like the next word.
 */
function extend(spans: Span[], found: Span, text: string): void {
  if (!text.slice(found.start, found.end).includes('\n') || found.name === 'secret: key') return
  const met = spans.filter((span) => overlap(span, found))
  const wider = (span: Span) =>
    span.start >= found.start &&
    span.end <= found.end &&
    (span.name === found.name ? continues(span, found, text) : sureness(span) < sureness(found))
  if (!met.every(wider)) return
  for (const span of met) spans.splice(spans.indexOf(span), 1)
  spans.push(found)
}

function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

function continues(span: Span, found: Span, text: string): boolean {
  const rest = text.slice(span.end, found.end).replace(/^[\s>"'`\\+]+/, '')
  return span.start === found.start && /\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(rest)
}

/** How sure a kind is of what it finds: by a provider's prefix, by check digits, by its looks. */
function sureness({ name }: Span): number {
  if (name === 'iban') return 2
  if (name === 'card') return 1
  return ['secret: key', 'secret: password', 'phone', 'email'].includes(name) ? 0 : 3
}

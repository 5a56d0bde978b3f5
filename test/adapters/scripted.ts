import fc from 'fast-check'
import type { Manner, NativeStream, Part, Verbs } from '../../adapters/adapter.ts'
import { plainText } from '../../adapters/markdown/plain.ts'
import { isSentWith } from '../../adapters/parts.ts'
import { ClawError, RateLimited } from '../../core/errors.ts'
import type { Delivery, ReplyTo } from '../../core/stream/outlet.ts'

/** What happens to one call: nothing wrong; too many (ms); refused; done or not done, and the answer lost. */
export type Outcome = 'ok' | number | 'refused' | 'lost after' | 'lost before'

export const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Outcome>('ok') },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 20_000 }) },
  { weight: 1, arbitrary: fc.constantFrom<Outcome>('refused', 'lost after', 'lost before') },
)

export interface Call {
  readonly verb: string
  readonly text: string
  readonly at: number
  readonly outcome: Outcome
}

export interface Scripted {
  readonly verbs: Verbs
  readonly calls: readonly Call[]
  /** Texts of the messages that are there, by id. */
  readonly messages: ReadonlyMap<string, Part>
  /** What a person sees, message by message. */
  shown(): readonly string[]
  /** A person deletes a message. */
  vanish(message: string): void
}

export interface Abilities {
  /** `fails`: so many times nobody answers. */
  readonly find?: boolean | { fails: number }
  readonly once?: boolean
  readonly stream?: boolean
  readonly preview?: boolean
}

/** A platform in memory whose calls end as a script says, one outcome a call; after the script all goes well. */
export function scripted(script: readonly Outcome[] = [], abilities: Abilities = {}): Scripted {
  const messages = new Map<string, Part>()
  const byKey = new Map<string, string>()
  const calls: Call[] = []
  const left = [...script]
  let number = 0

  async function happen<T>(verb: string, text: string, act: () => T): Promise<T> {
    const outcome = verb === 'typing' ? 'ok' : (left.shift() ?? 'ok')
    calls.push({ verb, text, at: Date.now(), outcome })
    if (typeof outcome === 'number') throw new RateLimited('too many', outcome)
    if (outcome === 'refused') throw new ClawError('PLATFORM_REFUSED', 'refused')
    if (outcome === 'lost before') throw new ClawError('PLATFORM_LOST', 'lost')
    const result = act()
    if (outcome === 'lost after') throw new ClawError('PLATFORM_LOST', 'lost')
    return result
  }

  function put(part: Part): string {
    const known = abilities.once ? byKey.get(part.key) : undefined
    if (known !== undefined && messages.has(known)) return known
    const id = `m${++number}`
    messages.set(id, part)
    byKey.set(part.key, id)
    return id
  }

  function change(id: string, part: Part): void {
    if (!messages.has(id)) throw new ClawError('PLATFORM_REFUSED', 'no such message')
    messages.set(id, part)
  }

  const text = (part: Part) => plainText(part.markdown)
  let failing = typeof abilities.find === 'object' ? abilities.find.fails : 0

  async function find(wanted: string): Promise<string | null> {
    if (failing-- > 0) throw new ClawError('PLATFORM_LOST', 'lost')
    return [...messages].findLast(([, { key }]) => isSentWith(key, wanted))?.[0] ?? null
  }

  const verbs: Verbs = {
    send: (_to, part) => happen('send', text(part), () => put(part)),
    edit: (_to, id, part) => happen('edit', text(part), () => change(id, part)),
    delete: (_to, id) => happen('delete', id, () => void messages.delete(id)),
    react: async () => {},
    typing: () => happen('typing', '', () => {}),
    ...(abilities.once ? { once: true } : {}),
    ...(abilities.find ? { find: (_to, key) => find(key) } : {}),
    ...(abilities.preview ? { preview: (_to, markdown) => happen('preview', plainText(markdown), () => {}) } : {}),
    ...(abilities.stream
      ? {
          stream({ turn, delivery }): NativeStream {
            let message: string | null = null
            return {
              get message() {
                return message
              },
              append: async (markdown) => {
                if (message === null) await delivery.sending(0)
                await happen('append', plainText(markdown), () => {
                  const part = { markdown, key: `${turn}.0` }
                  if (message === null) message = put(part)
                  else change(message, part)
                })
              },
              stop: (whole) =>
                happen('stop', text(whole), () => {
                  message ??= put(whole)
                  change(message, whole)
                  return message
                }),
            }
          },
        }
      : {}),
  }
  return {
    verbs,
    calls,
    messages,
    shown: () => [...messages.values()].map(text),
    vanish: (message) => void messages.delete(message),
  }
}

export const manner: Manner = {
  fits: (markdown) => plainText(markdown).length <= 100,
  progress: () => 'edits',
  editMs: 1_000,
  typingMs: 5_000,
  thumbs: () => true,
}

/** A question, and what is on record of its answer. */
export function question(
  parts: ReplyTo['delivery']['parts'] = [],
): ReplyTo & { readonly record: (string | null | undefined)[] } {
  const record = [...parts]
  const delivery: Delivery = {
    parts,
    async sending(part) {
      record[part] = null
    },
    async sent(part, message) {
      record[part] = message
    },
    async refused(part) {
      if (part === record.length - 1) record.pop()
      else record[part] = undefined
    },
  }
  const about = { platform: 'scripted', workspace: 'w', conversation: 'c', message: 'q', person: 'ann' }
  return { ...about, turn: 'turn-of-16-chars', delivery, record }
}

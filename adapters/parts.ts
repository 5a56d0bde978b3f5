import { hasCode } from '../core/errors.ts'
import type { ReplyTo } from '../core/stream/outlet.ts'
import type { Part, Verbs } from './adapter.ts'
import { limited, sleep } from './limited.ts'
import { parse } from './markdown/parse.ts'

/** A part before it is known how often it was sent. */
export type Content = Omit<Part, 'key'>

/** The messages of one reply. Each is sent at most once, and its sending recorded before and after. */
export interface Parts {
  /** How many there are or may be. */
  readonly count: number
  /** Ids of those that are there for sure, in order. */
  ids(): readonly string[]
  /** Shows a part while it is being written, if it is not shown already. Throws what the platform says. */
  show(index: number, content: Content): Promise<'asked' | 'as it is'>
  /** Shows a part as it stays. Throws PLATFORM_REFUSED where the platform will not have it. */
  settle(index: number, content: Content): Promise<void>
  /** A message that came about otherwise carries the part. */
  adopt(index: number, message: string, content: Content | null): Promise<void>
  /** Nobody knows whether the beginning of a part, sent otherwise, is there. */
  lose(index: number): void
  /** Takes away what is more than so many parts. */
  trim(count: number): Promise<void>
}

interface Slot {
  message: string | null
  /** It was handed over, and nobody knows what came of it. */
  lost: boolean
  /** What it shows, or would show; null where only an earlier run of the program knew. */
  shape: string | null
  /** The words of it alone. */
  words: string | null
  /** How many of its messages have vanished: their keys are used up. */
  generation: number
}

/** How often an edit is repeated whose answer was lost: the same edit twice is one. */
const REPEATS = 3
const PAUSE = 3_000

const wordsOf = ({ markdown }: Content): string => JSON.stringify(parse(markdown))

const shapeOf = ({ markdown, thumbs, stop }: Content): string => JSON.stringify([parse(markdown), thumbs, stop])

/** `closing`: what waits for the platform fails, to be delivered another time. */
export function createParts(verbs: Verbs, to: ReplyTo, closing?: AbortSignal): Parts {
  const patiently = <T>(verb: () => Promise<T>): Promise<T> => limited(verb, undefined, closing)
  const rest = async (): Promise<void> => {
    await sleep(PAUSE, closing)
    closing?.throwIfAborted()
  }
  const slots: Slot[] = to.delivery.parts.map((message) => ({
    message,
    lost: message === null,
    shape: null,
    words: null,
    generation: 0,
  }))

  const slotOf = (index: number): Slot => {
    slots[index] ??= { message: null, lost: false, shape: null, words: null, generation: 0 }
    return slots[index]
  }

  const keyOf = (index: number): string => {
    const { generation } = slotOf(index)
    return generation === 0 ? `${to.turn}.${index}` : `${to.turn}.${index}.${generation}`
  }

  async function adopt(index: number, message: string, content: Content | null): Promise<void> {
    const slot = slotOf(index)
    slot.lost = false
    slot.message = message
    slot.shape = content && shapeOf(content)
    await to.delivery.sent(index, message)
  }

  async function send(index: number, content: Content, ask: <T>(verb: () => Promise<T>) => Promise<T>): Promise<void> {
    const slot = slotOf(index)
    await to.delivery.sending(index)
    const part = { ...content, key: keyOf(index) }
    const answers = index === 0 ? to.message : null
    const most = verbs.once ? REPEATS : 1
    for (let tries = most; ; tries--) {
      try {
        return await adopt(index, await ask(() => verbs.send(to, part, answers)), content)
      } catch (error) {
        const refused = hasCode(error, 'PLATFORM_REFUSED') || hasCode(error, 'PLATFORM_LIMITED')
        // Unless an earlier try was lost, it is not there for sure.
        if (refused && tries === most && !slot.lost) await to.delivery.refused(index)
        if (!hasCode(error, 'PLATFORM_LOST')) throw error
        if (tries === 1) {
          slot.lost = true
          slot.words = wordsOf(content)
          throw error
        }
        await rest()
      }
    }
  }

  /** Looks for a part that may be there, once the platform has had a moment to show it. */
  async function recover(index: number): Promise<'there' | 'not there' | 'nobody knows'> {
    if (verbs.find === undefined) return 'nobody knows'
    await rest()
    try {
      const message = await patiently(async () => (await verbs.find?.(to, keyOf(index))) ?? null)
      if (message === null) return 'not there'
      await adopt(index, message, null)
      return 'there'
    } catch {
      closing?.throwIfAborted()
      return 'nobody knows'
    }
  }

  async function edit(index: number, message: string, content: Content): Promise<void> {
    for (let tries = REPEATS; ; tries--) {
      try {
        return await patiently(() => verbs.edit(to, message, { ...content, key: keyOf(index) }))
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_LOST')) throw error
        if (tries === 1) return
        await rest()
      }
    }
  }

  /** The message is gone, or can no longer be changed: then it must not stay beside the one that takes its place. */
  async function replace(index: number, message: string, content: Content): Promise<void> {
    const slot = slotOf(index)
    await patiently(() => verbs.delete(to, message)).catch(() => closing?.throwIfAborted())
    slot.message = null
    slot.generation += 1
    await final(index, content)
  }

  async function final(index: number, content: Content, again = false): Promise<void> {
    try {
      await send(index, content, patiently)
    } catch (error) {
      // It may be there: sending it again could show it twice, unless the platform knows that it is not, or one from two.
      if (!hasCode(error, 'PLATFORM_LOST')) throw error
      if (verbs.find === undefined) return
      const found = await recover(index)
      if (found === 'there' || again || (found === 'nobody knows' && !verbs.once)) return
      slotOf(index).lost = false
      await final(index, content, true)
    }
  }

  return {
    get count() {
      return slots.length
    },
    ids: () => slots.flatMap(({ message }) => message ?? []),
    adopt,
    lose(index) {
      Object.assign(slotOf(index), { lost: true, words: '' })
    },
    async show(index, content) {
      const slot = slotOf(index)
      if (slot.lost || slot.shape === shapeOf(content)) return 'as it is'
      if (slot.message === null) await send(index, content, (verb) => verb())
      else await verbs.edit(to, slot.message, { ...content, key: keyOf(index) })
      slot.shape = shapeOf(content)
      return 'asked'
    },
    async settle(index, content) {
      const slot = slotOf(index)
      if (slot.lost) {
        const found = await recover(index)
        const whole = slot.words === null || slot.words === wordsOf(content)
        if (found === 'nobody knows' && whole) return
        // What may be there is only a beginning.
        if (found === 'nobody knows') slot.generation += 1
        slot.lost = false
      }
      if (slot.message === null) return final(index, content)
      if (slot.shape === shapeOf(content)) return
      try {
        await edit(index, slot.message, content)
        slot.shape = shapeOf(content)
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
        await replace(index, slot.message, content)
      }
    },
    async trim(count) {
      for (const { message } of slots.splice(count)) {
        if (message !== null) await patiently(() => verbs.delete(to, message)).catch(() => {})
      }
    },
  }
}

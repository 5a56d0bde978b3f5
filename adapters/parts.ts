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

/** How often is tried what may be done twice without harm: an edit, and sending what the platform takes once. */
const REPEATS = 3
/** Before a platform that has failed is asked again; what it keeps failing at waits twice as long each time. [ms] */
const PAUSE = 3_000
const LONGEST = 60_000
/** How long a platform that fails is waited for altogether, in pauses. [ms] */
const PATIENCE = 600_000
/** How long after the first sending a platform that takes a part once knows it. [ms] */
const KNOWN = 60_000

/** Each pause until the platform is asked again, null where that was long enough. [ms] */
function createPauses(): () => number | null {
  let [next, waited] = [PAUSE, 0]
  return () => {
    if (waited >= PATIENCE) return null
    const pause = next
    waited += pause
    next = Math.min(2 * pause, LONGEST)
    return pause
  }
}

const wordsOf = ({ markdown }: Content): string => JSON.stringify(parse(markdown))

const shapeOf = ({ markdown, thumbs, stop }: Content): string => JSON.stringify([parse(markdown), thumbs, stop])

/** `closing`: what waits for the platform fails, to be delivered another time. */
export function createParts(verbs: Verbs, to: ReplyTo, closing?: AbortSignal): Parts {
  const patiently = <T>(verb: () => Promise<T>): Promise<T> => limited(verb, undefined, closing)
  const rest = async (ms = PAUSE): Promise<void> => {
    await sleep(ms, closing)
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
    try {
      await adopt(index, await ask(() => verbs.send(to, part, answers)), content)
    } catch (error) {
      const refused = hasCode(error, 'PLATFORM_REFUSED') || hasCode(error, 'PLATFORM_LIMITED')
      // Unless an earlier try was lost, it is not there for sure.
      if (refused && !slot.lost) await to.delivery.refused(index)
      if (hasCode(error, 'PLATFORM_LOST')) {
        slot.lost = true
        slot.words = wordsOf(content)
      }
      throw error
    }
  }

  async function begin(index: number, content: Content): Promise<void> {
    for (let tries = verbs.once ? REPEATS : 1; ; tries--) {
      try {
        return await send(index, content, (verb) => verb())
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_LOST') || tries === 1) throw error
        await rest()
      }
    }
  }

  /** Looks for a part that may be there, once the platform has had a moment to show it; again while it does not answer. */
  async function recover(index: number, pause = createPauses()): Promise<'there' | 'not there' | 'nobody knows'> {
    const { find, once } = verbs
    if (find === undefined && !once) return 'nobody knows'
    for (let ms = pause(); ms !== null; ms = pause()) {
      await rest(ms)
      try {
        const message = await patiently(async () => find?.(to, keyOf(index)))
        if (message === undefined) break
        if (message === null) return 'not there'
        await adopt(index, message, null)
        return 'there'
      } catch (error) {
        closing?.throwIfAborted()
        if (!hasCode(error, 'PLATFORM_LOST')) break
      }
    }
    return 'nobody knows'
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

  async function final(index: number, content: Content): Promise<void> {
    const slot = slotOf(index)
    const began = Date.now()
    const known = () => (verbs.once ? KNOWN - (Date.now() - began) : 0)
    for (const pause = createPauses(); ; ) {
      try {
        // What may be there already is not sent when the platform has forgotten its key.
        return await send(index, content, slot.lost ? (verb) => limited(verb, known(), closing) : patiently)
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_LOST')) throw error
      }
      const found = await recover(index, pause)
      if (found === 'not there') slot.lost = false
      if (found === 'there' || (slot.lost && known() <= 0)) return
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
      if (slot.message === null) await begin(index, content)
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

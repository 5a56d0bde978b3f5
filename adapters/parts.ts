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
  /** When that was, in this life of the program. [ms since the epoch] */
  since: number | null
  /** What it shows, or would show; null where nobody knows. */
  shape: string | null
  /** The words of it alone, as they were handed over last. */
  words: string | null
  /** How many of its messages have vanished: their keys are used up. */
  generation: number
}

const slotOn = (message: string | null, lost: boolean): Slot => {
  return { message, lost, since: null, shape: null, words: null, generation: 0 }
}

/** How often a beginning is sent where the platform takes it once. */
const REPEATS = 3
/** Before a platform that has failed is asked again; what it keeps failing at waits twice as long each time. [ms] */
const PAUSE = 3_000
const LONGEST = 60_000
/** How long one reply waits altogether for a platform that fails, in pauses. [ms] */
const PATIENCE = 600_000
/** How long after the first sending a platform that takes a part once knows it. [ms] */
const KNOWN = 60_000

/** Each pause until the platform is asked again, null where all of them were long enough. [ms] */
type Pauses = () => number | null

/** What came of looking for a part. */
type Found = 'there' | 'not there' | 'nobody knows'

/** Whether a message that was sent with one key is the part that another stands for, in whatever generation. */
export const isSentWith = (sent: string | undefined, key: string): boolean =>
  sent === key || sent?.startsWith(`${key}.`) === true

const wordsOf = ({ markdown }: Content): string => JSON.stringify(parse(markdown))

const shapeOf = ({ markdown, thumbs, stop }: Content): string => JSON.stringify([parse(markdown), thumbs, stop])

const isPlatforms = (error: unknown): boolean =>
  hasCode(error, 'PLATFORM_LOST') || hasCode(error, 'PLATFORM_LIMITED') || hasCode(error, 'PLATFORM_REFUSED')

/** `closing`: what waits for the platform fails, to be delivered another time. */
export function createParts(verbs: Verbs, to: ReplyTo, closing?: AbortSignal): Parts {
  let patience = PATIENCE
  const slots = Array.from(to.delivery.parts, (message) => slotOn(message ?? null, message === null))

  const slotOf = (index: number): Slot => {
    slots[index] ??= slotOn(null, false)
    return slots[index]
  }

  const keyOf = (index: number): string => {
    const { generation } = slotOf(index)
    return generation === 0 ? `${to.turn}.${index}` : `${to.turn}.${index}.${generation}`
  }

  function createPauses(): Pauses {
    let next = PAUSE
    return () => {
      if (patience <= 0) return null
      const pause = next
      patience -= pause
      next = Math.min(2 * pause, LONGEST)
      return pause
    }
  }

  async function rest(ms = PAUSE): Promise<void> {
    await sleep(ms, closing)
    closing?.throwIfAborted()
  }

  /** How much longer the platform takes a part that may be there for the same when it is sent again. [ms] */
  function known({ since }: Slot): number {
    return verbs.once && since !== null ? KNOWN - (Date.now() - since) : 0
  }

  async function carry(index: number, message: string, shape: string | null): Promise<void> {
    Object.assign(slotOf(index), { message, lost: false, shape })
    await to.delivery.sent(index, message)
  }

  const adopt = (index: number, message: string, content: Content | null): Promise<void> =>
    carry(index, message, content && shapeOf(content))

  async function send(index: number, content: Content, ask: <T>(verb: () => Promise<T>) => Promise<T>): Promise<void> {
    const slot = slotOf(index)
    await to.delivery.sending(index)
    const part = { ...content, key: keyOf(index) }
    const answers = index === 0 ? to.message : null
    const shape = shapeOf(content)
    // A platform that has it already shows what it was given first.
    const first = () => (slot.lost && slot.shape !== shape ? null : shape)
    let message: string
    try {
      message = await ask(() => {
        if (!slot.lost) slot.since = Date.now()
        return verbs.send(to, part, answers)
      })
    } catch (error) {
      const refused = hasCode(error, 'PLATFORM_REFUSED') || hasCode(error, 'PLATFORM_LIMITED')
      // Unless an earlier try was lost, it is not there for sure.
      if (refused && !slot.lost) await to.delivery.refused(index)
      if (hasCode(error, 'PLATFORM_LOST')) Object.assign(slot, { shape: first(), words: wordsOf(content), lost: true })
      throw error
    }
    await carry(index, message, first())
  }

  /** Sends what may still grow: whatever does not help at once is left to the end of the reply. */
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
  async function recover(index: number, pause: Pauses): Promise<Found> {
    const { find, once } = verbs
    if (find === undefined && !once) return 'nobody knows'
    for (let ms = pause(); ms !== null; ms = pause()) {
      await rest(ms)
      let message: string | null | undefined
      try {
        message = await limited(async () => find?.(to, keyOf(index)), undefined, closing)
      } catch (error) {
        closing?.throwIfAborted()
        if (!isPlatforms(error)) throw error
        if (hasCode(error, 'PLATFORM_LOST') && known(slotOf(index)) <= 0) continue
      }
      if (message === undefined) break
      if (message === null) return 'not there'
      const { generation, shape } = slotOf(index)
      // It may be one whose place this one was to take.
      await carry(index, message, generation === 0 ? shape : null)
      return 'there'
    }
    return 'nobody knows'
  }

  /** Sends a part until a message carries it. False where nobody can tell any more whether one does. */
  async function place(index: number, content: Content): Promise<boolean> {
    const slot = slotOf(index)
    for (const pause = createPauses(); ; ) {
      if (slot.lost) {
        const found = await recover(index, pause)
        if (found === 'there') return true
        // What may be there already is not sent when the platform has forgotten its key.
        const over = found === 'nobody knows' && (known(slot) <= 0 || patience <= 0)
        if (over && (slot.words === null || slot.words === wordsOf(content))) return false
        // What may be there is only a beginning.
        if (over) slot.generation += 1
        if (over || found === 'not there') slot.lost = false
      }
      try {
        await send(index, content, (verb) => limited(verb, slot.lost ? known(slot) : undefined, closing))
        return true
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_LOST')) throw error
      }
    }
  }

  /** Does what may be done twice without harm until it is done. */
  async function surely(verb: () => Promise<void>): Promise<void> {
    for (const pause = createPauses(); ; ) {
      try {
        return await limited(verb, undefined, closing)
      } catch (error) {
        const ms = hasCode(error, 'PLATFORM_LOST') ? pause() : null
        if (ms === null) throw error
        await rest(ms)
      }
    }
  }

  const edit = (index: number, message: string, content: Content): Promise<void> =>
    surely(() => verbs.edit(to, message, { ...content, key: keyOf(index) }))

  /** Takes a message away, if it is there and the platform does that. */
  async function remove(message: string): Promise<void> {
    try {
      await surely(() => verbs.delete(to, message))
    } catch (error) {
      closing?.throwIfAborted()
      if (!isPlatforms(error)) throw error
    }
  }

  /** The message is gone, or can no longer be changed: then it must not stay beside the one that takes its place. */
  async function replace(index: number, message: string, content: Content): Promise<void> {
    await remove(message)
    const slot = slotOf(index)
    slot.message = null
    slot.generation += 1
    await place(index, content)
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
      else {
        await verbs.edit(to, slot.message, { ...content, key: keyOf(index) })
        slot.shape = shapeOf(content)
      }
      return 'asked'
    },
    async settle(index, content) {
      const slot = slotOf(index)
      if (slot.message === null && !(await place(index, content))) return
      if (slot.message === null || slot.shape === shapeOf(content)) return
      try {
        await edit(index, slot.message, content)
        slot.shape = shapeOf(content)
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
        await replace(index, slot.message, content)
      }
    },
    async trim(count) {
      for (; slots.length > count; slots.pop()) {
        const last = slots.length - 1
        if (slotOf(last).lost) await recover(last, createPauses())
        const { message } = slotOf(last)
        if (message !== null) await remove(message)
      }
    },
  }
}

import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Manner, NativeStream, Part, Verbs } from '../../adapters/adapter.ts'
import { plainText } from '../../adapters/markdown/plain.ts'
import { split } from '../../adapters/markdown/split.ts'
import { createReplies } from '../../adapters/reply.ts'
import { ClawError, hasCode } from '../../core/errors.ts'
import { type Abilities, manner, outcome, question, type Scripted, scripted } from './scripted.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How one life of the program ends, unless its reply has ended before: killed at a step, or closed after a while. */
type Life = { readonly step: number } | { readonly afterMs: number }

/** What is on its way while the program lives, and where it dies. */
interface Mortal {
  dead: boolean
  /** Steps that are left. */
  steps: number
}

/** The same call, which takes a while to arrive and to be answered: a step each. */
function slowly<Args extends unknown[], T>(verb: (...args: Args) => Promise<T>, mortal: Mortal) {
  const step = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    mortal.dead ||= mortal.steps-- === 0
    if (mortal.dead) await new Promise(() => {})
  }
  return async (...args: Args): Promise<T> => {
    await step()
    const [answer] = await Promise.allSettled([verb(...args)])
    await step()
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  }
}

function slowVerbs(verbs: Verbs, mortal: Mortal): Verbs {
  const { find, preview, stream } = verbs
  function slowStream(native: NativeStream): NativeStream {
    let message: string | null = null
    const told = <Args extends unknown[], T>(verb: (...args: Args) => Promise<T>) => {
      const slow = slowly(verb, mortal)
      return async (...args: Args) => {
        const [heard] = await Promise.allSettled([slow(...args)])
        message = native.message
        if (heard.status === 'rejected') throw heard.reason
        return heard.value
      }
    }
    return {
      get message() {
        return message
      },
      append: told((markdown: string) => native.append(markdown)),
      stop: told((whole: Part) => native.stop(whole)),
    }
  }
  return {
    ...verbs,
    send: slowly(verbs.send, mortal),
    edit: slowly(verbs.edit, mortal),
    delete: slowly(verbs.delete, mortal),
    ...(find ? { find: slowly(find, mortal) } : {}),
    ...(preview ? { preview: slowly(preview, mortal) } : {}),
    ...(stream ? { stream: (to) => slowStream(stream(to)!) } : {}),
  }
}

interface World {
  readonly platform: Scripted
  readonly how: Manner
  /** Whether the store takes what is written into it now. */
  readonly keeps: () => boolean
}

/** One life: what was made of the reply, which is tried once more where it fails; undefined where the program ended before. */
async function live({ platform, how, keeps }: World, text: string, to: ReturnType<typeof question>, life: Life | null) {
  const mortal: Mortal = { dead: false, steps: life !== null && 'step' in life ? life.step : Number.MAX_SAFE_INTEGER }
  const replies = createReplies(slowVerbs(platform.verbs, mortal), how)
  const write = <Args extends unknown[]>(verb: (...args: Args) => Promise<void>) =>
    slowly(async (...args: Args) => {
      if (!keeps()) throw new ClawError('STORE_UNREACHABLE', 'gone')
      await verb(...args)
    }, mortal)
  const { sending, sent, refused } = to.delivery
  const delivery = { sending: write(sending), sent: write(sent), refused: write(refused) }
  let closed = false
  const work = async (): Promise<readonly string[] | Error> => {
    for (let tries = 2; ; tries--) {
      const reply = replies.reply({ ...to, delivery: { ...delivery, parts: [...to.record] } })
      for (const word of text.split(/(?<=\s)/)) {
        reply.write(word)
        await new Promise((resolve) => setTimeout(resolve, 400))
      }
      const ended = await reply.finish(text).catch((error: Error) => error)
      if (!(ended instanceof Error) || tries === 1 || closed) return ended
      // That is no fault of the reply.
      if (hasCode(ended, 'STORE_UNREACHABLE')) tries++
    }
  }
  let ended: readonly string[] | Error | undefined
  void work().then((result) => (ended = result))
  const most = life !== null && 'afterMs' in life ? life.afterMs : 3_000_000
  for (let past = 0; past < most && ended === undefined && !mortal.dead; past += 1_000) {
    await vi.advanceTimersByTimeAsync(Math.min(1_000, most - past))
  }
  const before = ended
  closed = true
  replies.close()
  await vi.advanceTimersByTimeAsync(5_000)
  // Nothing that has ended keeps the program alive.
  if (!mortal.dead) expect(vi.getTimerCount()).toBe(0)
  return before
}

test('whatever goes wrong and wherever the program ends, nothing is there twice; where it can be looked for, all is there', async () => {
  const modes = fc.constantFrom<Abilities>(
    ...[{}, { find: true }, { find: { fails: 3 } }, { once: true }, { once: true, find: true }],
    ...[{ stream: true, find: true }, { preview: true }, { preview: true, find: true }],
  )
  const life = fc.oneof(
    fc.record({ step: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ afterMs: fc.integer({ min: 1, max: 12_000 }) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { maxLength: 8 }),
      modes,
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(life, { maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 16 }), { maxLength: 3 }),
      async (script, abilities, words, lives, lostWrites) => {
        vi.clearAllTimers()
        const platform = scripted(script, abilities)
        const text = words.map((each, at) => `${at}${'abcde'[each]!.repeat(1 + 15 * each)}`).join(' ')
        const how: Manner = abilities.preview ? { ...manner, progress: () => 'preview' } : manner
        let writes = 0
        const keeps = () => !lostWrites.includes(writes++)
        let ended: readonly string[] | Error | undefined
        let record: ReturnType<typeof question>['record'] = []
        for (const one of [...lives, null]) {
          const to = question(record)
          ended ??= await live({ platform, how, keeps }, text, to, one)
          record = to.record
        }
        expect(ended).toBeDefined()
        // What can be neither changed nor taken away stays.
        if (platform.calls.some((call) => call.verb === 'delete' && call.outcome === 'refused')) return
        const parts = split(text, how.fits).map(plainText)
        for (const part of parts) expect(platform.shown().filter((shown) => shown === part).length).toBeLessThan(2)
        if (abilities.find && Array.isArray(ended)) expect([...platform.shown()].sort()).toEqual([...parts].sort())
      },
    ),
    { numRuns: 300, seed: 1 },
  )
})

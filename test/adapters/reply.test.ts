import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Manner } from '../../adapters/adapter.ts'
import { plainText } from '../../adapters/markdown/plain.ts'
import { split } from '../../adapters/markdown/split.ts'
import { createReplies, createReply } from '../../adapters/reply.ts'
import { ClawError } from '../../core/errors.ts'
import { type Abilities, manner, type Outcome, outcome, question, type Scripted, scripted } from './scripted.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const WORDS = ['One ', 'two ', 'three ', 'four ', 'five ', 'six.']
const TEXT = WORDS.join('')

/** Writes word by word, so many milliseconds apart, and finishes; returns what `finish` says. */
async function play(
  platform: Scripted,
  options: { words?: readonly string[]; apart?: number; manner?: Manner; to?: ReturnType<typeof question> } = {},
): Promise<{ ids: readonly string[] | Error; to: ReturnType<typeof question> }> {
  const { words = WORDS, apart = 500, to = question() } = options
  const reply = createReply(platform.verbs, options.manner ?? manner, to)
  for (const word of words) {
    reply.write(word)
    await vi.advanceTimersByTimeAsync(apart)
  }
  const finished = reply.finish(words.join('')).catch((error: Error) => error)
  await vi.advanceTimersByTimeAsync(3_000_000)
  return { ids: await finished, to }
}

const calls = (platform: Scripted, ...verbs: string[]) => platform.calls.filter(({ verb }) => verbs.includes(verb))

describe('edits', () => {
  test('a message after the first words grows at its pace and ends whole, with thumbs and no Stop', async () => {
    const platform = scripted()
    const { ids, to } = await play(platform)
    expect(ids).toEqual(['m1'])
    expect(to.record).toEqual(['m1'])
    expect(platform.shown()).toEqual([TEXT])
    expect([...platform.messages.values()][0]).toMatchObject({ thumbs: true, key: 'turn-of-16-chars.0' })
    const shown = calls(platform, 'send', 'edit')
    expect(shown.length).toBeGreaterThan(2)
    for (const [index, { at }] of shown.slice(1).entries()) expect(at - shown[index]!.at).toBeGreaterThanOrEqual(1_000)
  })

  test('words that come at once are one message', async () => {
    const platform = scripted()
    await play(platform, { apart: 0 })
    expect(calls(platform, 'send', 'edit').map(({ verb }) => verb)).toEqual(['send'])
  })

  test('typing is said until something is shown, and not after that', async () => {
    const platform = scripted()
    const reply = createReply(platform.verbs, manner, question())
    await vi.advanceTimersByTimeAsync(12_000)
    expect(calls(platform, 'typing')).toHaveLength(3)
    reply.write('Words.')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(calls(platform, 'typing').length).toBeLessThanOrEqual(4)
    const before = calls(platform, 'typing').length
    void reply.finish('Words.')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(calls(platform, 'typing')).toHaveLength(before)
  })

  test('a long reply grows over several messages, the thumbs under the last', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `)
    const platform = scripted()
    const { ids } = await play(platform, { words })
    expect(ids).toEqual([...platform.messages.keys()])
    expect(platform.shown().join(' ').trim()).toBe(words.join('').trim())
    const parts = [...platform.messages.values()]
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.map(({ thumbs }) => thumbs === true)).toEqual(parts.map((_, index) => index === parts.length - 1))
    expect(parts.every(({ stop }) => stop === undefined)).toBe(true)
    expect(parts.every(({ key }) => key.length <= 25)).toBe(true)
  })

  /** agno#7360, lettabot#433, anything-llm#5447, chatgpt-telegram#22/#63 */
  test('report 15: a limit on an edit holds all edits until it is over, and the final text arrives', async () => {
    const platform = scripted(['ok', 3_000])
    await play(platform, { apart: 400 })
    const [, limited, after] = calls(platform, 'send', 'edit')
    expect(limited!.outcome).toBe(3_000)
    expect(after!.at - limited!.at).toBeGreaterThanOrEqual(3_000)
    expect(platform.shown()).toEqual([TEXT])
  })

  test('what waits for its platform when the program ends fails at once, and nothing more is sent', async () => {
    const platform = scripted([200_000])
    const replies = createReplies(platform.verbs, manner)
    const finished = replies
      .reply(question())
      .finish(TEXT)
      .catch((error: Error) => error)
    await vi.advanceTimersByTimeAsync(1_000)
    replies.close()
    expect(await finished).toMatchObject({ code: 'PLATFORM_LIMITED' })
    await vi.advanceTimersByTimeAsync(300_000)
    expect(calls(platform, 'send', 'edit').map(({ verb }) => verb)).toEqual(['send'])
  })

  test.each<{ name: string; script: Outcome[]; abilities?: Abilities; shown: string[]; ids: string[] }>([
    { name: 'limits on the last edit', script: ['ok', 'ok', 'ok', 200_000, 200_000], shown: [TEXT], ids: ['m1'] },
    { name: 'the first message refused', script: ['refused'], shown: [TEXT], ids: ['m1'] },
    { name: 'an edit refused', script: ['ok', 'refused'], shown: [TEXT], ids: ['m1'] },
    { name: 'an edit lost', script: ['ok', 'lost before'], shown: [TEXT], ids: ['m1'] },
    {
      name: 'the first message lost and found',
      script: ['lost after'],
      abilities: { find: true },
      shown: [TEXT],
      ids: ['m1'],
    },
    {
      name: 'the first message lost, known by its key',
      script: ['lost after'],
      abilities: { once: true },
      shown: [TEXT],
      ids: ['m1'],
    },
    {
      name: 'the first message not sent, known by its key',
      script: ['lost before'],
      abilities: { once: true },
      shown: [TEXT],
      ids: ['m1'],
    },
    { name: 'only a beginning may be there', script: ['lost after'], shown: ['One', TEXT], ids: ['m2'] },
  ])('$name', async ({ script, abilities, shown, ids }) => {
    const platform = scripted(script, abilities)
    const played = await play(platform)
    expect(platform.shown()).toEqual(shown)
    expect(played.ids).toEqual(ids)
  })

  test.each<{ outcome: Outcome; shown: string[] }>([
    { outcome: 'lost after', shown: [TEXT] },
    { outcome: 'lost before', shown: [] },
  ])('the whole text $outcome is not sent again', async ({ outcome, shown }) => {
    const platform = scripted([outcome])
    const { ids, to } = await play(platform, { apart: 0 })
    expect(platform.shown()).toEqual(shown)
    expect(ids).toEqual([])
    expect(to.record).toEqual([null])
  })

  describe('a platform that fails for minutes', () => {
    test.each<{ script: Outcome[]; abilities: Abilities }>([
      { script: Array(8).fill('lost before'), abilities: { find: true } },
      { script: ['lost before', 'lost before'], abilities: { find: { fails: 5 } } },
      { script: ['lost after'], abilities: { find: { fails: 8 } } },
      { script: ['lost before', 1_000, 'lost before', 'lost after'], abilities: { find: { fails: 2 } } },
      { script: ['lost before', 'lost before', 'lost before', 'lost after'], abilities: { once: true } },
    ])('has the reply once when it is over: $script, $abilities', async ({ script, abilities }) => {
      const platform = scripted(script, abilities)
      const { ids, to } = await play(platform, { apart: 0 })
      expect(platform.shown()).toEqual([TEXT])
      expect(ids).toEqual(['m1'])
      expect(to.record).toEqual(['m1'])
    })

    test.each<{ name: string; script: Outcome[]; abilities: Abilities; apart: number }>([
      { name: 'at edits', script: ['ok', ...Array<Outcome>(12).fill('lost before')], abilities: {}, apart: 500 },
      {
        name: 'at a deletion',
        script: ['ok', 'refused', 'lost before', 'lost before'],
        abilities: {},
        apart: 100,
      },
      { name: 'after a limit', script: [90_000, 'lost before', 'lost after'], abilities: { once: true }, apart: 0 },
      {
        name: 'from the first words',
        script: [...Array<Outcome>(4).fill('lost before'), 'lost after'],
        abilities: { once: true },
        apart: 50,
      },
    ])('shows the whole reply and nothing beside it, when it fails $name', async ({ script, abilities, apart }) => {
      const platform = scripted(script, abilities)
      const { ids, to } = await play(platform, { apart })
      expect(platform.shown()).toEqual([TEXT])
      expect(ids).toEqual([...platform.messages.keys()])
      expect(to.record).toEqual(ids)
    })

    test('is waited for as long by a reply of many parts as by one of one', async () => {
      const words = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(60)} `)
      const platform = scripted(Array(200).fill('lost before'), { find: true })
      await play(platform, { words, apart: 0 })
      expect(platform.calls.at(-1)!.at - platform.calls[0]!.at).toBeLessThan(700_000)
    })

    test('is told of an edit that it never took, so that it is tried again', async () => {
      const platform = scripted(['ok', ...Array<Outcome>(200).fill('lost before')])
      expect((await play(platform)).ids).toMatchObject({ code: 'PLATFORM_LOST' })
    })

    test('is not given a second message because the first could not be recorded', async () => {
      const platform = scripted(['lost after'], { find: true })
      const to = question()
      const unreachable = new ClawError('STORE_UNREACHABLE', 'gone')
      const { ids } = await play(platform, {
        apart: 0,
        to: { ...to, delivery: { ...to.delivery, sent: () => Promise.reject(unreachable) } },
      })
      expect(ids).toBe(unreachable)
      expect(platform.shown()).toEqual([TEXT])
    })

    test('is not told again what it may have forgotten that it knows', async () => {
      const platform = scripted(['lost after', 120_000], { once: true })
      const { ids, to } = await play(platform, { apart: 0 })
      expect(platform.shown()).toEqual([TEXT])
      expect(ids).toMatchObject({ code: 'PLATFORM_LIMITED' })
      expect(to.record).toEqual([null])
    })

    test('is given up in the end', async () => {
      const platform = scripted(Array(200).fill('lost before'), { find: true })
      const { ids, to } = await play(platform, { apart: 0 })
      expect(ids).toEqual([])
      expect(to.record).toEqual([null])
      expect(calls(platform, 'send').length).toBeLessThan(20)
    })
  })

  test('a message that a person has deleted meanwhile is sent anew', async () => {
    const platform = scripted()
    const reply = createReply(platform.verbs, manner, question())
    reply.write('One two')
    await vi.advanceTimersByTimeAsync(400)
    platform.vanish('m1')
    const finished = reply.finish(TEXT)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await finished).toEqual(['m2'])
    expect(platform.shown()).toEqual([TEXT])
    expect([...platform.messages.values()][0]!.key).toBe('turn-of-16-chars.0.1')
  })

  test('what the platform refuses altogether is said', async () => {
    const { ids, to } = await play(scripted(['refused', 'refused']))
    expect(ids).toMatchObject({ code: 'PLATFORM_REFUSED' })
    // It is not there for sure, so that it may be tried again.
    expect(to.record).toEqual([])
  })

  test('a failed reply turns what stands into the notice', async () => {
    const platform = scripted()
    const reply = createReply(platform.verbs, manner, question())
    reply.write('One two')
    await vi.advanceTimersByTimeAsync(400)
    const failed = reply.fail('Sorry.')
    await vi.advanceTimersByTimeAsync(10_000)
    await failed
    expect(platform.shown()).toEqual(['Sorry.'])
    expect([...platform.messages.values()][0]).not.toHaveProperty('thumbs')
  })
})

test.each<{ outcome: Outcome }>([{ outcome: 'ok' }, { outcome: 'lost after' }, { outcome: 'lost before' }])(
  'nothing stays beside a notice, also where the second message was $outcome',
  async ({ outcome: second }) => {
    const platform = scripted(['ok', 'ok', second], { find: true })
    const reply = createReply(platform.verbs, manner, question())
    for (const words of [`${'a'.repeat(90)} `, 'b'.repeat(40), 'c'.repeat(40)]) {
      reply.write(words)
      await vi.advanceTimersByTimeAsync(1_400)
    }
    expect(calls(platform, 'send')).toHaveLength(2)
    const failed = reply.fail('Sorry.')
    await vi.advanceTimersByTimeAsync(10_000)
    await failed
    expect(platform.shown()).toEqual(['Sorry.'])
  },
)

describe('after a restart', () => {
  const long = `${'a'.repeat(90)}\n\n${'b'.repeat(90)}`

  test('parts on record are edited, and the missing one is sent', async () => {
    const platform = scripted()
    await play(platform, { apart: 0, words: ['half'] })
    const { ids } = await play(platform, { apart: 0, words: [long], to: question(['m1']) })
    expect(ids).toEqual(['m1', 'm2'])
    expect(platform.shown()).toEqual(['a'.repeat(90), 'b'.repeat(90)])
  })

  test.each([
    { abilities: { find: true }, ids: ['m1', 'm2'] },
    { abilities: {}, ids: ['m2'] },
    { abilities: { once: true }, ids: ['m2'] },
  ])('a part of which nobody knows is looked for and never sent again: $abilities', async ({ abilities, ids }) => {
    const platform = scripted(['lost after'], { find: true })
    await play(platform, { apart: 0, words: ['a'.repeat(90)] })
    const { find: _find, ...verbs } = platform.verbs
    const same: Scripted = 'find' in abilities ? platform : { ...platform, verbs }
    const played = await play(same, { apart: 0, words: [long], to: question([null]) })
    expect(played.ids).toEqual(ids)
    expect(platform.shown()).toEqual(['a'.repeat(90), 'b'.repeat(90)])
  })
})

test('a part that was refused is sent after a restart, also where a later one is there', async () => {
  const long = `${'a'.repeat(90)}\n\n${'b'.repeat(90)}`
  const platform = scripted(['ok', 'ok', 'refused', 'ok', 'refused'])
  await play(platform, { apart: 0, words: [long] })
  const { ids, to } = await play(platform, { apart: 0, words: [long], to: question(['m1', 'm2']) })
  expect(ids).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(to.record).toEqual([undefined, 'm2'])
  const again = await play(platform, { apart: 0, words: [long], to: question(to.record) })
  expect(again.ids).toEqual(['m3', 'm2'])
})

test('a part that is surely not there after a restart is sent', async () => {
  const platform = scripted([], { find: true })
  const { ids, to } = await play(platform, { apart: 0, to: question([null]) })
  expect(ids).toEqual(['m1'])
  expect(platform.shown()).toEqual([TEXT])
  expect(to.record).toEqual(['m1'])
})

test('a part whose answer was lost is looked for at the next start, when the program ends before', async () => {
  const platform = scripted(['lost before'], { find: true })
  const replies = createReplies(platform.verbs, manner)
  const to = question()
  const finished = replies
    .reply(to)
    .finish(TEXT)
    .catch((error: Error) => error)
  await vi.advanceTimersByTimeAsync(1_000)
  replies.close()
  expect(await finished).toBeInstanceOf(Error)
  expect(to.record).toEqual([null])
  await play(platform, { apart: 0, to: question(to.record) })
  expect(platform.shown()).toEqual([TEXT])
})

describe('previews', () => {
  const previews: Manner = { ...manner, progress: () => 'preview' }

  test('are shown at their pace, and the message is sent once at the end', async () => {
    const platform = scripted([], { preview: true })
    await play(platform, { manner: previews })
    expect(calls(platform, 'preview').length).toBeGreaterThan(1)
    expect(calls(platform, 'send', 'edit').map(({ verb }) => verb)).toEqual(['send'])
    expect(platform.shown()).toEqual([TEXT])
  })

  test('that are lost or refused change nothing', async () => {
    for (const outcome of ['refused', 'lost before', 5_000] as const) {
      const platform = scripted([outcome], { preview: true })
      await play(platform, { manner: previews })
      expect(platform.shown()).toEqual([TEXT])
    }
  })
})

describe("the platform's own stream", () => {
  test('shows the beginning and ends with the whole, thumbs under it', async () => {
    const platform = scripted([], { stream: true })
    const { ids, to } = await play(platform)
    expect(ids).toEqual(['m1'])
    expect(to.record).toEqual(['m1'])
    expect(platform.shown()).toEqual([TEXT])
    expect([...platform.messages.values()][0]).toMatchObject({ thumbs: true })
    expect(calls(platform, 'send', 'edit')).toEqual([])
  })

  /** openclaw#21213, #20337, #54469, #70295, #41525 */
  test.each<{ name: string; script: Outcome[]; apart?: number; verbs: string[] }>([
    { name: 'was never started, so it is not stopped', script: [], apart: 0, verbs: ['send'] },
    { name: 'is refused at once: one message instead', script: ['refused'], verbs: ['append', 'send', 'edit', 'edit'] },
    {
      name: 'is refused later: what was begun is edited',
      script: ['ok', 'refused'],
      verbs: ['append', 'append', 'edit', 'edit'],
    },
    {
      name: 'cannot be ended: what was begun is edited',
      script: ['ok', 'ok', 'ok', 'refused'],
      verbs: ['append', 'append', 'append', 'stop', 'edit'],
    },
    { name: 'is limited on its way', script: ['ok', 4_000], verbs: ['append', 'append', 'stop'] },
    {
      name: 'whose end is lost is edited, not sent',
      script: ['ok', 'ok', 'ok', 'lost after'],
      verbs: ['append', 'append', 'append', 'stop', 'edit'],
    },
    { name: 'is lost on its way', script: ['ok', 'lost after'], verbs: ['append', 'append', 'stop'] },
  ])('report 16: a stream that $name', async ({ script, apart, verbs }) => {
    const platform = scripted(script, { stream: true })
    await play(platform, apart === undefined ? {} : { apart })
    expect(platform.shown()).toEqual([TEXT])
    expect(platform.calls.map(({ verb }) => verb).filter((verb) => verb !== 'typing')).toEqual(verbs)
  })
})

describe('a Stop', () => {
  test('reaches the reply that is being written, and nothing after it', async () => {
    const platform = scripted()
    const replies = createReplies(platform.verbs, manner)
    const stream = replies.reply(question())
    expect(replies.stop(({ conversation }) => conversation === 'other')).toBe(false)
    expect(replies.stop(({ conversation }) => conversation === 'c')).toBe(true)
    expect(stream.stopped?.aborted).toBe(true)
    const finished = stream.finish('Half')
    await vi.advanceTimersByTimeAsync(5_000)
    await finished
    expect(replies.stop(() => true)).toBe(false)
  })

  test('nothing more comes of replies that were left', async () => {
    const platform = scripted()
    const replies = createReplies(platform.verbs, manner)
    replies.reply(question()).write('One two')
    replies.close()
    replies.reply(question()).write('Three')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls(platform, 'send')).toEqual([])
    expect(calls(platform, 'typing').length).toBe(2)
  })

  test('reaches a reply that is made anew, also when the attempt before ends after that', async () => {
    const platform = scripted()
    const replies = createReplies(platform.verbs, manner)
    const first = replies.reply(question())
    const second = replies.reply(question())
    const ended = first.fail('Sorry.')
    await vi.advanceTimersByTimeAsync(5_000)
    await ended
    expect(replies.stop(() => true)).toBe(true)
    expect(second.stopped?.aborted).toBe(true)
    replies.close()
  })
})

test('whatever goes wrong, the text is there once, or at most once where an answer was lost; edits keep their distance', async () => {
  const modes = fc.constantFrom<Abilities>(
    ...[{}, { find: true }, { find: { fails: 3 } }, { once: true }, { stream: true }, { preview: true }],
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { maxLength: 8 }),
      modes,
      fc.array(
        fc.tuple(
          fc.constantFrom('ab ', 'cd. ', 'efg\n\n', `${'h'.repeat(60)} `, `${'i'.repeat(70)} `),
          fc.integer({ max: 1_500, min: 0 }),
        ),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      async (script, abilities, writing) => {
        const platform = scripted(script, abilities)
        const text = writing.map(([words]) => words).join('')
        const how: Manner = abilities.preview ? { ...manner, progress: () => 'preview' } : manner
        const reply = createReply(platform.verbs, how, question())
        for (const [words, apart] of writing) {
          reply.write(words)
          await vi.advanceTimersByTimeAsync(apart)
        }
        const finished = reply.finish(text).catch((error: unknown) => error)
        await vi.advanceTimersByTimeAsync(3_000_000)
        const ids = await finished
        const letters = (words: string) => words.replace(/\s/g, '')
        const lost = script.some((each) => each === 'lost after' || each === 'lost before')
        const seen = letters(platform.shown().join(''))
        if (!lost && Array.isArray(ids)) expect(seen).toBe(letters(text))
        // Where there may be a beginning that nobody can take away, the whole is still there once at the most.
        const wholes = platform.shown().filter((shown) => letters(shown) === letters(text))
        expect(wholes.length).toBeLessThanOrEqual(1)
        for (const part of split(text, how.fits)) {
          const same = platform.shown().filter((shown) => shown === plainText(part)).length
          const wanted = split(text, how.fits).filter((other) => plainText(other) === plainText(part)).length
          expect(same).toBeLessThanOrEqual(wanted)
        }
        for (const verb of ['edit', 'preview', 'append']) {
          const made = calls(platform, verb)
          for (const [index, call] of made.slice(1).entries()) {
            const before = made[index]!
            const least = typeof before.outcome === 'number' ? before.outcome : how.editMs
            expect(call.at - before.at).toBeGreaterThanOrEqual(least)
          }
        }
      },
    ),
    { numRuns: 300, seed: 1 },
  )
})

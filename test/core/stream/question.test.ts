import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Question } from '../../../core/stream/outlet.ts'
import { asks, type Displeasure } from '../../../core/stream/question.ts'
import { home, type Loop, startLoop } from '../loop.ts'

const DAY = 24 * 3_600_000
const bob = { id: 'bob', kind: 'human' } as const

test.each<[string, Partial<Displeasure>, boolean]>([
  ['is asked for', {}, true],
  ['of praise is not', { score: 1 }, false],
  ['of neither is not', { score: 0 }, false],
  ['that was taken back is not', { score: null }, false],
  ['with words is not', { words: true }, false],
  ['that nothing would come of is not', { useful: false }, false],
  ['of someone who opted out is not', { optedOut: true }, false],
  ['within a day of the last is not', { askedAt: 9 * DAY + 1 }, false],
  ['a day after the last is', { askedAt: 9 * DAY }, true],
])('a thumb %s', (_name, given, asked) => {
  const plain: Displeasure = { score: -1, words: false, useful: true, optedOut: false, askedAt: 0 }
  expect(asks({ ...plain, ...given }, 10 * DAY)).toBe(asked)
})

let loop: Loop
let questions: Question[]

async function open(notes = true): Promise<void> {
  loop = await startLoop({ notes })
  questions = []
  loop.platform.ask = async (_to, question) => void questions.push(question)
}

beforeEach(() => open())

afterEach(() => loop.close())

describe('what should it have been?', () => {
  test('is asked once, also after a restart, and not when the thumb comes again', async () => {
    const message = await loop.ask('hello')
    const thumb = await loop.send('reaction', { message, emoji: '👎' })
    await loop.runtime.idle()
    expect(questions).toEqual([{ person: 'ann', message, text: 'What should it have been?' }])
    await loop.runtime.deliver(thumb)
    await loop.restart()
    await loop.runtime.deliver(thumb)
    await loop.send('button', { message, value: 'down' })
    await loop.send('button', { message: await loop.ask('again'), value: 'down' })
    await loop.runtime.idle()
    expect(questions).toHaveLength(1)
  })

  test('is asked whoever pressed, each of them for themselves, and again the next day', async () => {
    const message = await loop.ask('hello')
    await loop.send('button', { message, value: 'down', person: bob })
    await loop.send('button', { message, value: 'down' })
    await loop.runtime.idle()
    expect(questions.map(({ person }) => person)).toEqual(['bob', 'ann'])
    await loop.play({
      ...{ ...home, id: 'late', at: loop.now() + DAY, person: bob },
      ...{ type: 'reaction', message: await loop.ask('again'), emoji: '👎' },
    })
    expect(questions).toHaveLength(3)
  })

  test('is not asked of who has said it, who praised, and who took it back before', async () => {
    const message = await loop.ask('hello')
    await loop.ask('shorter please')
    await loop.send('reaction', { message, emoji: '👎' })
    const next = await loop.ask('next')
    await loop.send('reaction', { message: next, emoji: '👍' })
    await loop.send('reaction_removed', { message: next, emoji: '👎' })
    const late = loop.now() + 5
    await loop.send('reaction_removed', { message: next, emoji: '👎', at: late + 100, person: bob })
    await loop.send('reaction', { message: next, emoji: '👎', at: late, person: bob })
    await loop.runtime.idle()
    expect(questions).toEqual([])
  })

  test('is not asked where nothing would come of it', async () => {
    await loop.close()
    await open(false)
    const message = await loop.ask('hello')
    await loop.store.db.updateTable('workspaces').set({ learning: 0 }).execute()
    await loop.send('reaction', { message, emoji: '👎' })
    await loop.runtime.idle()
    expect(questions).toEqual([])
  })

  test('that fails to be asked harms nothing', async () => {
    loop.platform.ask = () => Promise.reject(new Error('away'))
    await loop.send('reaction', { message: await loop.ask('hello'), emoji: '👎' })
    await loop.runtime.idle()
    expect(loop.faults).toHaveLength(1)
    expect(await loop.store.batch(home, 9)).toMatchObject([{ reward: -1 }])
  })
})

describe('a correction', () => {
  test('is words about its reply: a verdict, a note, a lesson, and no reply', async () => {
    const message = await loop.ask('How do I make tea?')
    const correction = await loop.send('correction', { message, text: 'shorter please', conversation: 'elsewhere' })
    await loop.runtime.deliver(correction)
    await loop.runtime.idle()
    expect(loop.platform.replies.size).toBe(1)
    expect(loop.platform.notices).toEqual(['learned: Answer in one short sentence of at most 20 words.'])
    expect(await loop.store.batch(home, 9)).toMatchObject([{ reward: -1, people: ['ann'] }])
    expect(await loop.store.workspaceNotes(home)).toMatchObject([{ person: 'ann', wish: 'short' }])
    const signals = await loop.store.db.selectFrom('signals').select(['type', 'content']).execute()
    expect(signals).toEqual([{ type: 'message', content: 'shorter please' }])
  })

  test('with no known reply says nothing', async () => {
    const { message } = await loop.say({ text: 'hello' })
    await loop.send('correction', { message, text: 'shorter please' })
    await loop.runtime.idle()
    expect(await loop.store.db.selectFrom('signals').selectAll().execute()).toEqual([])
  })
})

describe('reactions that are cleared', () => {
  const mod = { id: 'mod', kind: 'bot' } as const

  test('count no more, all or those with one emoji, whoever cleared them', async () => {
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.send('reaction', { message, emoji: '👎', person: bob })
    await loop.send('reactions_cleared', { message, emoji: '👎', person: mod })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toMatchObject([{ reward: 1 }])
    await loop.send('reactions_cleared', { message, emoji: null, person: mod })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toEqual([])
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toMatchObject([{ reward: 1 }])
  })

  test('before they arrive never count', async () => {
    const message = await loop.ask('hello')
    const at = loop.now()
    await loop.send('reactions_cleared', { message, emoji: null, at: at + 2_000, person: mod })
    await loop.send('reaction', { message, emoji: '👍', at: at + 1_000 })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../config/config.ts'
import { HINTS } from '../../../config/hints.ts'
import { judge } from '../../../core/judge/judge.ts'
import type { Judgement, LlmJudge } from '../../../core/judge/llm.ts'
import { ATTEMPTS, type JudgePart, startJudge } from '../../../core/judge/worker.ts'
import { judgingOf } from '../../../core/store/judging.ts'
import { findTurn } from '../../../core/store/turns.ts'
import { newestVerdict } from '../../../core/store/verdicts.ts'
import type { Score } from '../../../core/types.ts'
import { type Loop, startLoop } from '../loop.ts'
import { prompter } from '../parrot.ts'

let loop: Loop
let part: JudgePart | null
/** What the language model is asked, in order. */
let asked: string[]
let answer: (words: string) => Promise<Judgement> | Judgement
let wait: number
let admitting: () => void
let faults: unknown[]

const verdict = (score: Score, hint: keyof typeof HINTS | null = null): Judgement => ({
  verdict: {
    score,
    weight: 1,
    hint: hint === null ? null : { text: HINTS[hint].hint, wish: hint },
    basis: 'llm:3/3',
    judge: 'llm-1 parrot',
    votes: [score, score, score],
    latencyMs: 7,
  },
})

const llm: LlmJudge = {
  admit() {
    admitting()
    return wait
  },
  async judge(_evidence, said, signal) {
    const words = said.map(({ text }) => text).join(' ')
    asked.push(words.replace('\n', ' '))
    let stop = () => {}
    const stopped = new Promise<Judgement>((resolve) => {
      stop = () => resolve({ failure: 'unreachable' })
    })
    signal.addEventListener('abort', stop)
    return Promise.race([answer(words), stopped]).finally(() => signal.removeEventListener('abort', stop))
  },
}

function work(concurrency = 2): JudgePart {
  return startJudge({
    db: loop.store.db,
    prompter,
    judge,
    reactions: {},
    learning: loadConfig({}, {}).learning,
    llm,
    concurrency,
    leaseMs: 60_000,
    onLesson: loop.runtime.judged,
    report: (fault) => faults.push(fault),
    now: loop.now,
  })
}

beforeEach(async () => {
  part = null
  asked = []
  faults = []
  wait = 0
  admitting = () => {}
  answer = () => verdict(-1, 'short')
  loop = await startLoop({ onOpen: () => part?.wake() })
})

afterEach(async () => {
  await part?.close()
  await loop.close()
})

/** Something that rules cannot read. */
const OPEN = 'hmm, the bridge of San Pablo I know by heart'

/** Asks, and says something about the reply; returns the turn. */
async function leaveOpen(words = OPEN, question = 'What is there to see?'): Promise<string> {
  const reply = await loop.ask(question)
  await loop.ask(words)
  return reply.split('/')[0]!
}

/** Resolves when nothing is left to judge now. */
async function settle(): Promise<void> {
  part?.wake()
  await part?.idle()
}

test('what the rules leave open is judged, noted, told and sampled', async () => {
  part = work()
  const turn = await leaveOpen()
  await settle()
  expect(asked).toEqual([OPEN])
  expect(await newestVerdict(loop.store.db, turn)).toMatchObject({
    score: -1,
    basis: 'llm:3/3',
    judge: 'llm-1 parrot',
    votes: [-1, -1, -1],
    latencyMs: 7,
  })
  expect(loop.platform.notices).toEqual([`learned: ${HINTS.short.hint}`])
  expect((await findTurn(loop.store.db, turn))?.turn.state).toBe('sampled')
  expect(await judgingOf(loop.store.db, turn)).toBeUndefined()
})

test('what the rules decide is not asked about', async () => {
  part = work()
  for (const words of ['thanks, perfect!', 'way too long!', '👍', 'good bot', 'wrong chat, ignore that']) {
    await loop.ask('What is there to see?')
    await loop.ask(words)
  }
  await settle()
  expect(asked).not.toContain('thanks, perfect!')
  expect(asked.filter((words) => words !== 'What is there to see?')).toEqual([])
})

test('where learning is off, nobody’s words are shown to a language model', async () => {
  await loop.send('command', { text: 'learn off' })
  await loop.runtime.idle()
  part = work()
  const turn = await leaveOpen()
  await settle()
  expect(asked).toEqual([])
  expect((await newestVerdict(loop.store.db, turn))?.basis).toBe('abstain')
})

test('serving never waits for the judge', async () => {
  answer = () => new Promise(() => {})
  part = work()
  await leaveOpen()
  await loop.ask('And what else?')
  expect(loop.platform.replies.size).toBe(3)
})

describe('failed is not neutral', () => {
  test('a turn waits for its time, and is given up after several attempts; why says so', async () => {
    answer = () => ({ failure: 'timeout' })
    part = work()
    const turn = await leaveOpen()
    await settle()
    expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: 1, failure: 'timeout' })
    expect((await findTurn(loop.store.db, turn))?.turn.state).toBe('closed')
    for (let i = 0; i < 2_000; i++) {
      loop.wait()
      if (i % 20 === 0) await settle()
    }
    expect(asked).toHaveLength(ATTEMPTS)
    expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: ATTEMPTS, due_at: null })
    expect(await newestVerdict(loop.store.db, turn)).toBeUndefined()
    expect(faults.map(String)).toContain('ClawError: The judge failed: timeout')
    await loop.send('command', { text: 'why' })
    await loop.runtime.idle()
    expect(loop.platform.notices.at(-1)).toContain(`none: the judge failed ${ATTEMPTS} times (timeout)`)
  })

  test('being busy is no attempt', async () => {
    answer = () => ({ failure: 'busy' })
    part = work()
    const turn = await leaveOpen()
    for (let i = 0; i < 10; i++) {
      loop.wait()
      await settle()
    }
    expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: 0, failure: 'busy' })
    answer = () => verdict(1)
    loop.wait()
    await settle()
    expect((await newestVerdict(loop.store.db, turn))?.score).toBe(1)
  })

  test('a judge that may not be asked takes nothing up', async () => {
    wait = 1_000_000
    part = work()
    const turn = await leaveOpen()
    await settle()
    expect(asked).toEqual([])
    expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: 0 })
    wait = 0
    await settle()
    expect(asked).toHaveLength(1)
  })
})

test('a late verdict on evidence that has changed is dropped, and asked again', async () => {
  let release = (_: Judgement) => {}
  answer = () => new Promise<Judgement>((resolve) => (release = resolve))
  part = work(1)
  const turn = await leaveOpen()
  await expect.poll(() => asked.length).toBe(1)
  await loop.say({ text: 'and the castle too', replyTo: `${turn}/0` })
  await loop.runtime.idle()
  const first = release
  answer = () => verdict(1)
  first(verdict(-1, 'short'))
  await settle()
  expect(asked.slice(0, 2)).toEqual([OPEN, `${OPEN} and the castle too`])
  expect(await newestVerdict(loop.store.db, turn)).toMatchObject({ score: 1 })
  expect(loop.platform.notices).toEqual([])
})

test('a thumb while the judge thinks decides, and the late verdict is dropped', async () => {
  let release = (_: Judgement) => {}
  answer = () => new Promise<Judgement>((resolve) => (release = resolve))
  part = work()
  const turn = await leaveOpen()
  await expect.poll(() => asked.length).toBe(1)
  await loop.send('reaction', { message: `${turn}/0`, emoji: '👍' })
  await loop.runtime.idle()
  release(verdict(-1))
  await settle()
  expect(await newestVerdict(loop.store.db, turn)).toMatchObject({ score: 1, basis: 'reaction:👍' })
  expect(await judgingOf(loop.store.db, turn)).toBeUndefined()
})

test('what is left open at the end is taken up at the next start', async () => {
  answer = () => new Promise(() => {})
  part = work()
  const turn = await leaveOpen()
  await expect.poll(() => asked.length).toBe(1)
  await part.close()
  expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: 0 })
  await loop.restart()
  answer = () => verdict(1)
  part = work()
  await settle()
  expect((await newestVerdict(loop.store.db, turn))?.score).toBe(1)
})

test('a judge that is closed while it takes a turn puts it back and asks nothing', async () => {
  const closing: (Promise<void> | undefined)[] = []
  admitting = () => void closing.push(part?.close())
  answer = () => new Promise(() => {})
  part = work()
  const turn = await leaveOpen()
  await expect.poll(() => closing.length).toBe(1)
  await closing[0]
  expect(asked).toEqual([])
  expect(await judgingOf(loop.store.db, turn)).toMatchObject({ attempts: 0, due_at: loop.now() })
})

test('a judge that died leaves its turn to another', async () => {
  answer = () => new Promise(() => {})
  const dead = work()
  const turn = await leaveOpen()
  dead.wake()
  await expect.poll(() => asked.length).toBe(1)
  answer = () => verdict(1)
  part = work()
  await settle()
  expect(await newestVerdict(loop.store.db, turn)).toBeUndefined()
  for (let i = 0; i < 7; i++) loop.wait()
  await settle()
  expect((await newestVerdict(loop.store.db, turn))?.score).toBe(1)
  await dead.close()
})

test('several judges on one store ask about each turn once, and no more at a time than they may', async () => {
  let now = 0
  let most = 0
  answer = async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 5))
    now--
    return verdict(0)
  }
  for (let i = 0; i < 8; i++) await leaveOpen(`${OPEN}, ${'i'.repeat(i + 1)}`, `What is there to see ${i}?`)
  const others = [work(2), work(1)]
  await Promise.all(others.map((other) => other.idle()))
  expect(new Set(asked).size).toBe(asked.length)
  expect(most).toBeLessThanOrEqual(3)
  for (const other of others) await other.close()
})

test('without a language model, what waited for one is neutral', async () => {
  const turn = await leaveOpen()
  expect(await judgingOf(loop.store.db, turn)).toBeDefined()
  await loop.close()
  loop = await startLoop()
  const alone = await leaveOpen()
  expect((await newestVerdict(loop.store.db, alone))?.basis).toBe('abstain')
})

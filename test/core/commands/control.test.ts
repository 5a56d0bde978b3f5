import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ClawError } from '../../../core/errors.ts'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

const people = {
  ann: { id: 'ann', name: 'Ann', kind: 'human' },
  bob: { id: 'bob', name: 'Bob', kind: 'human' },
  cem: { id: 'cem', name: 'Cem', kind: 'human' },
} as const
type Name = keyof typeof people

async function command(text: string, name: Name = 'ann'): Promise<string> {
  await loop.send('command', { text: `/claw ${text}`, person: people[name], conversation: name })
  await loop.runtime.idle()
  return loop.platform.notices.at(-1) ?? ''
}

/** A question and what they thought of the answer, in a conversation of their own. */
async function corrected(name: Name, wish: string, question = 'What is tea?'): Promise<void> {
  await loop.ask(question, { person: people[name], conversation: name })
  await loop.ask(wish, { person: people[name], conversation: name })
}

const prompt = async (name: Name, text = 'And now?') => {
  await loop.ask(text, { person: people[name], conversation: `${name}-new` })
  return loop.engine.prompts.at(-1)!
}

describe('whose weights', () => {
  test('in the scope of a person, only their own feedback changes what answers them', async () => {
    expect(await command('scope person')).toMatch('weights of their own')
    await corrected('ann', 'shorter please')
    await corrected('bob', 'more details please')
    const ann = { ...home, scope: 'ann' }
    const bob = { ...home, scope: 'bob' }
    expect((await loop.store.readySamples()).map(({ ref }) => ref.scope)).toEqual(['ann', 'bob'])
    const [lesson] = await loop.store.batch(ann, 9)
    const made = {
      ref: ann,
      version: 1,
      parent: 0,
      state: 'served',
      reason: null,
      directory: '/v1',
      metrics: {},
    } as const
    await loop.store.recordVersion({ ...made, samples: [lesson!.id] })
    await loop.runtime.policyPublished(ann, 1)
    expect(await loop.store.servingVersion(ann)).toBe(1)
    expect(await loop.store.servingVersion(bob)).toBe(0)
    expect(await loop.store.servingVersion(home)).toBe(0)
    await prompt('ann')
    expect(loop.engine.policies.at(-1)).toBe('terminal/home/v000001')
    await prompt('bob')
    expect(loop.engine.policies.at(-1)).toBe('base')
    expect(await command('status', 'ann')).toMatch(/^Version 1 answers you/)
    expect(await command('status', 'bob')).toMatch(
      /^The base model answers you.*\n.*for each person alone\): 1 lesson waits/,
    )
    expect(await command('versions', 'bob')).toBe('*   0  the base model')
  })

  test("a person rolls their own weights back, and nobody else's", async () => {
    await command('scope person')
    await corrected('bob', 'shorter please')
    const bob = { ...home, scope: 'bob' }
    const made = {
      ref: bob,
      version: 1,
      parent: 0,
      state: 'served',
      reason: null,
      directory: '/v1',
      metrics: {},
    } as const
    await loop.store.recordVersion({ ...made, samples: [] })
    expect(await command('rollback 1', 'ann')).toMatch('There is no version 1')
    expect(await command('rollback', 'bob')).toMatch('The base model answers you from now on')
  })

  test("another's feedback teaches a person's weights nothing, and is that other's wish", async () => {
    await command('scope person')
    const message = await loop.ask('What is tea?')
    await loop.say({ text: 'shorter please', person: people.bob, replyTo: message })
    await loop.runtime.idle()
    expect(await loop.store.readySamples()).toEqual([])
    expect(await command('memory', 'bob')).toMatch('one short sentence')
  })

  test('what waits follows the scope', async () => {
    await corrected('bob', 'shorter please')
    await command('scope person')
    expect((await loop.store.readySamples()).map(({ ref }) => ref.scope)).toEqual(['bob'])
    await command('scope workspace')
    expect((await loop.store.readySamples()).map(({ ref }) => ref.scope)).toEqual([undefined])
  })

  test("what waits of others' feedback does not follow it into a person's weights", async () => {
    const message = await loop.ask('What is tea?')
    await loop.send('reaction', { message, emoji: '👎', person: people.bob })
    await loop.runtime.idle()
    expect(await loop.store.readySamples()).toHaveLength(1)
    await command('scope person')
    expect(await loop.store.readySamples()).toEqual([])
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await loop.store.batch({ ...home, scope: 'ann' }, 9)).toMatchObject([{ reward: 1, people: ['ann'] }])
  })
})

describe('people who want opposite things', () => {
  test('are each served by their notes, and the weights leave it alone', async () => {
    await corrected('ann', 'shorter please')
    await corrected('bob', 'more details please')
    await corrected('cem', 'more friendly')
    expect(await prompt('ann')).toMatch(/And now\?\n\nAnswer in one short sentence/)
    expect(await prompt('bob')).toMatch(/And now\?\n\nExplain in detail/)
    const lessons = await loop.store.batch(home, 9)
    expect(lessons.map(({ people }) => people)).toEqual([['cem']])
    expect(await loop.store.readySamples()).toMatchObject([{ count: 1 }])
    const questions = await loop.store.recentQuestions(home, 9)
    expect(questions.flatMap(({ notes }) => notes)).toEqual([expect.stringContaining('warm and friendly')])
    const status = await command('status')
    expect(status).toMatch('Ann and Bob want different things about length')
    expect(status).toMatch('2 lessons are held until they agree')
    expect(await command('why', 'bob')).toMatch('they leave it alone: people here want different things')
  })

  test('who agree again are learned from', async () => {
    await corrected('ann', 'shorter please')
    await corrected('bob', 'more details please')
    await command('memory forget 1', 'bob')
    expect(await loop.store.batch(home, 9)).toHaveLength(2)
    expect(await command('status')).not.toMatch('different things')
  })

  test('do not want opposite things where one asks for one sentence and another for few words', async () => {
    await corrected('ann', 'one sentence please')
    await corrected('bob', 'shorter please')
    expect(await loop.store.batch(home, 9)).toHaveLength(2)
  })
})

describe('learning control', () => {
  test('a pause keeps lessons until the work goes on', async () => {
    await command('pause')
    await corrected('ann', 'shorter please')
    expect(await loop.store.readySamples()).toEqual([])
    expect(await loop.store.trainedPolicies()).toEqual([])
    expect(await command('status')).toMatch('Learning is on (combined, paused: /claw resume): 1 lesson waits.')
    expect(await command('why')).toMatch('it waits while training is paused')
    await command('resume')
    expect(await loop.store.readySamples()).toMatchObject([{ count: 1 }])
  })

  test('the method is the workspace’s, or the operator’s', async () => {
    expect(await loop.store.method(home)).toBeNull()
    expect(await command('method binary')).toMatch('only the verdict counts')
    expect(await loop.store.method(home)).toBe('binary')
    await command('method default')
    expect(await loop.store.method(home)).toBeNull()
  })

  test.each(['learn off', 'pause', 'resume', 'method opd', 'scope person', 'memory share 1', 'rollback'])(
    '%s is for admins',
    async (text) => {
      await corrected('bob', 'shorter please')
      expect(await command(text, 'bob')).toMatch(/^Only an admin of this workspace can do that/)
    },
  )

  test('no more is learned within the hour than the operator allows', async () => {
    await loop.close()
    loop = await startLoop({ learning: { personHour: 2, workspaceHour: 3 } })
    for (let i = 0; i < 3; i++) await corrected('ann', 'shorter please', `Question ${i}?`)
    expect(await loop.store.batch(home, 9)).toHaveLength(2)
    expect(await command('why', 'ann')).toMatch('enough was learned from one person within the hour')
    for (let i = 0; i < 2; i++) await corrected('bob', 'shorter please', `Question ${i}?`)
    expect(await loop.store.batch(home, 9)).toHaveLength(3)
    expect(await command('why', 'bob')).toMatch('enough was learned here within the hour')
    expect(await command('memory', 'ann')).toMatch('one short sentence')
  })

  test('who opts out is answered and not learned from, until they come back', async () => {
    await corrected('ann', 'shorter please')
    expect(await command('optout')).toMatch('1 lesson that waited will not be learned')
    await corrected('ann', 'more friendly')
    expect(await loop.store.batch(home, 9)).toEqual([])
    expect(await loop.store.recentQuestions(home, 9)).toEqual([])
    expect(await command('status')).toMatch('Nothing you say is learned from: /claw optin')
    await command('optin')
    await loop.ask('What is tea?', { conversation: 'later' })
    await loop.ask('more friendly', { conversation: 'later' })
    expect(await loop.store.batch(home, 9)).toHaveLength(1)
  })

  test('reactions of bots, and of the bot itself, count nothing', async () => {
    const message = await loop.ask('hello')
    for (const kind of ['bot', 'self'] as const) {
      await loop.send('reaction', { message, emoji: '👍', person: { id: kind, kind } })
    }
    await loop.runtime.idle()
    expect(await loop.store.db.selectFrom('signals').selectAll().execute()).toEqual([])
  })
})

describe('notes', () => {
  test('of a workspace stand in everybody’s prompts, where they have not wished otherwise', async () => {
    await corrected('ann', 'shorter please')
    await corrected('bob', 'more details please')
    expect(await command('memory share 1')).toMatch(/^Said with everyone's messages from now on/)
    expect(await prompt('cem')).toMatch(/And now\?\n\nAnswer in one short sentence/)
    expect(await prompt('bob')).toMatch(/And now\?\n\nExplain in detail/)
    expect(await command('memory', 'cem')).toMatch(
      '1. Answer in one short sentence of at most 20 words. (for everyone)',
    )
    expect(await command('memory forget 1', 'cem')).toMatch('Only an admin')
    await command('memory forget 1')
    expect(await prompt('cem', 'Once more?')).toMatch(/Once more\?$/)
  })

  test('that two versions do without are retired, taught on, and brought back by a rollback', async () => {
    await corrected('ann', 'shorter please')
    const version = async (number: number) => {
      const parent = await loop.store.servingVersion(home)
      const made = { ref: home, version: number, parent, state: 'served', reason: null, metrics: {} } as const
      await loop.store.recordVersion({ ...made, directory: `/v${number}`, samples: [] })
      const note = await loop.store.uncheckedNote(home, number)
      if (note !== null) await loop.store.recordCheck(home, note.id, number, true)
      return note
    }
    expect(await version(1)).not.toBeNull()
    expect(await loop.store.uncheckedNote(home, 1)).toBeNull()
    expect(await prompt('ann')).toMatch('one short sentence')
    expect(await version(2)).not.toBeNull()
    expect(await prompt('ann', 'Retired?')).toMatch(/Retired\?$/)
    expect(await command('memory')).toMatch('(the weights have learned it)')
    expect(await loop.store.recentQuestions(home, 9)).toMatchObject([{ notes: [expect.stringContaining('short')] }])
    await loop.ask('Good?', { conversation: 'teaching' })
    await loop.ask('thanks, perfect', { conversation: 'teaching' })
    expect((await loop.store.batch(home, 9)).at(-1)?.teacherPromptIds).not.toBeNull()
    await command('rollback')
    expect(await prompt('ann', 'Back?')).toMatch(/Back\?\n\nAnswer in one short sentence/)
  })

  test('that failed once begin again', async () => {
    await corrected('ann', 'shorter please')
    for (const [version, held] of [true, false, true].entries()) {
      const [note] = await loop.store.workspaceNotes(home)
      const made = { ref: home, version: version + 1, parent: version, state: 'served', reason: null } as const
      await loop.store.recordVersion({ ...made, directory: `/v${version + 1}`, metrics: {}, samples: [] })
      await loop.store.recordCheck(home, note!.id, version + 1, held)
    }
    expect(await loop.store.workspaceNotes(home)).toMatchObject([{ retired: false }])
  })
})

test('an answer is for the one who asked, unless it changes something for everyone', async () => {
  const told: (string | undefined)[] = []
  loop.platform.notify = async (_to, { only }) => {
    told.push(only)
  }
  for (const text of ['status', 'why', 'memory', 'help', 'optin', 'export', 'forget me', 'dance'])
    await command(text, 'bob')
  expect(new Set(told.splice(0))).toEqual(new Set(['bob']))
  for (const text of ['pause', 'resume', 'learn on', 'method opd', 'scope default', 'rollback']) await command(text)
  expect(new Set(told.splice(0))).toEqual(new Set([undefined]))
  for (const text of ['pause', 'learn on', 'rollback']) await command(text, 'bob')
  expect(new Set(told)).toEqual(new Set(['bob']))
})

describe('export', () => {
  test('writes all that is kept of one person to a file of theirs', async () => {
    await corrected('ann', 'shorter please')
    await corrected('bob', 'this is a secret of bob')
    const answer = await command('export')
    const [first, file = '', last] = answer.split('\n')
    expect(first).toBe('All that is kept of you here: 2 messages, 2 replies, 1 piece of feedback, 1 note.')
    expect(last).toBe('The file is deleted after 7 days.')
    const text = readFileSync(file, 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      person: 'ann',
      name: 'Ann',
      optedOut: false,
      messages: [{ text: 'What is tea?' }, { text: 'shorter please' }],
      replies: [{ asked: 'What is tea?', verdicts: [{ score: -1 }] }, {}],
      notes: [{ text: expect.stringContaining('short'), state: 'active' }],
      lessons: [{ state: 'ready' }],
    })
    expect(text).not.toContain('bob')
    await command('forget me')
    expect(existsSync(file)).toBe(true)
    await command('forget me yes')
    expect(existsSync(file)).toBe(false)
  })

  test('is deleted when nobody has come for it in a week', async () => {
    await loop.ask('hello')
    const [, file = ''] = (await command('export')).split('\n')
    const days = (count: number) => new Date(loop.now() - count * 24 * 3_600_000)
    utimesSync(file, days(6), days(6))
    await loop.restart()
    expect(existsSync(file)).toBe(true)
    utimesSync(file, days(8), days(8))
    await loop.restart()
    expect(existsSync(file)).toBe(false)
  })

  test('and all else that was erased is off the disk soon, also where the platform does not take the answer', async () => {
    await loop.ask('hello')
    let take: (() => void) | undefined
    loop.platform.notify = () => new Promise((resolve) => (take = resolve))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await loop.send('command', { text: '/claw forget me yes', person: people.ann, conversation: 'ann' })
      await expect.poll(() => take).toBeDefined()
      vi.advanceTimersByTime(20_000)
      const actions = async () =>
        (await loop.store.db.selectFrom('audit').select('action').execute()).map((row) => row.action)
      await expect.poll(actions).toContain('scrubbed')
    } finally {
      vi.useRealTimers()
      take?.()
    }
  })

  test('is handed over where the platform can', async () => {
    const files: string[] = []
    loop.platform.sendFile = async (_to, person, { name, text }) => {
      files.push(`${person} ${name} ${JSON.parse(text).person}`)
    }
    await loop.ask('hello')
    await command('export')
    expect(files).toEqual(['ann claw-export.json ann'])
    expect(readdirSync(loop.dir)).not.toContain(join('exports'))
  })

  test('that cannot be handed over is said, and what helps', async () => {
    loop.platform.sendFile = async () => {
      throw new ClawError('PLATFORM_REFUSED', 'Nobody takes files here', { remedy: 'Ask elsewhere.' })
    }
    expect(await command('export')).toBe('I could not hand you the file. Nobody takes files here. Ask elsewhere.')
  })
})

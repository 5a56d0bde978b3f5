import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

async function command(text: string, person = 'ann'): Promise<string> {
  await loop.send('command', { text: `/claw ${text}`, person: { id: person, kind: 'human' } })
  await loop.runtime.idle()
  return (loop.platform.notices.at(-1) ?? '').replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
}

async function version(number: number, state: 'served' | 'rejected' = 'served', reason: string | null = null) {
  const samples = (await loop.store.batch(home, 100)).map((sample) => sample.id)
  const made = {
    ref: home,
    version: number,
    parent: await loop.store.servingVersion(home),
    directory: `/v${number}`,
    metrics: {},
  }
  for (const sample of samples) await loop.store.recordPotency(sample, 0.4217)
  await loop.store.recordVersion({ ...made, state, reason, samples })
}

async function corrected() {
  await loop.ask('How do I make tea?')
  await loop.ask('way too long!')
}

describe('why', () => {
  test('explains a correction from the words to the weights', async () => {
    await corrected()
    expect(await command('why')).toMatchInlineSnapshot(`
      "Nothing was said about the last reply yet. An earlier one:
      question  How do I make tea?
      reply     re: How do I make tea? (version 0)
      feedback  "way too long!" (you)
      verdict   −1, by rule:correction
      hint      Answer in one short sentence of at most 20 words.
      note      kept: it is said with each of your next messages
      weights   the next version will learn from it"
    `)
    await version(1)
    expect(await command('why')).toMatchInlineSnapshot(`
      "Nothing was said about the last reply yet. An earlier one:
      question  How do I make tea?
      reply     re: How do I make tea? (version 0)
      feedback  "way too long!" (you)
      verdict   −1, by rule:correction
      hint      Answer in one short sentence of at most 20 words.
      note      kept: it is said with each of your next messages
      effect    with the hint the reply is 34 % less likely a token
      weights   version 1 learned from it"
    `)
  })

  test('keeps to itself what another was asked and said in private', async () => {
    const message = await loop.ask('How do I make tea?')
    await loop.send('correction', { message, text: 'way too long!', person: { id: 'ben', name: 'Ben', kind: 'human' } })
    await loop.runtime.idle()
    const answer = await command('why')
    expect(answer).toContain('feedback  words to me alone (Ben)')
    expect(answer).toContain('kept: it is said with each of their next messages')
    expect(answer).not.toMatch(/too long|hint/)
    expect(await command('why', 'ben')).toMatch(/feedback {2}"way too long!" \(you\)[\s\S]*hint/)
  })

  test('has nothing to explain before anyone says anything', async () => {
    expect(await command('why')).toMatch(/no reply to you or in this conversation yet/)
    await loop.ask('hello')
    expect(await command('why')).toMatch(/Nobody has said anything/)
  })

  test('asked where only commands are said, tells of one’s own last reply, and of nobody else’s', async () => {
    await loop.ask('How do I make tea?', { conversation: 'thread' })
    await loop.say({ text: 'way too long!', conversation: 'thread' })
    await loop.runtime.idle()
    expect(await command('why')).toContain('question  How do I make tea?')
    expect(await command('why', 'ben')).toMatch(/no reply to you or in this conversation yet/)
    expect(await command('forget last', 'ben')).toMatch(/no question of yours/)
  })

  test('says why nothing is learned', async () => {
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '🤔', person: { id: 'bob', name: 'Bob', kind: 'human' } })
    const answer = await command('why')
    expect(answer).toMatch('🤔 (Bob)')
    expect(answer).toMatch('nothing: the feedback says neither good nor bad')
  })
})

describe('memory', () => {
  test('lists, forgets, and forgets for good', async () => {
    await corrected()
    const more = await loop.ask('be more friendly')
    expect(await command('memory')).toMatchInlineSnapshot(`
      "Kept for you, and said with each of your messages:
      1. Answer in one short sentence of at most 20 words.
      2. Answer in a warm and friendly way. Begin your answer with "Hi there!".
      To drop one: /claw memory forget N"
    `)
    expect(await command('memory forget 1')).toMatch(/^Forgotten: Answer in one short sentence/)
    expect(await command('memory forget 2')).toMatch('There is no note 2')
    await loop.send('reaction', { message: more, emoji: '👎' })
    await loop.runtime.idle()
    expect(await command('memory')).not.toMatch('one short sentence')
    expect(await command('memory', 'bob')).toMatch(/Nothing is kept for you/)
  })
})

describe('rollback', () => {
  test('moves the pointer back, and forward again', async () => {
    await loop.ask('hello')
    await version(1)
    await version(2)
    expect(await command('rollback')).toBe('Version 1 answers from now on. To go back: /claw rollback 2')
    await loop.ask('hello')
    expect(loop.engine.policies.at(-1)).toBe('terminal/home/v000001')
    expect(await command('rollback 0')).toMatch(/^The base model answers/)
    expect(await command('rollback')).toBe('The base model is what answers already.')
    expect(await command('rollback 2')).toMatch(/^Version 2 answers/)
    const log = await loop.store.db
      .selectFrom('audit')
      .select(['action', 'person'])
      .where('action', '=', 'rollback')
      .execute()
    expect(log).toHaveLength(3)
    expect(log[0]?.person).toBe('ann')
  })

  test('serves nothing that the gate refused, and nothing that is not there', async () => {
    await loop.ask('hello')
    await version(1, 'rejected', 'the drift to the base is too large')
    expect(await command('rollback 1')).toBe('Version 1 was never served: the drift to the base is too large.')
    expect(await command('rollback 7')).toMatch('There is no version 7')
  })

  test('whose answer could not be shown is not done twice', async () => {
    await loop.ask('hello')
    await version(1)
    await version(2)
    const notify = loop.platform.notify
    loop.platform.notify = async () => {
      loop.platform.notify = notify
      throw new Error('the platform is away')
    }
    expect(await command('rollback')).toBe('Version 1 answers from now on. To go back: /claw rollback 2')
    expect(loop.platform.notices).toHaveLength(1)
    expect(await loop.store.servingVersion(home)).toBe(1)
  })

  test('whose answer can never be shown leaves none of it behind', async () => {
    await corrected()
    loop.platform.notify = async () => {
      throw new Error('the platform is away')
    }
    await command('why')
    const row = await loop.store.db.selectFrom('inbox').selectAll().orderBy('seq', 'desc').executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'handled', answer: null, body: '', error: 'the platform is away' })
  })
})

test('status shows what is served, what waits and what was refused', async () => {
  await corrected()
  expect(await command('status')).toMatchInlineSnapshot(`
    "The base model answers (parrot).
    Learning is on (combined): 1 lesson waits.
    1 note is kept for you."
  `)
  await version(1)
  await version(2, 'rejected', 'the replies repeat themselves')
  expect(await command('status')).toMatchInlineSnapshot(`
    "Version 1 answers (on parrot), learned from 1 reply at TIME.
    Learning is on (combined): 0 lessons wait.
    1 note is kept for you.
    Version 2 was not served: the replies repeat themselves."
  `)
})

test('versions marks the one that answers', async () => {
  await corrected()
  await version(1)
  await version(2, 'rejected', 'the replies repeat themselves')
  await version(3)
  expect(await command('versions')).toMatchInlineSnapshot(`
    "*   3  TIME, rehearsed, from version 1
        2  TIME, rehearsed, not served: the replies repeat themselves
        1  TIME, learned from 1 reply
        0  the base model"
  `)
})

test('learning is switched by admins only', async () => {
  expect(await command('learn off', 'bob')).toBe('Only an admin of this workspace can do that: /claw learn')
  expect(await command('learn off')).toMatch(/^Learning is off/)
  await corrected()
  expect(await loop.store.batch(home, 9)).toEqual([])
  expect(await command('why')).toMatch('nothing: learning was off')
  expect(await command('status')).toMatch('Learning is off. An admin turns it on: /claw learn on')
  expect(await command('learn on')).toMatch(/^Learning is on/)
})

test('help names every command and is read on a phone', async () => {
  const help = await command('help')
  for (const name of [
    'status',
    'why',
    'versions',
    'rollback',
    'memory',
    'optout',
    'optin',
    'export',
    'pause',
    'resume',
  ]) {
    expect(help).toContain(name)
  }
  for (const name of ['forget me', 'forget last', 'learn on|off', 'method METHOD', 'scope SCOPE']) {
    expect(help).toContain(`/claw ${name}`)
  }
  expect(help.split('\n').length).toBeLessThan(25)
  expect(await command('dance')).toBe('I do not know "/claw dance". /claw help lists what I do.')
})

test.each([
  ['learn', ['learn on|off']],
  ['forget', ['forget last', 'forget me']],
  ['memory share', ['memory', 'memory forget N', 'memory share N']],
  ['optin now', ['optout, optin']],
])('/claw %s says what there is', async (asked, usages) => {
  const [first, ...lines] = (await command(asked)).split('\n')
  expect(first).toBe(`"/claw ${asked}" is not quite right:`)
  expect(lines.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(usages.map((usage) => `/claw ${usage}`))
})

test.each([
  ['connected', null, null],
  [
    'connected',
    'several sockets share one token.',
    'The connection to the platform stands since 12:00: several sockets',
  ],
  ['connecting', null, 'The connection to the platform is being made anew since 12:00.'],
  ['refused', 'the token is unknown', 'The platform refuses the connection since 12:00: the token is unknown.'],
] as const)('status says how the connection is where that is news: %s, %s', async (state, detail, said) => {
  loop.platform.health = () => ({ state, detail, since: Date.parse('2026-01-01T12:00:00') })
  const answer = await command('status')
  if (said === null) expect(answer).not.toMatch(/connect/)
  else expect(answer).toContain(said)
  expect(answer).not.toContain('..')
})

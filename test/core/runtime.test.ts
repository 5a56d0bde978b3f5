import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClawError } from '../../core/errors.ts'
import { home, type Loop, startLoop } from './loop.ts'
import { readIds } from './parrot.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

const turns = () => loop.store.db.selectFrom('turns').selectAll().orderBy('position').execute()
const verdicts = () => loop.store.db.selectFrom('verdicts').selectAll().orderBy('created_at').execute()
const batch = () => loop.store.batch(home, 100)

describe('a message', () => {
  test('is answered once, with the conversation in its prompt', async () => {
    await loop.ask('hello')
    const event = await loop.say({ text: 'and again' })
    await loop.runtime.deliver(event)
    await loop.runtime.idle()
    expect(loop.engine.prompts).toEqual(['<user>hello', '<user>hello<assistant>re: hello<user>and again'])
    expect([...loop.platform.replies.values()]).toEqual(['re: hello', 're: and again'])
    expect(await turns()).toHaveLength(2)
  })

  test('of a bot is none of ours', async () => {
    await loop.say({ text: 'buy this', person: { id: 'spam', kind: 'bot' } })
    await loop.runtime.idle()
    expect(loop.platform.replies.size).toBe(0)
  })

  test('is left to the process that is connected, and taken up by this one when it is', async () => {
    let state: 'standby' | 'connected' = 'standby'
    Object.assign(loop.platform, { health: () => ({ state, since: 0, detail: null }) })
    await loop.restart()
    await loop.say({ text: 'who is there?' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(loop.engine.prompts).toEqual([])
    state = 'connected'
    await loop.ask('and now?')
    expect([...loop.platform.replies.values()]).toEqual(['re: who is there?', 're: and now?'])
  })

  test('that arrives while a reply is written waits for it', async () => {
    let release = () => {}
    loop.platform.sending = () => new Promise((resolve) => (release = resolve))
    await loop.say({ text: 'one' })
    await loop.say({ text: 'two' })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    loop.platform.sending = async () => {}
    release()
    await loop.runtime.idle()
    expect(loop.engine.prompts[1]).toBe('<user>one<assistant>re: one<user>two')
  })

  test('that was reworded before its turn is answered in the new words', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    loop.engine.pace = () => held
    await loop.say({ text: 'one' })
    const second = await loop.say({ text: 'two' })
    const third = await loop.say({ text: 'three' })
    await loop.send('edit', { message: second.message, text: 'zwei' })
    await loop.send('edit', { message: second.message, text: 'mine', person: { id: 'bob', kind: 'human' } })
    await loop.send('deletion', { message: third.message })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    release()
    await loop.runtime.idle()
    expect([...loop.platform.replies.values()]).toEqual(['re: one', 're: zwei'])
    expect(await verdicts()).toEqual([])
  })

  test('that was deleted is gone from the next prompt', async () => {
    const secret = await loop.say({ text: 'my secret' })
    await loop.runtime.idle()
    await loop.send('deletion', { message: secret.message })
    await loop.ask('hello')
    expect(loop.engine.prompts[1]).not.toContain('<user>my secret')
  })

  test('too long to be read says so, and nothing waits for ever', async () => {
    await loop.close()
    loop = await startLoop({ context: 150 })
    await loop.say({ text: 'x'.repeat(60) })
    await loop.ask('hello')
    expect(loop.platform.failures).toHaveLength(1)
    expect(loop.platform.failures[0]).toMatch(/longer than the 50 tokens/)
    expect([...loop.platform.replies.values()]).toEqual(['re: hello'])
  })

  test('that the engine fails on says so in one line, once', async () => {
    loop.engine.answer = () => new ClawError('ENGINE_FAILED', 'the engine has no memory left')
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect(loop.platform.failures).toEqual(['Sorry, I could not answer: the engine has no memory left.'])
    const [event] = await loop.store.db.selectFrom('inbox').selectAll().execute()
    expect(event).toMatchObject({ state: 'handled', error: 'the engine has no memory left' })
    await loop.restart()
    await loop.runtime.idle()
    expect(loop.platform.failures).toHaveLength(1)
  })

  test('whose reply could not be delivered is delivered once more, as it was', async () => {
    let refused = 0
    loop.platform.sending = async () => {
      if (refused++ === 0) throw new Error('the platform is away')
    }
    await loop.ask('hello')
    expect([...loop.platform.replies.values()]).toEqual(['re: hello'])
    expect(loop.engine.prompts).toHaveLength(1)
    expect(loop.faults).toHaveLength(1)
  })

  test('left in the middle by a stop is answered after the start', async () => {
    loop.engine.pace = () => new Promise((resolve) => setTimeout(resolve, 2))
    await loop.say({ text: 'hello' })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    await loop.restart()
    await loop.runtime.idle()
    expect([...loop.platform.replies.values()]).toEqual(['re: hello'])
    expect(loop.platform.failures).toEqual([])
  })
})

describe('feedback', () => {
  test('in words becomes a verdict, a note at once and a sample without the note', async () => {
    await loop.ask('How do I make tea?')
    await loop.ask('shorter please')
    const hint = 'Answer in one short sentence of at most 20 words.'
    // The question is answered once more, now with the note.
    expect(loop.engine.prompts[1]).toBe(`<user>How do I make tea?\n\n${hint}`)
    expect(loop.platform.notices).toEqual([`learned: ${hint}`])
    const [sample] = await batch()
    expect(readIds(sample!.promptIds)).toBe('<user>How do I make tea?')
    expect(readIds(sample!.teacherPromptIds!)).toBe(`<user>How do I make tea?\n\n${hint}`)
    expect(sample).toMatchObject({ reward: -1 })
    expect((await turns()).map((turn) => turn.state)).toEqual(['sampled', 'open'])
    await loop.ask('Next question')
    const third = (await turns())[2]!
    expect(JSON.parse(third.request)).toHaveLength(5)
    expect(third.request).not.toContain(hint)
    expect(JSON.parse(third.notes)).toMatchObject([{ text: hint }])
  })

  test('by thumb counts once, and not at all once taken back', async () => {
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await batch()).toMatchObject([{ reward: 1 }])
    await loop.send('reaction_removed', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await batch()).toEqual([])
    expect((await verdicts()).map((verdict) => verdict.score)).toEqual([1, 0])
    await loop.send('reaction', { message, emoji: '👎' })
    await loop.runtime.idle()
    expect(await batch()).toMatchObject([{ reward: -1 }])
  })

  test('that comes before the reply is on record still finds it', async () => {
    let turn = ''
    loop.platform.sending = async (id) => {
      turn = id
      await loop.send('reaction', { message: `${id}/1`, emoji: '👍', conversation: 'elsewhere' })
      await expect.poll(async () => (await loop.store.db.selectFrom('signals').selectAll().execute()).length).toBe(1)
    }
    loop.platform.chunks = 2
    await loop.ask('hello')
    expect(await batch()).toMatchObject([{ turn, reward: 1 }])
  })

  test('of another person counts as theirs, and their wish is their note', async () => {
    const message = await loop.ask('hello')
    const bob = { id: 'bob', kind: 'human' as const }
    await loop.say({ text: 'this is bad', person: bob })
    await loop.runtime.idle()
    expect(await verdicts()).toEqual([])
    await loop.say({ text: 'shorter please', person: bob, replyTo: message })
    await loop.runtime.idle()
    expect(await verdicts()).toMatchObject([{ score: -1 }])
    expect(await loop.store.db.selectFrom('notes').select('person').execute()).toEqual([{ person: 'bob' }])
  })

  test('reworded before it was answered is judged again', async () => {
    await loop.ask('hello')
    loop.engine.pace = async () => {
      loop.engine.pace = async () => {}
      await loop.send('edit', { message: 'feedback', text: 'thanks, perfect!' })
      loop.wait()
    }
    await loop.say({ message: 'feedback', text: 'shorter please' })
    await loop.runtime.idle()
    expect((await verdicts()).map((verdict) => verdict.score)).toEqual([-1, 1])
    expect(await batch()).toMatchObject([{ reward: 1 }])
    expect(await loop.store.db.selectFrom('notes').selectAll().execute()).toEqual([])
  })

  test('in a question reworded after its answer is about that answer', async () => {
    await loop.ask('hello')
    const question = await loop.say({ text: 'What is tea?' })
    await loop.runtime.idle()
    await loop.send('edit', { message: question.message, text: 'What is tea? Shorter please' })
    await loop.runtime.idle()
    expect((await turns()).map((turn) => turn.state)).toEqual(['judged', 'sampled'])
    expect(await batch()).toMatchObject([{ reward: -1 }])
  })

  test('finds its reply where a platform names messages as the turns are named', async () => {
    loop.platform.named = (turn) => [turn]
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await batch()).toMatchObject([{ reward: 1 }])
  })

  test('on a reply that was cut off counts as the person saw it', async () => {
    loop.engine.finish = 'length'
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await batch()).toMatchObject([{ reward: 1 }])
  })

  test('that asks for something new beside the correction is answered as it was said', async () => {
    await loop.ask('How do I make tea?')
    await loop.ask('shorter please. And what is coffee?')
    expect(loop.engine.prompts[1]).toContain('<user>shorter please. And what is coffee?')
  })

  test('that states a fact is no note: it would stand in every later prompt', async () => {
    await loop.ask('What is the capital of Australia?')
    await loop.ask('No, it is Canberra.')
    await loop.ask('What is tea?')
    expect(loop.engine.prompts[2]).not.toContain('Keep in mind')
    expect((await loop.store.db.selectFrom('notes').selectAll().execute()).map((note) => note.text)).toEqual([])
  })

  test('teaches nothing where learning is off', async () => {
    await loop.close()
    loop = await startLoop({ platform: 'slack' })
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(await verdicts()).toMatchObject([{ score: 1 }])
    expect(await loop.store.db.selectFrom('samples').selectAll().execute()).toEqual([])
  })

  test('with the notes off is remembered for the teacher and not said to the model', async () => {
    await loop.close()
    loop = await startLoop({ notes: false })
    await loop.ask('hello')
    await loop.ask('shorter please')
    const message = await loop.ask('bye')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(loop.engine.prompts.join()).not.toContain('one short sentence')
    expect(readIds((await batch())[1]!.teacherPromptIds!)).toContain('bye\n\nAnswer in one short sentence')
  })

  test('that a judge breaks on waits for a better judge', async () => {
    await loop.close()
    let broken = true
    loop = await startLoop({
      judge: () => {
        if (broken) throw new Error('out of order')
        return { score: 1, weight: 1, hint: null, basis: 'test', judge: 'test' }
      },
    })
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji: '👍' })
    await loop.runtime.idle()
    expect(loop.faults.length).toBeGreaterThan(0)
    broken = false
    await loop.restart()
    expect(await batch()).toMatchObject([{ reward: 1 }])
  })
})

test('workspaces with the same names in them do not see each other', async () => {
  const away = { workspace: 'away' }
  await loop.say({ message: 'm', text: 'hello' })
  await loop.say({ message: 'm', text: 'good day', ...away })
  await loop.runtime.idle()
  const [first, second] = (await turns()).sort((a, b) => (a.workspace > b.workspace ? -1 : 1))
  await loop.send('reaction', { message: `${first!.id}/0`, emoji: '👍', ...away })
  await loop.say({ message: 'n', text: 'way too long!', ...away })
  await loop.say({ message: 'n', text: 'and now?' })
  await loop.runtime.idle()
  const [theirs, ours] = loop.engine.prompts.slice(2).sort()
  expect(theirs).toMatch(/^<user>good day.*one short sentence/s)
  expect(ours).toMatch(/^<user>hello<assistant>re: hello<user>and now\?$/)
  expect(await batch()).toEqual([])
  const scores = Object.fromEntries((await verdicts()).map(({ turn, score }) => [turn, score]))
  expect(scores).toEqual({ [first!.id]: 0, [second!.id]: -1 })
})

describe('after training', () => {
  async function train(version: number) {
    const samples = (await batch()).map((sample) => sample.id)
    const directory = `${loop.dir}/v${version}`
    const made = {
      ref: home,
      version,
      parent: await loop.store.servingVersion(home),
      reason: null,
      directory,
      metrics: {},
    }
    await loop.store.recordVersion({ ...made, state: 'served', samples })
    await loop.runtime.policyPublished(home, version)
  }

  async function thumb(emoji: string) {
    const message = await loop.ask('hello')
    await loop.send('reaction', { message, emoji })
    await loop.runtime.idle()
    return message
  }

  test('the next reply uses the version, and the conversation hears of it', async () => {
    await thumb('👍')
    await train(1)
    expect(loop.platform.notices).toEqual(['version 1 is live (learned from 1 reply)'])
    await loop.ask('hello again')
    expect(loop.engine.policies).toEqual(['base', 'terminal/home/v000001'])
    await train(2)
    await loop.ask('and again')
    expect(loop.engine.policies.at(-1)).toBe('terminal/home/v000002')
    expect([...loop.engine.loaded]).toEqual(['terminal/home/v000002'])
  })

  test('a changed mind amends, the same opinion once more does not', async () => {
    const message = await thumb('👍')
    await train(1)
    await loop.send('reaction', { message, emoji: '👍', person: { id: 'bob', kind: 'human' } })
    await loop.runtime.idle()
    expect((await turns())[0]?.state).toBe('trained')
    await loop.send('reaction_removed', { message, emoji: '👍' })
    await loop.send('reaction_removed', { message, emoji: '👍', person: { id: 'bob', kind: 'human' } })
    await loop.send('reaction', { message, emoji: '👎' })
    await loop.runtime.idle()
    expect((await turns())[0]?.state).toBe('amended')
    expect(await batch()).toMatchObject([{ reward: -1, learned: 1 }])
    const log = await loop.store.db.selectFrom('audit').select(['action', 'detail']).execute()
    expect(log.at(-1)).toMatchObject({ action: 'amended', detail: expect.stringContaining('"to":-1') })
    await loop.send('reaction_removed', { message, emoji: '👎' })
    await loop.send('reaction', { message, emoji: '🎉' })
    await loop.runtime.idle()
    expect((await turns())[0]?.state).toBe('trained')
  })

  test('a version that cannot be read gives way to its newest ancestor that can, and status says so', async () => {
    await thumb('👍')
    for (const version of [1, 2, 3]) await train(version)
    loop.engine.loaded.clear()
    loop.engine.corrupt.add(`${loop.dir}/v3`).add(`${loop.dir}/v2`)
    await loop.restart()
    await loop.ask('still there?')
    expect(loop.engine.policies.at(-1)).toBe('terminal/home/v000001')
    expect(await loop.store.servingVersion(home)).toBe(1)
    await loop.send('command', { text: '/claw status' })
    await loop.runtime.idle()
    expect(loop.platform.notices.at(-1)).toMatch(/Version 2 could not be loaded.*v2 was changed/)
  })

  test('an engine that has lost the version gets it again', async () => {
    await thumb('👍')
    await train(1)
    loop.engine.loaded.clear()
    await loop.ask('hello?')
    expect(loop.engine.policies.at(-1)).toBe('terminal/home/v000001')
    expect(loop.platform.failures).toEqual([])
  })
})

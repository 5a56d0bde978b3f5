import { afterEach, beforeEach, expect, test } from 'vitest'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

const ann = { id: 'ann', kind: 'human' } as const
const bob = { id: 'bob', kind: 'human' } as const

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

/** The person is known to the workspace, and wants nothing learned from what they say. */
async function optOut(person: string) {
  await loop.store.db.updateTable('people').set({ opted_out: 1 }).where('person', '=', person).execute()
}

const standing = () => loop.store.db.selectFrom('signals').selectAll().where('active', '=', 1).execute()
const samples = () => loop.store.batch(home, 100)

test('who opted out is answered, with their own words in the prompt, and nothing is learned from it', async () => {
  await loop.ask('hello')
  await optOut('ann')
  const message = await loop.ask('and now?')
  expect(loop.engine.prompts.at(-1)).toBe('<user>hello<assistant>re: hello<user>and now?')
  await loop.send('reaction', { message, emoji: '👍', person: ann })
  await loop.send('button', { message, value: 'up', person: ann })
  await loop.say({ text: 'thanks, perfect!', person: ann })
  await loop.runtime.idle()
  expect(await standing()).toEqual([])
  expect(await samples()).toEqual([])
})

test('what others say about a reply to someone who opted out makes no sample of their question', async () => {
  await loop.ask('hello')
  await optOut('ann')
  const message = await loop.ask('my secret plan')
  await loop.send('reaction', { message, emoji: '👍', person: bob })
  await loop.runtime.idle()
  expect(await samples()).toEqual([])
  const turn = await loop.store.db.selectFrom('turns').selectAll().orderBy('position', 'desc').executeTakeFirstOrThrow()
  expect(turn).toMatchObject({ kind: 'side', state: 'open', asked: '', text: '', request: '[]' })
  expect(turn.prompt_ids.length + turn.response_ids.length + turn.logprobs.length).toBe(0)
})

test('a reply to another whose prompt holds words of someone who opted out is not learned from', async () => {
  await loop.ask('hello')
  await optOut('ann')
  await loop.ask('my secret plan')
  const message = await loop.ask('what did ann say?', { person: bob })
  expect(loop.engine.prompts.at(-1)).toContain('my secret plan')
  await loop.send('reaction', { message, emoji: '👍', person: bob })
  await loop.runtime.idle()
  expect(await samples()).toEqual([])
  const elsewhere = await loop.ask('hello', { person: bob, conversation: 'elsewhere' })
  await loop.send('reaction', { message: elsewhere, emoji: '👍', person: bob })
  await loop.runtime.idle()
  expect(await samples()).toHaveLength(1)
})

test('words about a reply of which nothing stays are not about the reply before it', async () => {
  await loop.ask('hello', { conversation: 'elsewhere' })
  await optOut('ann')
  await loop.ask('hello', { person: bob })
  await loop.ask('my plan')
  await loop.ask('what did ann say?', { person: bob })
  await loop.say({ text: 'shorter please', person: bob })
  await loop.runtime.idle()
  expect(await standing()).toEqual([])
})

test('what someone said and asked before they opted out is not learned from after it', async () => {
  const message = await loop.ask('hello')
  await loop.send('reaction', { message, emoji: '👍', person: bob })
  await loop.runtime.idle()
  const [waiting] = await samples()
  await loop.send('command', { text: '/claw optout' })
  await loop.runtime.idle()
  expect(waiting).toMatchObject({ people: ['bob'] })
  expect(await samples()).toEqual([])
  await loop.send('reaction', { message, emoji: '🎉', person: { id: 'cem', kind: 'human' } })
  const bobs = await loop.ask('and you?', { person: bob, conversation: 'elsewhere' })
  await loop.store.db.updateTable('people').set({ opted_out: 0 }).execute()
  await loop.send('reaction', { message: bobs, emoji: '👍', person: ann })
  await loop.runtime.idle()
  await optOut('ann')
  await loop.send('reaction', { message: bobs, emoji: '👎', person: bob })
  await loop.runtime.idle()
  expect(await samples()).toMatchObject([{ reward: -1, people: ['bob'] }])
})

test('lessons of someone who opted out are not trained once more', async () => {
  const message = await loop.ask('hello')
  await loop.send('reaction', { message, emoji: '👍', person: bob })
  await loop.runtime.idle()
  const version = { ref: home, version: 1, parent: 0, reason: null, directory: '/v1', metrics: {} }
  await loop.store.recordVersion({ ...version, state: 'served', samples: (await samples()).map(({ id }) => id) })
  expect(await loop.store.pool(home, [1])).toHaveLength(1)
  await optOut('ann')
  expect(await loop.store.pool(home, [1])).toEqual([])
  await optOut('bob')
  await loop.store.db.updateTable('people').set({ opted_out: 0 }).where('person', '=', 'ann').execute()
  expect(await loop.store.pool(home, [1])).toEqual([])
})

test('withdrawn while their words wait in the queue, consent counts as withdrawn', async () => {
  const message = await loop.ask('hello')
  let release: (() => void) | undefined
  loop.platform.sending = () => new Promise((resolve) => (release = resolve))
  await loop.say({ text: 'one more' })
  // Its reply is being sent, and not only written.
  await expect.poll(() => release).toBeDefined()
  loop.platform.sending = async () => {}
  await loop.say({ text: 'way too long!' })
  await loop.send('reaction', { message, emoji: '👎', person: ann })
  await optOut('ann')
  release?.()
  await loop.runtime.idle()
  expect((await standing()).map((signal) => signal.content)).not.toContain('way too long!')
  expect((await standing()).map((signal) => signal.content)).not.toContain('👎')
})

test('what was said before can still be taken back, and rewording it withdraws it', async () => {
  const message = await loop.ask('hello')
  await loop.send('reaction', { message, emoji: '👍', person: ann })
  loop.engine.answer = () => {
    loop.wait()
    return 'so'
  }
  const said = await loop.say({ text: 'shorter please' })
  await loop.runtime.idle()
  expect(await standing()).toHaveLength(2)
  await optOut('ann')
  await loop.send('reaction_removed', { message, emoji: '👍', person: ann })
  // It is dated before its own answer, so that it is about the reply before.
  await loop.send('edit', { message: said.message, text: 'much shorter', at: said.at + 1 })
  await loop.runtime.idle()
  expect(await standing()).toEqual([])
})

test('their messages leave the store when they leave what a prompt can hold', async () => {
  await loop.ask('hello')
  await optOut('ann')
  await loop.ask('a word to forget')
  for (let i = 0; i < 34; i++) await loop.ask(`next ${i}`, { person: bob })
  const texts = await loop.store.db.selectFrom('messages').select('text').execute()
  expect(texts.some(({ text }) => text?.includes('a word to forget'))).toBe(false)
  expect(texts.some(({ text }) => text?.includes('hello'))).toBe(false)
  const inbox = await loop.store.db.selectFrom('inbox').select('body').execute()
  expect(inbox.every(({ body }) => body === '')).toBe(true)
})

test('reactions of bots and of the bot itself never enter', async () => {
  const message = await loop.ask('hello')
  for (const kind of ['bot', 'self'] as const) {
    await loop.send('reaction', { message, emoji: '👍', person: { id: kind, kind } })
    await loop.send('button', { message, value: 'up', person: { id: kind, kind } })
    await loop.say({ text: 'thanks', replyTo: message, person: { id: kind, kind } })
  }
  await loop.runtime.idle()
  expect(await loop.store.db.selectFrom('inbox').select('event').execute()).toHaveLength(1)
  expect(await standing()).toEqual([])
})

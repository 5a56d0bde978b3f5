import { afterEach, beforeEach, expect, test } from 'vitest'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

const ann = { id: 'ann', name: 'Ann', kind: 'human' } as const
const bob = { id: 'bob', name: 'Bob', kind: 'human' } as const
const thread = { conversation: 'thread' }
const heard = () => loop.engine.prompts.at(-1)

test('a thread knows what it hangs on, from its first message to its last', async () => {
  const reply = await loop.ask('What is tea?')
  await loop.ask('And green?', { ...thread, replyTo: reply })
  expect(heard()).toBe('<user>What is tea?<assistant>re: What is tea?<user>And green?')
  await loop.ask('And black?', thread)
  expect(heard()).toBe(
    '<user>What is tea?<assistant>re: What is tea?<user>And green?<assistant>re: And green?<user>And black?',
  )
  await loop.ask('What is cocoa?')
  expect(heard()).toBe('<user>What is tea?<assistant>re: What is tea?<user>What is cocoa?')
})

test('a thread may hang on a person’s message', async () => {
  await loop.ask('Look at this')
  const [message] = await loop.store.db.selectFrom('messages').select('message').where('role', '=', 'user').execute()
  await loop.ask('What is it?', { ...thread, replyTo: message!.message })
  expect(heard()).toBe('<user>Look at this<user>What is it?')
})

test.each([
  ['a quoted message of the same conversation', {}],
  ['a message that nobody knows', { ...thread, replyTo: 'unknown' }],
])('%s makes no thread', async (_what, where) => {
  const reply = await loop.ask('What is tea?')
  await loop.ask('And green?', { replyTo: reply, ...where })
  expect(
    await loop.store.db.selectFrom('conversations').select('root').where('root', 'is not', null).execute(),
  ).toEqual([])
})

test('who quotes another conversation in the middle of theirs does not move there', async () => {
  const reply = await loop.ask('What is tea?')
  await loop.ask('What is cocoa?', { conversation: 'other' })
  await loop.ask('And that?', { conversation: 'other', replyTo: reply })
  expect(heard()).not.toContain('tea')
})

test('a deleted question or reply is heard no more', async () => {
  const reply = await loop.ask('What is tea?')
  await loop.send('deletion', { message: reply })
  await loop.ask('And green?', { ...thread, replyTo: reply })
  expect(heard()).toBe('<user>And green?')
})

test('where what it hangs on was said by someone who opted out, nothing of the thread is kept to learn from', async () => {
  const reply = await loop.ask('What is tea?', { person: ann })
  await loop.store.db.updateTable('people').set({ opted_out: 1 }).where('person', '=', 'ann').execute()
  await loop.ask('And green?', { ...thread, person: bob, replyTo: reply })
  expect(heard()).toContain('What is tea?')
  const turns = await loop.store.db.selectFrom('turns').select(['person', 'kind', 'request']).execute()
  expect(turns.find(({ person }) => person === 'bob')).toMatchObject({ kind: 'side', request: '[]' })
})

test('what was forgotten is in no thread’s prompts', async () => {
  const reply = await loop.ask('What is xylophonic tea?', { person: ann })
  await loop.ask('And green?', { ...thread, person: bob, replyTo: reply })
  await loop.ask('And black?', { ...thread, person: bob })
  await loop.send('command', { text: '/claw forget me yes', person: ann })
  await loop.runtime.idle()
  const rows = await loop.store.db.selectFrom('turns').select(['asked', 'request', 'prompt_ids']).execute()
  expect(rows.map(({ asked }) => asked).sort()).toEqual(['And black?', 'And green?'])
  for (const { request, prompt_ids: ids } of rows) {
    expect(request).not.toContain('xylophonic')
    expect(Buffer.from(ids).toString('utf16le').replaceAll('\0', '')).not.toContain('xylophonic')
  }
  await loop.ask('And white?', { ...thread, person: bob })
  expect(heard()).not.toContain('xylophonic')
  const { conversation } = { ...home, ...thread }
  const roots = await loop.store.db.selectFrom('conversations').select('root').where('conversation', '=', conversation)
  expect(await roots.execute()).toEqual([{ root: null }])
})

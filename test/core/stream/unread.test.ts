import { afterEach, beforeEach, expect, test } from 'vitest'
import { onlyUnread, unreadNote } from '../../../core/stream/unread.ts'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

test.each([
  [[], ''],
  [['a.png'], '\n\nI have not read `a.png`: I read text only.'],
  [['a.png', 'b.pdf'], '\n\nI have not read `a.png` and `b.pdf`: I read text only.'],
  [['1', '2', '3', '4', '5', '6', '7'], '\n\nI have not read `1`, `2`, `3`, `4`, `5` and `2 more`: I read text only.'],
  [['`@everyone`\n[x](y)'], '\n\nI have not read `@everyone [x](y)`: I read text only.'],
  [[''], '\n\nI have not read `a file`: I read text only.'],
  [['x'.repeat(100)], `\n\nI have not read \`${'x'.repeat(59)}…\`: I read text only.`],
])('files %j', (unread, note) => {
  expect(unreadNote({ unread }).replace('`2 more`', '2 more')).toBe(note.replace('`2 more`', '2 more'))
})

test('a message with words and files is answered, and says below that the files were not read', async () => {
  await loop.ask('hello', { unread: ['a.png'] })
  expect([...loop.platform.replies.values()]).toEqual(['re: hello\n\nI have not read `a.png`: I read text only.'])
  const turn = await loop.store.db.selectFrom('turns').selectAll().executeTakeFirstOrThrow()
  expect(turn.text).toBe('re: hello')
  await loop.ask('next')
  expect(loop.engine.prompts.at(-1)).toBe('<user>hello<assistant>re: hello<user>next')
})

test('a message of files alone is no turn, no next state, and asks nobody', async () => {
  await loop.ask('hello')
  await loop.say({ text: ' ', unread: ['a.png'] })
  await loop.runtime.idle()
  expect(loop.platform.failures).toEqual([onlyUnread({ text: '', unread: ['a.png'] })])
  expect(loop.engine.prompts).toHaveLength(1)
  expect(await loop.store.db.selectFrom('turns').select('id').execute()).toHaveLength(1)
  expect(await loop.store.db.selectFrom('signals').selectAll().execute()).toEqual([])
  const inbox = await loop.store.db.selectFrom('inbox').select(['state', 'error']).execute()
  expect(inbox.every(({ state, error }) => state === 'handled' && error === null)).toBe(true)
})

test('a reply that its person stops ends where it was, and is not learned from', async () => {
  const stop = new AbortController()
  const { reply } = loop.platform
  loop.platform.reply = (to) => ({ ...reply(to), stopped: stop.signal })
  let tokens = 0
  loop.engine.pace = async () => {
    if (tokens++ === 5) stop.abort()
  }
  const message = await loop.ask('tell me everything')
  expect([...loop.platform.replies.values()]).toEqual(['re: t'])
  expect(loop.platform.failures).toEqual([])
  const turn = await loop.store.db.selectFrom('turns').selectAll().executeTakeFirstOrThrow()
  expect(turn).toMatchObject({ text: 're: t', finish: 'aborted', kind: 'main' })
  expect(turn.response_ids.length).toBe(4 * 5)
  loop.platform.reply = reply
  await loop.send('reaction', { message, emoji: '👎' })
  await loop.runtime.idle()
  expect(await loop.store.batch(home, 9)).toEqual([])
  await loop.ask('shorter please')
  expect(await loop.store.workspaceNotes(home)).toHaveLength(1)
})

test('stopped before its first word, it shows that it was', async () => {
  const stop = AbortSignal.abort()
  const { reply } = loop.platform
  loop.platform.reply = (to) => ({ ...reply(to), stopped: stop })
  await loop.ask('hello')
  expect([...loop.platform.replies.values()]).toEqual(['…'])
})

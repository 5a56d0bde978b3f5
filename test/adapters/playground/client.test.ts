import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client, Said, Update } from '../../../adapters/playground/protocol.ts'
import { alive, connect } from '../../../adapters/playground/remote.ts'
import { PLATFORM } from '../../../adapters/playground/said.ts'
import { turnId } from '../../../core/stream/turns.ts'
import { RUN, type Served, serve } from './served.ts'

const lost: unknown[] = []

/** The same client in the same process and over HTTP: whoever uses one need not know which. */
const WAYS: Readonly<Record<string, (served: Served, workspace: string) => Promise<Client>>> = {
  'in process': async (served, workspace) => served.playground.client(workspace),
  'over HTTP': (served, workspace) =>
    connect({ url: served.url, token: RUN, workspace, lost: (error) => lost.push(error) }),
}

const ada = { id: 'ada', name: 'Ada' }
let number = 0
const about = () => ({ id: `e${++number}`, conversation: 'c', person: ada })
const message = (text: string): Said & { type: 'message' } => ({
  ...about(),
  type: 'message',
  message: `m${number}`,
  text,
})

async function until<T>(find: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe.each(Object.entries(WAYS))('a client %s', (_way, open) => {
  let served: Served
  let client: Client
  let heard: Update[]

  beforeEach(async () => {
    served = await serve()
    client = await open(served, 'a workspace/with signs')
    heard = []
    client.listen((update) => heard.push(update))
  })
  afterEach(async () => {
    client.close()
    await served.close()
    expect(served.faults).toEqual([])
    expect(lost).toEqual([])
  })

  const reply = (turn: string) => until(() => heard.find((update) => update.type === 'reply' && update.turn === turn))

  test('hears what it said, the reply as it grows, and the reply', async () => {
    const said = message('hello')
    await client.tell(said)
    const turn = turnId({ platform: PLATFORM, workspace: client.workspace, id: said.id })
    expect(await reply(turn)).toMatchObject({ conversation: 'c', text: 're: hello' })
    expect(heard[0]).toMatchObject({ type: 'message', message: said.message, person: ada, text: 'hello' })
    const grown = heard.filter((update) => update.type === 'writing')
    expect(grown[0]).toMatchObject({ from: 0, text: '' })
    expect(grown.map((update) => update.text).join('')).toBe('re: hello')
    expect(await client.turn(turn)).toMatchObject({ text: 're: hello', asked: 'hello', person: 'ada', version: 0 })
    expect(await client.turn('nobody')).toBeNull()
  })

  test('the same thing said twice is one thing', async () => {
    const said = message('hello')
    await client.tell(said)
    await client.tell(said)
    await client.settle(false)
    expect((await client.history('c')).messages).toHaveLength(2)
  })

  test('reactions, edits and deletions stand in the history', async () => {
    const said = message('hello')
    await client.tell(said)
    const turn = turnId({ platform: PLATFORM, workspace: client.workspace, id: said.id })
    await reply(turn)
    await client.settle(false)
    await client.tell({ ...about(), type: 'reaction', message: turn, emoji: '👍' })
    await client.tell({ ...about(), type: 'edit', message: said.message, text: 'hello again' })
    await client.settle(false)
    const { messages } = await client.history('c')
    expect(messages.map(({ text }) => text)).toEqual(['hello again', 're: hello'])
    expect(messages[1]?.reactions).toEqual([{ emoji: '👍', person: 'ada' }])
    await client.tell({ ...about(), type: 'reaction_removed', message: turn, emoji: '👍' })
    await client.tell({ ...about(), type: 'deletion', message: said.message })
    await client.settle(false)
    const after = (await client.history('c')).messages
    expect(after.map(({ text, reactions }) => [text, reactions])).toEqual([['re: hello', []]])
  })

  test('nobody changes what somebody else has said', async () => {
    const said = message('mine')
    await client.tell(said)
    await client.settle(false)
    const ben = { ...about(), person: { id: 'ben', name: 'Ben' } }
    for (const change of [
      { ...ben, type: 'edit', message: said.message, text: 'yours' },
      { ...ben, type: 'deletion', message: said.message },
    ] as const) {
      await expect(client.tell(change)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
    }
    expect((await client.history('c')).messages[0]?.text).toBe('mine')
  })

  test('the panel shows signals, verdicts and what waits; other workspaces see nothing of it', async () => {
    await client.tell(message('What is rain?'))
    await client.settle(false)
    await client.tell(message('shorter please'))
    await client.settle(false)
    const panel = await client.panel()
    expect(panel).toMatchObject({ model: 'parrot', batch: 4, waiting: 1, serving: 0, learning: true })
    expect(panel.turns[1]).toMatchObject({
      asked: 'What is rain?',
      signals: [{ type: 'message', person: 'ada', content: 'shorter please' }],
      verdict: { score: -1, hint: expect.stringContaining('short') },
      lesson: 'waiting',
    })
    const other = await open(served, 'other')
    expect((await other.panel()).turns).toEqual([])
    expect(await other.conversations()).toEqual([])
    other.close()
    expect(await client.conversations()).toMatchObject([{ conversation: 'c', title: 'What is rain?' }])
    expect(heard.some((update) => update.type === 'learning')).toBe(true)
  })

  test('who comes while a reply grows gets what is there', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    let tokens = 0
    served.engine.pace = async () => {
      if (++tokens === 4) await held
    }
    await client.tell(message('hello'))
    await until(() => heard.some((update) => update.type === 'writing' && update.text === ':'))
    const late: Update[] = []
    const other = await open(served, client.workspace)
    other.listen((update) => late.push(update))
    go()
    await until(() => late.some((update) => update.type === 'reply'))
    let text = ''
    for (const update of late) if (update.type === 'writing') text = text.slice(0, update.from) + update.text
    expect(text).toBe('re: hello')
    other.close()
  })
})

test('a client over HTTP outlives a restart of the server and says what was not durable again', async () => {
  let served = await serve()
  const { port } = new URL(served.url)
  const client = await connect({ url: served.url, token: RUN, workspace: 'home', lost: (error) => lost.push(error) })
  const heard: Update[] = []
  client.listen((update) => heard.push(update))
  await served.close()
  const telling = client.tell(message('are you there'))
  served = await serve({ port: Number(port) })
  await telling
  await until(() => heard.some((update) => update.type === 'reply'))
  expect(heard.some((update) => update.type === 'reset')).toBe(true)
  client.close()
  await served.close()
})

test('a server is alive for those who know its run', async () => {
  const served = await serve()
  expect(await alive({ url: served.url, token: RUN })).toBe(true)
  expect(await alive({ url: served.url, token: 'of another run' })).toBe(false)
  await served.close()
  expect(await alive({ url: served.url, token: RUN })).toBe(false)
})

test.each([
  ['no object', 7],
  ['no type', { ...about(), text: 'a' }],
  ['an unknown type', { ...about(), type: 'button' }],
  ['no person', { id: 'a', conversation: 'c', type: 'command', text: 'a' }],
  ['no text', { ...about(), type: 'message', message: 'm' }],
  ['an empty text', { ...about(), type: 'message', message: 'm', text: '' }],
  ['a text without end', { ...about(), type: 'message', message: 'm', text: 'x'.repeat(20_001) }],
  ['an id without end', { ...about(), id: 'x'.repeat(129), type: 'command', text: 'a' }],
])('an event with %s is refused', async (_what, body) => {
  const served = await serve()
  const response = await fetch(new URL('api/workspaces/home/events', served.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'REQUEST_INVALID' })
  await served.close()
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type FakeDiscord, startFakeDiscord } from '../../fake-platforms/discord/discord.ts'
import { PERMISSION } from '../../fake-platforms/discord/permissions.ts'

let fake: FakeDiscord
let clock = 0
let channel = ''

beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1)
  fake = await startFakeDiscord({ now: () => clock })
  channel = fake.guilds[0].system_channel_id ?? ''
})

afterEach(() => fake.close())

const QUIET = { allowed_mentions: { parse: [] } }

async function call(method: string, path: string, body?: unknown, token = fake.token) {
  const response = await fetch(`${fake.url}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

const send = (body: object, to = channel) => call('POST', `/channels/${to}/messages`, { ...QUIET, ...body })

describe('what Discord would not take', () => {
  test.each([
    ['a field that it does not know', { content: 'x', colour: 'red' }, 50035],
    ['2,001 characters', { content: 'x'.repeat(2_001) }, 50035],
    ['a nonce of 26 characters', { content: 'x', nonce: 'n'.repeat(26) }, 50035],
    ['text that may ping', { content: 'x', allowed_mentions: { parse: ['everyone'] } }, 50035],
    ['text whose pings nobody has thought of', { content: 'x', allowed_mentions: undefined }, 50035],
    ['nothing', { content: '' }, 50006],
    ['an answer to what is not there', { content: 'x', message_reference: { message_id: '12345678901234567' } }, 50035],
  ])('%s is refused, and remembered', async (_, body, code) => {
    expect((await send(body)).body.code).toBe(code)
    expect(fake.violations).toHaveLength(1)
  })

  test('a call that there is not', async () => {
    expect((await call('GET', '/channels')).status).toBe(404)
    expect(fake.violations).toHaveLength(1)
  })

  test.each([
    ['an unknown channel', () => '1', 10003],
    ['one that it may not see', () => fake.addChannel(fake.guilds[0].id, 'hidden', PERMISSION.viewChannel), 50001],
    ['one that it may not write in', () => fake.addChannel(fake.guilds[0].id, 'read', PERMISSION.sendMessages), 50013],
  ])('%s', async (_, to, code) => {
    expect((await send({ content: 'x' }, to())).body.code).toBe(code)
  })

  test('another token', async () => {
    expect((await call('GET', '/users/@me', undefined, 'another')).status).toBe(401)
  })
})

test('a nonce is one message, for some minutes', async () => {
  const post = async () => (await send({ content: 'x', nonce: 'n', enforce_nonce: true })).body.id
  const first = await post()
  expect(await post()).toBe(first)
  clock += 200_000
  expect(await post()).not.toBe(first)
})

test('a nonce outlives the message that it is of, for as long', async () => {
  const post = async () => (await send({ content: 'x', nonce: 'n', enforce_nonce: true })).body.id
  const first = await post()
  fake.forget(0)
  expect(fake.shown(channel)).toEqual([])
  expect(await post()).toBe(first)
  expect(fake.shown(channel)).toEqual([])
  clock += 200_000
  fake.forget(0)
  expect(fake.world.nonces.size).toBe(0)
  expect(await post()).not.toBe(first)
})

test('a limit says for how long, in header and body', async () => {
  fake.fault({ type: 'limited', seconds: 2 })
  const { status, headers, body } = await send({ content: 'x' })
  expect([status, headers.get('retry-after'), body.retry_after]).toEqual([429, '2', 2])
  expect((await send({ content: 'x' })).status).toBe(200)
})

test('messages after one are given newest first, the oldest of them chosen', async () => {
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) ids.push(fake.say(channel, fake.people.ann.id, `m${at}`))
  const { body } = await call('GET', `/channels/${channel}/messages?after=${ids[0]}&limit=2`)
  expect(body.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
  const { body: earlier } = await call('GET', `/channels/${channel}/messages?before=${ids[3]}&limit=2`)
  expect(earlier.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
})

describe('interactions', () => {
  const begin = async () => {
    const option = { type: 1, name: 'status', description: 'x' }
    const command = { name: 'claw', description: 'x', contexts: [0, 1], options: [option] }
    await call('PUT', `/applications/${fake.world.applicationId}/commands`, [command])
    let token = ''
    const socket = await identified(0)
    socket.on('message', (data) => {
      token = JSON.parse(String(data)).d?.token ?? token
    })
    const id = fake.command(channel, fake.people.ann.id, 'status')
    await fake.gateway.flush()
    socket.close()
    return { id, token, answer: () => call('POST', `/interactions/${id}/${token}/callback`, { type: 5 }) }
  }

  test('are answered within three seconds, once', async () => {
    const first = await begin()
    expect((await first.answer()).status).toBe(204)
    expect((await first.answer()).body.code).toBe(40060)
    const late = await begin()
    clock += 3_001
    expect((await late.answer()).body.code).toBe(10062)
    expect(fake.interactions.unanswered()).toEqual([late.id])
  })

  test('may be talked on to for a quarter of an hour', async () => {
    const { token, answer } = await begin()
    await answer()
    const path = `/webhooks/${fake.world.applicationId}/${token}/messages/%40original`
    expect((await call('PATCH', path, { ...QUIET, content: 'done' })).status).toBe(200)
    clock += 15 * 60_000 + 1
    expect((await call('PATCH', path, { ...QUIET, content: 'late' })).body.code).toBe(50027)
  })
})

/** A session with these intents. */
async function identified(
  intents: number,
  heard?: (frame: { d?: { session_id?: string } }) => void,
): Promise<WebSocket> {
  const { body } = await call('GET', '/gateway/bot')
  const socket = new WebSocket(`${body.url}/?v=10&encoding=json`)
  socket.on('message', (data) => heard?.(JSON.parse(String(data))))
  const ready = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).t === 'READY') resolve()
    })
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ op: 2, d: { token: fake.token, intents, properties: {} } }))
  await ready
  return socket
}

test.each([
  ['without the intent, only what mentions the bot can be read', 1 << 9, ['', 'mention']],
  ['with it, everything', (1 << 9) | (1 << 15), ['words', 'mention']],
])('%s', async (_, intents, expected) => {
  const socket = await identified(intents)
  const heard: string[] = []
  socket.on('message', (data) => {
    const { t, d } = JSON.parse(String(data))
    if (t === 'MESSAGE_CREATE') heard.push(d.content.replace(/<@\d+> /, ''))
  })
  fake.say(channel, fake.people.ann.id, 'words')
  fake.say(channel, fake.people.ann.id, `<@${fake.world.bot.id}> mention`)
  await fake.gateway.flush()
  expect(heard).toEqual(expected)
  socket.close()
})

describe('what is forgotten', () => {
  async function resumed(session: string, seq: number): Promise<readonly { op: number; s?: number; t?: string }[]> {
    const { body } = await call('GET', '/gateway/bot')
    const socket = new WebSocket(`${body.url}/?v=10&encoding=json`)
    const frames: { op: number; s?: number; t?: string }[] = []
    const answered = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data))
        frames.push(frame)
        if (frame.op === 9 || frame.t === 'RESUMED') resolve()
      })
    })
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(JSON.stringify({ op: 6, d: { token: fake.token, session_id: session, seq } }))
    await answered
    socket.terminate()
    return frames.filter(({ op }) => op !== 10)
  }

  test('is what a bot has acknowledged, and nothing that it may still have missed', async () => {
    let session = ''
    const socket = await identified(1 << 9, (frame) => {
      session = frame.d?.session_id ?? session
    })
    for (let at = 0; at < 5; at += 1) fake.say(channel, fake.people.ann.id, `m${at}`)
    await fake.gateway.flush()
    const sent = fake.gateway.sent()
    fake.forget(0)
    expect((await resumed(session, 1)).map(({ s }) => s)).toEqual(Array.from({ length: sent }, (_, index) => index + 2))
    await resumed(session, sent)
    fake.forget(1)
    const known = fake.gateway.sent()
    fake.say(channel, fake.people.ann.id, 'after')
    expect(fake.gateway.sent()).toBe(known + 1)
    expect((await resumed(session, known)).map(({ s, t }) => [s, t])).toEqual([
      [known + 1, 'MESSAGE_CREATE'],
      [known + 2, 'RESUMED'],
    ])
    expect(await resumed(session, 1)).toMatchObject([{ op: 9 }])
    socket.close()
  })

  test('are threads other than those in which something was said last', async () => {
    const [old, busy, empty] = ['old', 'busy', 'empty'].map((name) => fake.open(channel, fake.people.ann.id, name))
    fake.say(busy!, fake.people.ann.id, 'still here')
    fake.forget(2)
    expect([old, busy, empty].map((id) => fake.world.channels.has(id!))).toEqual([false, true, true])
  })
})

import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { endpointVoter } from '../../../core/judge/endpoint.ts'

/** A chat-completions server that misbehaves as it is told. */
let server: FastifyInstance
let url: string
let seen: { path: string; authorization: string | undefined; body: unknown }[]
let behave: (reply: FastifyReply, call: number) => unknown

const completion = (content: string, finish_reason = 'stop') => ({
  choices: [{ message: { role: 'assistant', content }, finish_reason }],
})
const key = ['sk', 'judge', 'secret'].join('-')
const messages = [{ role: 'user', content: 'was it good?' }] as const
const forever = new AbortController().signal

beforeAll(async () => {
  server = fastify()
  server.post('/*', (request, reply) => {
    seen.push({ path: request.url, authorization: request.headers.authorization, body: request.body })
    return behave(reply, seen.length)
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})

beforeEach(() => {
  seen = []
  behave = () => completion('1 |')
})

afterAll(async () => {
  server.server.closeAllConnections()
  await server.close()
})

const voter = (timeoutMs = 2_000) => endpointVoter({ url: `${url}/v1`, model: 'big', key, timeoutMs })

test('asks for each vote, with the key', async () => {
  expect(await voter().ask(messages, 3, forever)).toEqual([{ text: '1 |' }, { text: '1 |' }, { text: '1 |' }])
  expect(seen).toHaveLength(3)
  expect(seen[0]).toMatchObject({
    path: '/v1/chat/completions',
    authorization: `Bearer ${key}`,
    body: { model: 'big', messages },
  })
})

test('the address may be given whole, and the key may be missing', async () => {
  await endpointVoter({ url: `${url}/v1/chat/completions/`, model: 'big', key: null, timeoutMs: 2_000 }).ask(
    messages,
    1,
    forever,
  )
  expect(seen).toMatchObject([{ path: '/v1/chat/completions', authorization: undefined }])
})

const fails: [string, (reply: FastifyReply) => unknown, object][] = [
  ['500', (reply) => reply.code(500).send('oops'), { failure: 'broken', waitMs: null }],
  [
    'a wrong key',
    (reply) => reply.code(401).send({ error: { message: `bad key ${key}` } }),
    { failure: 'refused', waitMs: null },
  ],
  ['429', (reply) => reply.code(429).header('retry-after', '7').send(), { failure: 'busy', waitMs: 7_000 }],
  ['503 without a time', (reply) => reply.code(503).send(), { failure: 'busy', waitMs: null }],
  [
    'a pause of years',
    (reply) => reply.code(429).header('retry-after', '999999999').send(),
    { failure: 'busy', waitMs: 600_000 },
  ],
  ['no JSON', () => 'a plain word', { failure: 'unreadable', waitMs: null }],
  ['JSON of another kind', () => ({ choices: 'none' }), { failure: 'unreadable', waitMs: null }],
  ['no text', () => ({ choices: [{ message: { content: null } }] }), { failure: 'unreadable', waitMs: null }],
  ['a reply cut short', () => completion('-1 | Answer in', 'length'), { failure: 'unreadable', waitMs: null }],
  ['an endless reply', () => completion('x'.repeat(2_000_000)), { failure: 'unreadable', waitMs: null }],
  ['a redirect', (reply) => reply.redirect('http://127.0.0.1:9/else', 307), { failure: 'unreachable', waitMs: null }],
]

test.each(fails)('%s', async (_name, how, expected) => {
  behave = how
  expect(await voter().ask(messages, 1, forever)).toEqual([expected])
})

test('a date to come back at', async () => {
  behave = (reply) =>
    reply
      .code(429)
      .header('retry-after', new Date(Date.now() + 30_000).toUTCString())
      .send()
  const [answer] = await voter().ask(messages, 1, forever)
  expect(answer).toMatchObject({ failure: 'busy' })
  expect(answer && 'waitMs' in answer ? answer.waitMs : 0).toBeGreaterThan(25_000)
})

test('whoever hangs is left, and the other votes count', async () => {
  behave = (reply, call) => {
    if (call !== 1) return completion('-1 |')
    reply.hijack()
    return undefined
  }
  const answers = await voter(200).ask(messages, 3, forever)
  expect(answers.filter((answer) => 'text' in answer)).toHaveLength(2)
  expect(answers).toContainEqual({ failure: 'timeout', waitMs: null })
})

test('a body that never ends is left too', async () => {
  behave = (reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'application/json' })
    reply.raw.write('{"choices":')
  }
  expect(await voter(200).ask(messages, 1, forever)).toEqual([{ failure: 'timeout', waitMs: null }])
})

test('stops when it is told to', async () => {
  behave = (reply) => {
    reply.hijack()
  }
  const stop = new AbortController()
  const asked = voter(60_000).ask(messages, 2, stop.signal)
  setTimeout(() => stop.abort(), 50)
  expect(await asked).toHaveLength(2)
})

test('nobody there', async () => {
  const nobody = endpointVoter({ url: 'http://127.0.0.1:9/v1', model: 'big', key, timeoutMs: 2_000 })
  expect(await nobody.ask(messages, 1, forever)).toEqual([{ failure: 'unreachable', waitMs: null }])
})

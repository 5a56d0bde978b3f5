import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createMetrics } from '../../../core/http/metrics.ts'
import { createHttp, type Http, type HttpOptions } from '../../../core/http/server.ts'

const running: Http[] = []
afterEach(async () => {
  for (const http of running.splice(0)) await http.close()
})

async function start(options: Partial<HttpOptions> = {}) {
  const faults: unknown[] = []
  const http = createHttp({
    host: '127.0.0.1',
    port: 0,
    token: null,
    run: 'this-run',
    waitsFor: async () => [],
    metrics: createMetrics().text,
    report: (fault) => faults.push(fault),
    ...options,
  })
  running.push(http)
  http.app.post('/echo', async ({ body }) => body)
  http.app.get('/broken', async () => {
    throw new Error('what Ada said')
  })
  const url = await http.listen()
  return { url, faults, get: (path: string, init: RequestInit = {}) => fetch(new URL(path, url), init) }
}

const post = (body: string, type = 'application/json') => ({ method: 'POST', body, headers: { 'content-type': type } })

test('health is always there, readiness says what is missing', async () => {
  let waits = ['model']
  const { get } = await start({ waitsFor: async () => waits })
  expect(await (await get('healthz')).json()).toEqual({ status: 'ok', platforms: {} })
  const before = await get('readyz')
  expect([before.status, await before.json()]).toEqual([503, { status: 'starting', waitsFor: ['model'] }])
  waits = []
  expect((await get('readyz')).status).toBe(200)
})

test('health says how each platform stands, and nobody’s token', async () => {
  const token = ['12345', '67890:', 'A'.repeat(35)].join('')
  const health = { since: 0, detail: `getMe at /bot${token}/getMe: 401` }
  const platforms = () => ({ telegram: { ...health, state: 'refused' } }) as const
  const { get } = await start({ platforms })
  expect(await (await get('healthz')).json()).toEqual({
    status: 'ok',
    platforms: {
      telegram: {
        state: 'refused',
        since: '1970-01-01T00:00:00.000Z',
        detail: 'getMe at /bot[secret: telegram token]/getMe: 401',
      },
    },
  })
})

test('metrics have the process and its event loop before the bot is up', async () => {
  const { get } = await start()
  const answer = await get('metrics')
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  const text = await answer.text()
  for (const name of ['claw_nodejs_eventloop_lag_seconds', 'claw_process_cpu_seconds_total', 'claw_turns']) {
    expect(text).toContain(name)
  }
})

test('every answer, also a refusal, has the headers that keep a page safe', async () => {
  const { get } = await start()
  for (const path of ['healthz', 'nowhere', 'broken']) {
    const { headers } = await get(path)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/)
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('a body that is too long, no JSON or of another type is refused and not reported', async () => {
  const { get, faults } = await start()
  const statuses = []
  for (const init of [post('{"a":1}'), post(`"${'x'.repeat(70_000)}"`), post('{'), post('{}', 'text/plain')]) {
    statuses.push((await get('echo', init)).status)
  }
  expect(statuses).toEqual([200, 413, 400, 415])
  expect(faults).toEqual([])
})

test('a fault is reported, and its message kept from whoever asked', async () => {
  const { get, faults } = await start()
  const answer = await get('broken')
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('Ada')
  expect(faults).toHaveLength(1)
})

test('a port in use is said in one line, with the way out', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  await expect(start({ port })).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: `Port ${port} on 127.0.0.1 is taken by another program`,
    remedy: expect.stringContaining('--port'),
  })
  taken.close()
})

test('where others can reach it, it does not start without a token', () => {
  const options = { port: 0, run: 'r', waitsFor: async () => [], metrics: async () => '', report() {} }
  expect(() => createHttp({ ...options, host: '0.0.0.0', token: null })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', remedy: expect.stringContaining('CLAW_HTTP_TOKEN') }),
  )
})

test('the address with the token logs a browser in and takes the token out of the address', async () => {
  const token = 'letters-and-digits-1'
  const { get } = await start({ token })
  const answer = await get(`?token=${token}`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  expect((await get('metrics', { headers: { cookie } })).status).toBe(200)
  expect((await get('metrics')).status).toBe(401)
})

import { describe, expect, test } from 'vitest'
import { type Door, isLoopback, type Knock, loginCookie, refusal } from '../../../core/http/guard.ts'

const TOKEN = 'a secret of the operator'
const local: Door = { host: '127.0.0.1', token: null, run: 'this-run' }
const open: Door = { host: '0.0.0.0', token: TOKEN, run: 'this-run' }

const knock = (headers: Knock['headers'], path = '/api/workspaces', token?: string): Knock => ({
  path,
  headers: { host: '127.0.0.1:30000', ...headers },
  token,
})
const status = (door: Door, at: Knock) => refusal(door, at)?.status ?? 200

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.2', false],
  ['127.0.0.1.example.org', false],
])('%s is loopback: %s', (host, loopback) => {
  expect(isLoopback(host)).toBe(loopback)
})

describe('without a token this machine is trusted, and nobody else', () => {
  test.each([
    ['the page itself', {}, 200],
    ['by the name localhost', { host: 'localhost:30000' }, 200],
    ['by IPv6', { host: '[::1]:30000' }, 200],
    ['DNS rebinding: another name that leads here', { host: 'evil.example:30000' }, 403],
    ['DNS rebinding: a name that begins like this machine', { host: '127.0.0.1.evil.example' }, 403],
    ['no host', { host: undefined as unknown as string }, 403],
    ['CSRF: a form of another site', { origin: 'https://evil.example' }, 403],
    ['CSRF: a page without an origin', { origin: 'null' }, 403],
    ['CSRF: a page on another port of this machine', { origin: 'http://127.0.0.1:8080' }, 403],
    ['CSRF: an image of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['CSRF: a script of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    ['its own script', { origin: 'http://127.0.0.1:30000', 'sec-fetch-site': 'same-origin' }, 200],
    ['a program that knows the run', { authorization: 'Bearer this-run' }, 200],
    ['a program that looks for another run', { authorization: 'Bearer another' }, 401],
  ])('%s', (_what, headers, expected) => {
    expect(status(local, knock(headers))).toBe(expected)
  })

  test('a link of another site leads to the page, and to nothing else', () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect(status(local, knock(link, '/'))).toBe(200)
    expect(status(local, knock(link, '/api/workspaces'))).toBe(403)
  })
})

describe('with a token everyone has to show it', () => {
  const cookie = loginCookie(TOKEN).split(';', 1)[0]
  test.each([
    ['nothing shown', knock({ host: 'claw.example' }), 401],
    ['as a bearer token', knock({ host: 'claw.example', authorization: `Bearer ${encodeURIComponent(TOKEN)}` }), 401],
    ['in the address', knock({ host: 'claw.example' }, '/', TOKEN), 200],
    ['a wrong one in the address', knock({ host: 'claw.example' }, '/', `${TOKEN}!`), 401],
    ['in the cookie', knock({ host: 'claw.example', cookie: `a=b; ${cookie}` }), 200],
    ['a cookie that is none', knock({ host: 'claw.example', cookie: 'claw=%E0%A4%A' }), 401],
    ['the cookie, but from another site', knock({ host: 'claw.example', cookie, origin: 'https://evil.example' }), 403],
    ['health', knock({ host: 'claw.example' }, '/healthz'), 200],
    ['readiness', knock({ host: 'claw.example' }, '/readyz'), 200],
    ['metrics', knock({ host: 'claw.example' }, '/metrics'), 401],
    ['the page', knock({ host: 'claw.example' }, '/'), 401],
  ] as const)('%s', (_what, at, expected) => {
    expect(status(open, at)).toBe(expected)
  })

  test('a bearer token of letters', () => {
    const door = { ...open, token: 'letters-and-digits-1' }
    expect(status(door, knock({ host: 'x', authorization: 'Bearer letters-and-digits-1' }))).toBe(200)
  })

  test('no script reads the cookie, and of other sites only a link has it sent, to the page alone', () => {
    expect(loginCookie(TOKEN)).toMatch(/HttpOnly; SameSite=Lax/)
    const link = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect(status(open, knock(link, '/'))).toBe(200)
    expect(status(open, knock(link))).toBe(403)
  })
})

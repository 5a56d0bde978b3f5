import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Where a server listens and what it asks for. */
export interface Door {
  readonly host: string
  /** What everyone has to show; null lets in whoever is on this machine. */
  readonly token: string | null
  /** Of this run: a program of the owner shows it, and so knows that it has found the server it looked for. */
  readonly run: string
}

export interface Knock {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The token in the address, as the first visit of a browser has it. */
  readonly token: string | undefined
}

export interface Refusal {
  readonly status: 401 | 403
  readonly message: string
}

const COOKIE = 'claw'

/** Answers that hold nobody's words and that a watchdog asks for. */
const OPEN = new Set(['/healthz', '/readyz'])

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/**
 * Decides who may come in; null is yes. Without a token the server trusts this machine, so it must not be reachable by
 * a page from elsewhere: neither under another name (DNS rebinding) nor by a request that such a page makes.
 */
export function refusal(door: Door, { path, headers, token }: Knock): Refusal | null {
  if (door.token === null && !isLoopback(hostName(headers.host))) {
    return { status: 403, message: 'Open it as localhost or 127.0.0.1; under another name it needs CLAW_HTTP_TOKEN.' }
  }
  if (foreign(path, headers)) return { status: 403, message: 'Pages of other sites may not ask this server.' }
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) {
    const known = same(bearer, door.run) || (door.token !== null && same(bearer, door.token))
    return known ? null : { status: 401, message: 'This token is not the server’s.' }
  }
  if (door.token === null || OPEN.has(path)) return null
  const shown = token ?? cookie(headers.cookie)
  if (shown !== undefined && same(shown, door.token)) return null
  return { status: 401, message: 'Open the address with ?token=… behind it, or send the token as a bearer token.' }
}

/**
 * The cookie that keeps a browser logged in: no script reads it, and no other site's page has it sent. A link does, else
 * whoever follows one with the token in it would be logged in and refused at once; `refusal` lets links lead to the page
 * alone.
 */
export function loginCookie(token: string): string {
  return `${COOKIE}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`
}

/** Sent with every answer. Nothing inline, nothing from elsewhere, no frame around it. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
}

/** Whether another site's page makes this request. Following a link to the page itself is no such thing. */
function foreign(path: string, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return path !== '/' || headers['sec-fetch-mode'] !== 'navigate'
}

/** `[::1]:30000` → `::1` */
function hostName(header: string | undefined): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(header ?? '') ?? []
  return (bracketed ?? plain ?? '').toLowerCase()
}

function cookie(header: string | undefined): string | undefined {
  const value = new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(header ?? '')?.[1]
  try {
    return value === undefined ? undefined : decodeURIComponent(value)
  } catch {
    return undefined
  }
}

/** In the same time whether it is right or nearly right. */
function same(shown: string, known: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(known)]
  return a.length === b.length && timingSafeEqual(a, b)
}

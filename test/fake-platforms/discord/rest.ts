import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Faults } from './faults.ts'
import { type Call, isRefusal, type Route } from './route.ts'
import { type Json, REFUSALS, type Refusal } from './shapes.ts'

/** A call that the bot made, as it came. */
export interface Recorded {
  readonly method: string
  /** Without the version: `/channels/1/messages`. */
  readonly path: string
  readonly body: unknown
  readonly at: number
  readonly status: number
}

export interface RestOptions {
  readonly routes: readonly Route[]
  readonly faults: Faults
  readonly token: () => string
  readonly now: () => number
  readonly record: (call: Recorded) => void
  readonly violate: (violation: string) => void
}

/** Faults of the caller, whatever people did meanwhile: a body that Discord does not know, or one that it would not take. */
const VIOLATIONS: readonly number[] = [50035, 50006]

export function handleRest(options: RestOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { routes, faults, now } = options

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET'
    const url = new URL(request.url ?? '/', 'http://localhost')
    const path = url.pathname.replace(/^\/api\/v10/, '')
    const { body, files } = await bodyOf(request)
    const found = match(routes, method, path)
    const say = (status: number, json: unknown, headers: Record<string, string> = {}) => {
      options.record({ method, path, body, at: now(), status })
      // An answer without a body must not say that it is JSON.
      response.writeHead(status, {
        ...LIMITS,
        ...headers,
        ...(status === 204 ? {} : { 'content-type': 'application/json' }),
      })
      response.end(status === 204 ? undefined : JSON.stringify(json))
    }
    if (!url.pathname.startsWith('/api/v10/') || found === null) {
      options.violate(`${method} ${url.pathname} is no call of the API`)
      return say(404, REFUSALS.notFound)
    }
    const { route, names } = found
    const open = path.startsWith('/interactions/') || path.startsWith('/webhooks/')
    if (!open && request.headers.authorization !== `Bot ${options.token()}`)
      return say(401, bodyFor(REFUSALS.unauthorized))
    const fault = route.writes ? faults.take() : null
    if (fault?.type === 'limited') {
      const retry_after = fault.seconds
      const headers = {
        'retry-after': String(retry_after),
        'x-ratelimit-scope': 'user',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset-after': String(retry_after),
      }
      return say(429, { message: 'You are being rate limited.', retry_after, global: false }, headers)
    }
    if (fault?.type === 'refused') return say(503, { message: '503: Service Unavailable', code: 0 })
    const call: Call = { names, query: url.searchParams, body, files }
    const answer = route.run(call)
    if (fault?.type === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    if (fault?.type === 'lost') {
      options.record({ method, path, body, at: now(), status: 0 })
      response.destroy()
      return
    }
    if (!isRefusal(answer)) return say(answer === null ? 204 : 200, answer)
    if (VIOLATIONS.includes(answer.code)) {
      options.violate(`${method} ${path}: ${answer.message} ${JSON.stringify(answer.errors ?? {})}`)
    }
    say(answer.status, bodyFor(answer))
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      options.violate(`${request.method} ${request.url}: ${error}`)
      response.destroy()
    })
  }
}

const LIMITS = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset-after': '1' }

const bodyFor = ({ code, message, errors }: Refusal): Json => ({ code, message, ...(errors ? { errors } : {}) })

function match(routes: readonly Route[], method: string, path: string): { route: Route; names: string[] } | null {
  const parts = path.split('/').map(decodeURIComponent)
  for (const route of routes) {
    const pattern = route.path.split('/')
    if (route.method !== method || pattern.length !== parts.length) continue
    if (!pattern.every((part, at) => part === ':' || part === parts[at])) continue
    return { route, names: parts.filter((_, at) => pattern[at] === ':') }
  }
  return null
}

async function bodyOf(request: IncomingMessage): Promise<Pick<Call, 'body' | 'files'>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const data = Buffer.concat(chunks)
  const type = request.headers['content-type'] ?? ''
  if (data.length === 0) return { body: null, files: [] }
  if (!type.startsWith('multipart/')) return { body: JSON.parse(data.toString()), files: [] }
  const form = await new Response(data, { headers: { 'content-type': type } }).formData()
  const files: { name: string; text: string }[] = []
  for (const value of form.values()) {
    if (typeof value !== 'string') files.push({ name: value.name, text: await value.text() })
  }
  const payload = form.get('payload_json')
  return { body: typeof payload === 'string' ? JSON.parse(payload) : {}, files }
}

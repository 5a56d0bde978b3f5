import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import type { Fault } from '../fault.ts'
import type { Counter } from '../traffic.ts'
import { SENDING } from './chat.ts'
import { Refusal } from './checks.ts'
import type { Delivery } from './delivery.ts'
import type { Reach } from './method.ts'
import { METHODS } from './methods.ts'
import { APP, type FakeTeam, type Fields, newId } from './world.ts'

/** The app as it is registered at the platform. */
export interface Registration {
  readonly appToken: string
  readonly signingSecret: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Call {
  readonly method: string
  /** The workspace that its token belongs to. */
  readonly team: string | null
  readonly args: Fields
  readonly at: number
  /** Null where it was done. */
  readonly error: string | null
}

export interface Served {
  readonly url: string
  readonly calls: Call[]
  /** Faults that the next calls meet. */
  readonly faults: Fault[]
  /** Errors that the next calls of a method are answered with. */
  readonly refusals: { readonly method: string; readonly error: string }[]
  /** Codes that were given out by the page of consent, and for which workspace. */
  readonly codes: Map<string, FakeTeam>
  close(): Promise<void>
}

export interface ServeOptions extends Registration {
  readonly port: number
  readonly teams: ReadonlyMap<string, FakeTeam>
  readonly delivery: Delivery
  readonly reach: Reach
  readonly counter: Counter
  /** Gives a workspace a token. */
  readonly install: (team: FakeTeam, scopes: readonly string[]) => string
  /** What the app answers a command or an interaction with later. */
  readonly respond: (id: string, body: Fields) => boolean
  readonly wrong: (what: string) => void
}

/** The Web API, the page of consent, the addresses for late answers and the sockets. */
export async function serveSlack(options: ServeOptions): Promise<Served> {
  const { teams, delivery, reach, wrong } = options
  const calls: Call[] = []
  const faults: Fault[] = []
  const refusals: Served['refusals'] = []
  const codes: Served['codes'] = new Map()

  const teamOf = (token: string) => [...teams.values()].find((team) => team.installation?.token === token)

  function takeFault(method: string): Fault | undefined {
    const [fault] = faults
    if (fault === undefined || !SENDING.test(method)) return undefined
    const left = ('times' in fault ? (fault.times ?? 1) : 1) - 1
    if (left > 0) faults[0] = { ...fault, times: left } as Fault
    else faults.shift()
    return fault
  }

  function call(method: string, token: string, args: Fields): Fields {
    const refusal = refusals.findIndex((one) => one.method === method)
    if (refusal >= 0) throw new Refusal(refusals.splice(refusal, 1)[0]?.error ?? '', false)
    if (method === 'api.test') return {}
    if (method === 'apps.connections.open') {
      if (token !== options.appToken) throw new Refusal('not_allowed_token_type')
      return { url: `${url.replace('http', 'ws')}link` }
    }
    if (method === 'oauth.v2.access') return exchange(args)
    const known = METHODS[method]
    if (known === undefined) throw new Refusal('unknown_method')
    if (token === '') throw new Refusal('not_authed')
    const team = teamOf(token)
    if (team?.installation == null)
      throw new Refusal(token === options.appToken ? 'not_allowed_token_type' : 'account_inactive')
    const given = team.installation.scopes
    if (known.scopes.length > 0 && !known.scopes.some((scope) => given.includes(scope))) {
      throw new Refusal('missing_scope', false)
    }
    const takes = [...known.required, ...(known.optional ?? []), 'token', 'team_id']
    const unknown = Object.keys(args).filter((name) => !takes.includes(name))
    const missing = known.required.filter((name) => args[name] === undefined || args[name] === '')
    if (unknown.length > 0) throw new Refusal(`unknown arguments: ${unknown.join(', ')}`)
    if (missing.length > 0) throw new Refusal(`missing arguments: ${missing.join(', ')}`)
    if (args.token !== undefined && args.token !== token) throw new Refusal('two different tokens')
    if (args.team_id !== undefined && args.team_id !== team.id) throw new Refusal('the token of another workspace')
    return known.run(team, args, reach)
  }

  function exchange(args: Fields): Fields {
    const team = codes.get(String(args.code))
    if (args.client_id !== options.clientId || args.client_secret !== options.clientSecret)
      throw new Refusal('bad_client_secret')
    if (team === undefined) throw new Refusal('invalid_code')
    codes.delete(String(args.code))
    const scopes = String(args.scope ?? '') || (pending.get(team.id) ?? '')
    const grid = team.enterprise !== null
    return {
      app_id: APP,
      authed_user: { id: 'U0ANN' },
      scope: scopes,
      token_type: 'bot',
      access_token: options.install(team, scopes.split(',')),
      bot_user_id: team.bot.user,
      team: grid ? null : { id: team.id, name: team.name },
      enterprise: grid ? { id: team.enterprise, name: 'grid' } : null,
      is_enterprise_install: grid,
    }
  }

  /** The scopes that were asked for on the page of consent. */
  const pending = new Map<string, string>()

  function consent(asked: URL, response: ServerResponse): void {
    const wanted = asked.searchParams
    const team = teams.get(wanted.get('team') ?? '') ?? [...teams.values()][0]
    if (wanted.get('client_id') !== options.clientId || team === undefined) return void response.writeHead(400).end()
    const code = newId('code')
    codes.set(code, team)
    pending.set(team.id, wanted.get('scope') ?? '')
    const back = new URL(wanted.get('redirect_uri') ?? new URL('/slack/oauth_redirect', delivery.requestUrl ?? url))
    back.searchParams.set('code', code)
    back.searchParams.set('state', wanted.get('state') ?? '')
    response.writeHead(302, { location: String(back) }).end()
  }

  async function api(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request)
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') wrong(`${method}: not form-encoded`)
    const args = decode(body)
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? String(args.token ?? '')
    const fault = takeFault(method)
    const record = (error: string | null) => {
      const { token: _secret, ...shownArgs } = args
      calls.push({ method, team: teamOf(token)?.id ?? null, args: shownArgs, at: Date.now(), error })
    }
    if (fault?.type === 'limited') {
      record('ratelimited')
      return void response.writeHead(429, { 'retry-after': String(fault.seconds) }).end()
    }
    if (fault?.type === 'refused') {
      record('503')
      return void response.writeHead(503).end('upstream connect error')
    }
    if (fault?.type === 'slow') await sleep(fault.ms)
    let answer: Fields
    try {
      answer = { ok: true, ...call(method, token, args) }
      record(null)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      record(error.code)
      if (error.slip) wrong(`${method}: ${error.code}`)
      answer = { ok: false, error: error.code.split(':', 1)[0] }
    }
    if (fault?.type === 'lost') return void request.socket.destroy()
    const scopes = teamOf(token)?.installation?.scopes.join(',')
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      ...(scopes === undefined ? {} : { 'x-oauth-scopes': scopes }),
    })
    response.end(JSON.stringify(answer))
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', url)
    const [first, second = '', third = ''] = asked.pathname.slice(1).split('/')
    if (request.method === 'POST' && first === 'api') return api(second, request, response)
    if (asked.pathname === '/oauth/v2/authorize') return consent(asked, response)
    if (request.method === 'POST' && first === 'upload') {
      const file = teams.get(second)?.files.get(third)
      const text = await read(request)
      if (file === undefined || Buffer.byteLength(text) !== file.length) {
        wrong('an upload that was not announced so')
        return void response.writeHead(500).end()
      }
      file.text = text
      return void response.writeHead(200).end(`OK - ${file.length}`)
    }
    if (request.method === 'POST' && first === 'response') {
      const body = JSON.parse(await read(request)) as Fields
      const fault = takeFault('response')
      if (fault?.type === 'limited') return void response.writeHead(429).end()
      if (fault?.type === 'refused') return void response.writeHead(503).end()
      if (fault?.type === 'slow') await sleep(fault.ms)
      const done = options.respond(`${second}/${third}`, body)
      if (fault?.type === 'lost') return void request.socket.destroy()
      return void response.writeHead(done ? 200 : 404).end('ok')
    }
    wrong(`nothing is served at ${asked.pathname}`)
    response.writeHead(404).end()
  }

  const server = createServer((request, response) => {
    options.counter.request(response)
    route(request, response).catch((error: unknown) => {
      wrong(`the fake itself failed: ${String(error)}`)
      response.writeHead(500).end()
    })
  })
  const sockets = new WebSocketServer({ server, path: '/link' })
  sockets.on('connection', delivery.attach)
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    calls,
    faults,
    refusals,
    codes,
    async close() {
      delivery.close()
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const NESTED = ['blocks', 'metadata', 'chunks', 'view', 'loading_messages', 'files']

function decode(body: string): Fields {
  const entries = [...new URLSearchParams(body)]
  return Object.fromEntries(entries.map(([name, value]) => [name, NESTED.includes(name) ? JSON.parse(value) : value]))
}

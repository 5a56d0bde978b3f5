import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSlack } from '../../../adapters/slack/slack.ts'
import type { Store } from '../../../core/store/store.ts'
import { newPlace, type Place } from '../../stores.ts'

/** Ways in which Slack fails, with tokens that look like real ones. */

const SECRETS = {
  botToken: `${'xoxb'}-1111111111-2222222222-abcdefghijklmnop`,
  appToken: `${'xapp'}-1-A0CLAW-3333333333-abcdefghijklmnop`,
  signingSecret: '0123456789abcdef0123456789abcdef',
}

let place: Place
let store: Store
let server: Server | undefined
const said: unknown[] = []

beforeEach(async () => {
  place = await newPlace()
  store = await place.open()
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...args) => void said.push(...args))
  }
})

afterEach(async () => {
  vi.restoreAllMocks()
  server?.closeAllConnections()
  server?.close()
  server = undefined
  said.length = 0
  await store.close()
  place.remove()
})

async function serve(answer: RequestListener): Promise<string> {
  const listening = createServer(answer)
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/api/`
}

const echo: RequestListener = (request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => response.end(`what was asked: ${request.headers.authorization} ${Buffer.concat(parts)}`))
}

describe.each<[what: string, open: () => Promise<string>]>([
  ['nobody is there', async () => 'http://127.0.0.1:9/api/'],
  ['a name that there is not', async () => 'http://nowhere.invalid/api/'],
  ['an answer that quotes the request', () => serve(echo)],
  [
    'an error that quotes the request',
    () => serve((request, response) => echo(request, response.writeHead(500) as typeof response)),
  ],
  ['a connection that breaks', () => serve((request) => void request.socket.destroy())],
  [
    'a redirection elsewhere',
    () => serve((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()),
  ],
  [
    'a refusal in Slack’s words',
    () => serve((_request, response) => response.end('{"ok":false,"error":"invalid_auth"}')),
  ],
])(
  'hermes-agent#58893, opensre#6048, smithers#812, lingtai#199: no token is told where Slack fails: %s',
  (_what, open) => {
    test('in errors, reports, health and logs', async () => {
      const config = { apiUrl: await open(), host: '127.0.0.1', port: 0 }
      const slack = createSlack({ tokens: SECRETS, config, db: store.db, report: (fault) => said.push(fault) })
      await slack.start(async () => {})
      const to = { platform: 'slack', workspace: 'T1', conversation: 'C1:1.1' }
      const calls = [
        slack.notify(to, { text: 'hello' }),
        slack.isAdmin('T1', 'U1'),
        slack.notify(to, { text: 'x', only: 'U1' }),
      ]
      said.push(...(await Promise.allSettled(calls)), slack.health())
      await slack.stop()
      expect(slack.health().state).not.toBe('connected')
      const all = said
        .map((one) => `${inspect(one, { depth: 12, showHidden: true })} ${JSON.stringify(one)}`)
        .join('\n')
      expect(all).toMatch(/PLATFORM_/)
      for (const secret of Object.values(SECRETS)) expect(all).not.toContain(secret)
    })
  },
)

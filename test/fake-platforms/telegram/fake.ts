import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { z } from 'zod'
import type { Fault } from '../fault.ts'
import { dropOldest } from '../oldest.ts'
import { createCounter, type Traffic } from '../traffic.ts'
import { type Files, readBody } from './body.ts'
import { createMethods } from './methods.ts'
import { createPeople, type People } from './people.ts'
import { UpdateQueue } from './queue.ts'
import { Refusal, violation } from './refusal.ts'
import { type MethodName, type Parameters, SCHEMAS } from './schemas.ts'
import type { Chat, ChatView, Message, Status, User } from './state.ts'
import { type Account, chatOf, newChat, type World } from './world.ts'

export interface FakeTelegramOptions {
  /** 0 takes any that is free. */
  readonly port?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

export interface BotOptions {
  readonly id?: number
  readonly username?: string
  readonly token?: string
  /** Privacy mode is off. */
  readonly readsAll?: boolean
  readonly nextUpdate?: number
}

/** A call as it arrived. */
export interface Call {
  readonly bot: number
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A Bot API server on this machine, with the people who talk to its bots. Nothing is kept when it closes. */
export interface FakeTelegram extends People {
  /** What grammY calls `apiRoot`. */
  readonly url: string
  readonly calls: readonly Call[]
  /** Those that a fault has met with a server's error, which does not say whether they were done. */
  readonly failed: readonly Call[]
  /** What no honest program asks for. */
  readonly violations: readonly string[]
  /** How buttons that were pressed were answered, by query; null where they were not. */
  readonly queries: ReadonlyMap<string, string | null>
  addBot(options?: BotOptions): Account
  addUser(user: Omit<User, 'is_bot'> & { readonly is_bot?: boolean }): number
  /** A private chat is named like its person. */
  addChat(view: ChatView, members?: Readonly<Record<number, Status>>): number
  chat(id: number): Chat
  messages(chat: number): readonly Message[]
  /** The next messages with entities are refused, as if their formatting were wrong. */
  refuseFormatting(times: number): void
  fault(fault: Fault): void
  /** The next request for updates is never answered, and its connection stays open. */
  stall(): void
  /** Updates that no bot has confirmed. */
  pending(): number
  traffic(): Traffic
  /**
   * Drops what happened long ago: of the calls, the buttons that were answered, the messages of each chat with their
   * reactions, and the updates that were confirmed, the latest `keep` stay. Topics stay. More than `keep` must not be
   * underway.
   */
  forget(keep: number): void
  close(): Promise<void>
}

/** Of the right shape, and nobody's. */
export const fakeToken = (id: number): string => `${id}:${'A'.repeat(35)}`

/** Calls that faults of sending meet. */
const SENDING = new Set(['sendMessage', 'editMessageText', 'sendDocument'])

export async function startFakeTelegram(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
  const now = options.now ?? Date.now
  const calls: Call[] = []
  const failed: Call[] = []
  const violations: string[] = []
  const faults: (Fault & { left: number })[] = []
  const counter = createCounter()
  let unformatted = 0
  let stalled = false
  const world: World = {
    users: new Map(),
    chats: new Map(),
    accounts: [],
    queries: new Map(),
    now: () => Math.floor(now() / 1_000),
  }
  let files: Files = new Map()
  const methods = createMethods(world, () => files)

  /** The fault that meets this call, taken from those that wait. */
  function meets(method: string, type: Fault['type']): (Fault & { left: number }) | undefined {
    const fault = faults.find((one) => one.type === type)
    const concerned = type === 'slow' ? method !== 'getUpdates' : SENDING.has(method)
    if (fault === undefined || !concerned) return undefined
    fault.left -= 1
    if (fault.left === 0) faults.splice(faults.indexOf(fault), 1)
    return fault
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const account = world.accounts.find((one) => one.token === token)
    if (account === undefined) throw new Refusal(401, 'Unauthorized')
    if (!(name in SCHEMAS)) throw new Refusal(404, `Not Found: ${name}`, undefined, true)
    const method = name as MethodName
    // The next updates may be waited for as long as there are none.
    if (method === 'getUpdates') counter.event()
    else counter.request(response)
    const body = await readBody(request)
    const parameters = check(method, body.fields)
    const call: Call = { bot: account.user.id, method, parameters: body.fields, at: now() }
    calls.push(call)
    const slow = meets(method, 'slow')
    if (slow?.type === 'slow') await new Promise((resolve) => setTimeout(resolve, slow.ms))
    if (method === 'getUpdates') {
      if (!stalled) return poll(account, parameters as Parameters<'getUpdates'>, response)
      stalled = false
      return
    }
    const limited = meets(method, 'limited')
    if (limited?.type === 'limited') {
      const seconds = limited.seconds
      throw new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
    }
    if (meets(method, 'refused') !== undefined) {
      failed.push(call)
      throw new Refusal(500, 'Internal Server Error')
    }
    if (unformatted > 0 && Array.isArray(body.fields.entities) && body.fields.entities.length > 0) {
      unformatted -= 1
      throw new Refusal(400, "Bad Request: can't parse entities: Unsupported start tag")
    }
    files = body.files
    const run = methods[method] as (account: Account, parameters: unknown) => unknown
    const result = run(account, parameters)
    if (meets(method, 'lost') !== undefined) response.destroy()
    else answer(response, 200, { ok: true, result })
  }

  function check(method: MethodName, fields: Readonly<Record<string, unknown>>): unknown {
    const schema: z.ZodType = SCHEMAS[method]
    const parsed = schema.safeParse(fields)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    throw violation(`${method}: ${issue?.path.join('.')} ${issue?.message}`)
  }

  function poll({ queue }: Account, p: Parameters<'getUpdates'>, response: ServerResponse): void {
    if (p.allowed_updates !== undefined) queue.allowed = p.allowed_updates
    const waiting = {
      limit: p.limit ?? 100,
      answer: (updates: readonly unknown[]) => answer(response, 200, { ok: true, result: updates }),
      refuse: (refusal: Refusal) => refuse(response, refusal),
      cut: () => void response.destroy(),
    }
    // The request closes as soon as its body is read; only the response tells that the bot has gone.
    response.on('close', () => queue.leave(waiting))
    queue.poll(p.offset ?? 0, p.timeout ?? 0, waiting)
  }

  function refuse(response: ServerResponse, refusal: Refusal): void {
    if (refusal.violation) violations.push(refusal.message)
    const { code, message, parameters } = refusal
    answer(response, code, { ok: false, error_code: code, description: message, ...(parameters && { parameters }) })
  }

  const pending = () => world.accounts.reduce((sum, { queue }) => sum + queue.pending, 0)

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (error instanceof Refusal) return refuse(response, error)
      violations.push(String(error))
      response.destroy()
    })
  })
  // A connection that closes just when it is used again would look like an answer that was lost.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    ...createPeople(world),
    url: `http://127.0.0.1:${port}`,
    calls,
    failed,
    violations,
    queries: world.queries,
    addBot({
      id = 7_000_000_001,
      username = 'claw_bot',
      token = fakeToken(id),
      readsAll = false,
      nextUpdate = 1,
    } = {}) {
      const account: Account = {
        user: { id, is_bot: true, first_name: 'Claw', username },
        token,
        readsAll,
        started: new Set(),
        commands: new Map(),
        queue: new UpdateQueue(nextUpdate, (line) => violations.push(line)),
      }
      world.accounts.push(account)
      return account
    },
    addUser(user) {
      world.users.set(user.id, { is_bot: false, ...user })
      return user.id
    },
    addChat(view, members = {}) {
      const chat = newChat(view)
      for (const [user, status] of Object.entries(members)) chat.members.set(Number(user), status)
      world.chats.set(view.id, chat)
      return view.id
    },
    chat: (id) => chatOf(world, id),
    messages: (id) => [...chatOf(world, id).messages.values()],
    refuseFormatting(times) {
      unformatted = times
    },
    fault(fault) {
      for (const { queue } of world.accounts) {
        if (fault.type === 'duplicate') queue.duplicate(fault.copies)
        else if (fault.type === 'reorder') queue.hold(fault.count)
        else if (fault.type === 'disconnect') queue.disconnect()
      }
      if ('times' in fault || ['limited', 'refused', 'lost', 'slow'].includes(fault.type)) {
        faults.push({ ...fault, left: ('times' in fault ? fault.times : undefined) ?? 1 })
      }
    },
    stall() {
      stalled = true
    },
    pending,
    traffic: () => counter.traffic(pending()),
    forget(keep) {
      calls.splice(0, calls.length - keep)
      for (const { messages, reactions, topics } of world.chats.values()) {
        dropOldest(messages, keep, ({ message_id }) => !topics.has(message_id))
        for (const id of reactions.keys()) if (!messages.has(id)) reactions.delete(id)
      }
      dropOldest(world.queries, keep, (answer) => answer !== null)
      for (const { queue } of world.accounts) queue.forget(keep)
    },
    async close() {
      for (const { queue } of world.accounts) queue.setWebhook(null, true)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

import { setTimeout as sleep } from 'node:timers/promises'
import { ClawError, type ErrorCode } from '../../core/errors.ts'
import type { Client, Update } from './protocol.ts'

/** Where a playground listens, and the token that it knows its owner's programs by. */
export interface Place {
  readonly url: string
  readonly token: string
}

/** Who comes back without having heard anything may have missed something all the same. */
const NOTHING = 'nothing'

/** How long a server that is gone may take to come back. */
const PATIENCE_MS = 15_000

export interface RemoteOptions extends Place {
  readonly workspace: string
  /** The server is gone for good. */
  readonly lost: (error: ClawError) => void
}

/** A client of the playground in another process. Resolves once it hears every update. Throws SERVER_LOST. */
export async function connect({ url, token, workspace, lost }: RemoteOptions): Promise<Client> {
  const base = new URL(`api/workspaces/${encodeURIComponent(workspace)}/`, url)
  const authorization = `Bearer ${token}`
  const leaving = new AbortController()
  const hearers = new Set<(update: Update) => void>()

  async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
    const init =
      body === undefined
        ? { headers: { authorization } }
        : {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }
    let response: Response
    try {
      response = await fetch(new URL(path, base), { ...init, signal: leaving.signal })
    } catch (cause) {
      throw gone(cause)
    }
    const answer = await response.json()
    if (!response.ok) throw refused(answer)
    return answer as Answer
  }

  /** Says it again until it is durable: the id makes that harmless. */
  async function tell(body: unknown, deadline = Date.now() + PATIENCE_MS): Promise<void> {
    try {
      await ask('events', body)
    } catch (error) {
      const passing = error instanceof ClawError && ['SERVER_LOST', 'SERVER_UNAVAILABLE'].includes(error.code)
      if (!passing || leaving.signal.aborted || Date.now() > deadline) throw error
      await sleep(250)
      await tell(body, deadline)
    }
  }

  async function open(last: string | null): Promise<ReadableStream<Uint8Array>> {
    const headers = { authorization, ...(last === null ? {} : { 'last-event-id': last }) }
    const response = await fetch(new URL('updates', base), { headers, signal: leaving.signal })
    if (!response.ok || response.body === null) throw refused(await response.json().catch(() => null))
    return response.body
  }

  async function follow(first: ReadableStream<Uint8Array>): Promise<void> {
    let body: ReadableStream<Uint8Array> | undefined = first
    let last: string | null = null
    let deadline = Infinity
    while (!leaving.signal.aborted) {
      try {
        for await (const { id, update } of readUpdates(body ?? (await open(last ?? NOTHING)))) {
          last = id
          deadline = Infinity
          for (const hear of [...hearers]) hear(update)
        }
      } catch (error) {
        if (leaving.signal.aborted) return
        if (Date.now() > deadline) return lost(gone(error))
      }
      deadline = Math.min(deadline, Date.now() + PATIENCE_MS)
      body = undefined
      await sleep(250)
    }
  }

  let first: ReadableStream<Uint8Array>
  try {
    first = await open(null)
  } catch (cause) {
    throw gone(cause)
  }
  void follow(first)

  return {
    workspace,
    tell: (said) => tell(said),
    listen(hear) {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
    turn: async (id) =>
      (await ask<{ turn: Awaited<ReturnType<Client['turn']>> }>(`turns/${encodeURIComponent(id)}`)).turn,
    panel: () => ask('panel'),
    conversations: () => ask('conversations'),
    history: (conversation) => ask(`conversations/${encodeURIComponent(conversation)}`),
    async settle(flush) {
      while (!(await ask<{ settled: boolean }>('settle', { flush })).settled);
    },
    close: () => leaving.abort(),
  }
}

/** Whether a playground that knows the token answers there. */
export async function alive({ url, token }: Place): Promise<boolean> {
  try {
    const response = await fetch(new URL('api/about', url), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(1_500),
    })
    return response.ok && ((await response.json()) as { name?: unknown }).name === 'claw'
  } catch {
    return false
  }
}

/** Reads a stream of server-sent events to its end; comments are skipped. */
export async function* readUpdates(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; update: Update }> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const field = (name: string) =>
        event
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined) yield { id: field('id') ?? '', update: JSON.parse(data) as Update }
    }
  }
}

function gone(cause: unknown): ClawError {
  if (cause instanceof ClawError) return cause
  return new ClawError('SERVER_LOST', 'The running claw has gone away', {
    remedy: 'Start it again with `claw start`. What was said is kept.',
    cause,
  })
}

function refused(answer: unknown): ClawError {
  const { code, message } = (answer ?? {}) as { code?: string; message?: string }
  const known: readonly string[] = ['REQUEST_INVALID', 'SERVER_UNAVAILABLE']
  return new ClawError(
    known.includes(code ?? '') ? (code as ErrorCode) : 'SERVER_LOST',
    message ?? 'The running claw gave no answer',
  )
}

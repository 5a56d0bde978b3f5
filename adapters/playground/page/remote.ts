import type { Client, Update } from '../protocol.ts'

/** The playground as the browser reaches it. */
export interface PageClient extends Client {
  /** Whether updates arrive; hears every change of it. */
  connected(hear: (up: boolean) => void): void
}

export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function workspaces(): Promise<string[]> {
  return ask('/api/workspaces')
}

/** Updates may begin to arrive at any time; where some may have been missed before, the first one is a reset. */
export function connect(workspace: string): PageClient {
  const base = `/api/workspaces/${encodeURIComponent(workspace)}`
  const hearers = new Set<(update: Update) => void>()
  const watchers = new Set<(up: boolean) => void>()
  let source = open()
  let closed = false

  function open(): EventSource {
    const opened = new EventSource(`${base}/updates`)
    /** From then on the browser names the last update when it comes back, and nothing is missed. */
    let remembers = false
    const say = (up: boolean) => {
      for (const hear of watchers) hear(up)
    }
    const tell = (update: Update) => {
      for (const hear of [...hearers]) hear(update)
    }
    opened.onopen = () => {
      say(true)
      if (!remembers) tell({ type: 'reset' })
    }
    opened.onerror = () => {
      say(false)
      // It comes back by itself unless the server said no; then a fresh one starts without a memory.
      if (opened.readyState !== EventSource.CLOSED || closed) return
      setTimeout(() => {
        if (!closed) source = open()
      }, 2_000)
    }
    opened.onmessage = ({ data }) => {
      remembers = true
      tell(JSON.parse(data) as Update)
    }
    return opened
  }

  return {
    workspace,
    async tell(said) {
      await ask(`${base}/events`, said)
    },
    listen(hear) {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
    connected: (hear) => watchers.add(hear),
    turn: async (id) =>
      (await ask<{ turn: Awaited<ReturnType<Client['turn']>> }>(`${base}/turns/${encodeURIComponent(id)}`)).turn,
    panel: () => ask(`${base}/panel`),
    conversations: () => ask(`${base}/conversations`),
    history: (conversation) => ask(`${base}/conversations/${encodeURIComponent(conversation)}`),
    async settle(flush) {
      while (!(await ask<{ settled: boolean }>(`${base}/settle`, { flush })).settled);
    },
    close() {
      closed = true
      source.close()
    },
  }
}

async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, init)
  const answer = await response.json()
  if (!response.ok) throw new Refused(response.status, answer.message ?? 'The server gave no answer.')
  return answer
}

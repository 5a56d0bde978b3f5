import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Numbered } from './feed.ts'
import { type Playground, tellFrom } from './playground.ts'
import type { Client } from './protocol.ts'

/** Between two signs of life on a silent stream; proxies close what is silent for a minute. */
const HEARTBEAT_MS = 15_000

/** A listener that leaves this much unread is let go: it comes back and goes on where it was. */
const UNREAD_BYTES = 1_000_000

/** How long a request waits for the bot to settle before it is asked again. */
const SETTLE_MS = 20_000

interface InWorkspace {
  readonly Params: { readonly workspace: string }
}
interface InConversation {
  readonly Params: { readonly workspace: string; readonly conversation: string }
}

/** The page and what it and other clients ask for. */
export async function addRoutes(app: FastifyInstance, playground: Playground, page = pageFolder()): Promise<void> {
  const within = <T>(workspace: string, ask: (client: Client) => T): T => ask(playground.client(workspace))

  await app.register(fastifyStatic, { root: page, index: 'index.html', cacheControl: false, dotfiles: 'ignore' })

  app.get('/api/about', async () => ({ name: 'claw' }))
  app.get('/api/workspaces', async () => playground.workspaces())
  app.get<InWorkspace>('/api/workspaces/:workspace/panel', async ({ params }) =>
    within(params.workspace, (client) => client.panel()),
  )
  app.get<InWorkspace>('/api/workspaces/:workspace/conversations', async ({ params }) =>
    within(params.workspace, (client) => client.conversations()),
  )
  app.get<InConversation>('/api/workspaces/:workspace/conversations/:conversation', async ({ params }) =>
    within(params.workspace, (client) => client.history(params.conversation)),
  )
  app.get<{ Params: { workspace: string; turn: string } }>(
    '/api/workspaces/:workspace/turns/:turn',
    async ({ params }) => ({ turn: await within(params.workspace, (client) => client.turn(params.turn)) }),
  )
  app.post<InWorkspace>('/api/workspaces/:workspace/events', async ({ params, body }, reply) => {
    await tellFrom(playground, params.workspace, body)
    return reply.code(202).send({ durable: true })
  })
  app.post<{ Params: { workspace: string }; Body: { flush?: unknown } | undefined }>(
    '/api/workspaces/:workspace/settle',
    async ({ params, body }) => {
      const settled = within(params.workspace, (client) => client.settle(body?.flush === true)).then(() => true)
      return { settled: await Promise.race([settled, after(SETTLE_MS)]) }
    },
  )

  const streams = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const end of streams) end()
  })
  app.get<InWorkspace>('/api/workspaces/:workspace/updates', (request, reply) => {
    const since = request.headers['last-event-id']
    const { raw } = reply.hijack()
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), 'content-type': 'text/event-stream' })
    raw.write('retry: 1000\n\n')
    const send = ({ id, update }: Numbered) => {
      raw.write(`id: ${id}\ndata: ${JSON.stringify(update)}\n\n`)
      if (raw.writableLength > UNREAD_BYTES) raw.destroy()
    }
    const last = typeof since === 'string' && since !== '' ? since : null
    const unsubscribe = playground.feed.subscribe(request.params.workspace, last, send)
    const heartbeat = setInterval(() => raw.write(': \n\n'), HEARTBEAT_MS)
    const leave = () => {
      clearInterval(heartbeat)
      unsubscribe()
      streams.delete(end)
    }
    // Nothing may be written to a stream that has ended.
    const end = () => {
      leave()
      raw.end()
    }
    streams.add(end)
    raw.on('close', leave)
  })
}

function after(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds).unref())
}

/** Where the build puts the page, seen from the built file or from this source. */
function pageFolder(): string {
  const built = import.meta.url.endsWith('.js') ? './page' : '../../dist/adapters/playground/page'
  return fileURLToPath(new URL(built, import.meta.url))
}

import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { Update } from 'grammy/types'
import { ClawError } from '../../core/errors.ts'

export interface WebhookOptions {
  readonly host: string
  readonly port: number
  /** Of the public address, with what it asks for. */
  readonly path: string
  /** What Telegram shows with every call. */
  readonly secret: string
  /** Resolves when it is durable. What throws comes again. */
  readonly take: (update: Update) => Promise<void>
  readonly report: (error: unknown) => void
}

export interface Webhook {
  close(): Promise<void>
}

/** Updates are smaller. */
const MOST_BYTES = 1_000_000

/** Listens for Telegram's calls, and answers each when its update is durable and not before. */
export async function listen(options: WebhookOptions): Promise<Webhook> {
  const { host, port, path, secret, take, report } = options
  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        report(error)
        response.writeHead(500).end()
      },
    )
  })
  async function answer(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== path) return 404
    if (!same(request.headers['x-telegram-bot-api-secret-token'], secret)) return 401
    const update = await readUpdate(request)
    if (update === null) return 400
    await take(update)
    return 200
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', () =>
      reject(
        new ClawError('CONFIG_INVALID', `telegram.host and telegram.port (${host}:${port}) cannot be listened on`, {
          remedy: 'Choose another port in config.json, or stop what uses it.',
        }),
      ),
    )
    server.listen(port, host, resolve)
  })
  // A connection that cannot be accepted, for one: without a listener it would end the process.
  server.on('error', report)
  return {
    async close() {
      server.closeIdleConnections()
      await new Promise((resolve) => {
        server.close(resolve)
        setTimeout(() => server.closeAllConnections(), 1_000).unref()
      })
    },
  }
}

function same(shown: string | string[] | undefined, secret: string): boolean {
  const [a, b] = [Buffer.from(String(shown)), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

async function readUpdate(request: IncomingMessage): Promise<Update | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MOST_BYTES) return null
    chunks.push(chunk as Buffer)
  }
  try {
    const update = JSON.parse(Buffer.concat(chunks).toString()) as Partial<Update> | null
    return typeof update?.update_id === 'number' ? (update as Update) : null
  } catch {
    return null
  }
}

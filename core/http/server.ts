import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { ClawError, type ErrorCode, reason } from '../errors.ts'
import { mask } from '../mask.ts'
import type { Health } from '../stream/outlet.ts'
import { type Door, HEADERS, isLoopback, loginCookie, refusal } from './guard.ts'

export interface HttpOptions extends Door {
  /** 0 takes any that is free. */
  readonly port: number
  /** What the server still waits for; empty when it is ready. */
  readonly waitsFor: () => Promise<readonly string[]>
  /** How the connection to each platform stands. */
  readonly platforms?: () => Readonly<Record<string, Health>>
  /** Figures in Prometheus' text format. */
  readonly metrics: () => Promise<string>
  /** Is told of faults that no person can be told of. */
  readonly report: (error: unknown) => void
}

export interface Http {
  /** Takes the routes of the parts, before `listen`. */
  readonly app: FastifyInstance
  /** Resolves to the address, `http://127.0.0.1:30000/`. Throws SERVER_UNAVAILABLE. */
  listen(): Promise<string>
  /** Ends every connection. */
  close(): Promise<void>
}

/** The longest body: a message of several thousand words. */
const BODY_LIMIT = 64 * 1024

/** What an error of a route means to whoever asked. Any other code is the server's own trouble. */
const STATUS: Partial<Record<ErrorCode, number>> = { REQUEST_INVALID: 400, SERVER_UNAVAILABLE: 503 }

/** A server with health, readiness and metrics, closed to other sites' pages. Throws CONFIG_INVALID. */
export function createHttp(options: HttpOptions): Http {
  const { host, port, token, report } = options
  if (token === null && !isLoopback(host)) {
    throw new ClawError('CONFIG_INVALID', `Others can reach ${host}, so the server needs a token there`, {
      remedy: 'Set CLAW_HTTP_TOKEN to a secret of at least 16 characters, or keep the host 127.0.0.1.',
    })
  }
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1_000 },
  })
  app.removeContentTypeParser('text/plain')

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    const path = request.url.split('?', 1)[0] ?? ''
    const { token: shown } = request.query as { token?: unknown }
    const knock = { path, headers: request.headers, token: typeof shown === 'string' ? shown : undefined }
    const refused = refusal(options, knock)
    if (refused !== null) return say(reply, refused.status, 'REFUSED', refused.message)
    if (path === '/' && knock.token !== undefined && token !== null) {
      return reply.header('set-cookie', loginCookie(token)).redirect('/', 303)
    }
  })

  app.setErrorHandler<FastifyError | ClawError>((error, _request, reply) => {
    if (error instanceof ClawError) {
      const status = STATUS[error.code] ?? 500
      if (status === 500) report(error)
      return say(reply, status, error.code, error.message)
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return say(reply, error.statusCode, 'REQUEST_INVALID', 'This request cannot be read.')
    }
    report(error)
    return say(reply, 500, 'INTERNAL', 'Something inside went wrong.')
  })
  app.setNotFoundHandler((_request, reply) => say(reply, 404, 'NOT_FOUND', 'There is nothing here.'))

  app.get('/healthz', async () => ({ status: 'ok', platforms: healthView(options.platforms?.() ?? {}) }))
  app.get('/readyz', async (_request, reply) => {
    const waitsFor = await options.waitsFor()
    if (waitsFor.length > 0) return reply.code(503).send({ status: 'starting', waitsFor })
    return { status: 'ready' }
  })
  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8')
    return options.metrics()
  })

  return {
    app,
    async listen() {
      try {
        const address = await app.listen({ host, port })
        return `${address.replace(/\/$/, '')}/`
      } catch (cause) {
        throw unavailable(host, port, cause)
      }
    },
    close: () => app.close(),
  }
}

/** Open to a watchdog, so what stands in it is masked like a log line. */
function healthView(platforms: Readonly<Record<string, Health>>) {
  return Object.fromEntries(
    Object.entries(platforms).map(([platform, { state, since, detail }]) => [
      platform,
      { state, since: new Date(since).toISOString(), detail: detail === null ? null : mask(detail) },
    ]),
  )
}

function say(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ code, message })
}

function unavailable(host: string, port: number, cause: unknown): ClawError {
  const { code } = cause as NodeJS.ErrnoException
  const remedy = `Choose another port: --port ${port < 65_535 ? port + 1 : port - 1}, or CLAW_HTTP_PORT.`
  switch (code) {
    case 'EADDRINUSE':
      return new ClawError('SERVER_UNAVAILABLE', `Port ${port} on ${host} is taken by another program`, {
        remedy: `Stop that one (it may be another claw). ${remedy}`,
        cause,
      })
    case 'EACCES':
      return new ClawError('SERVER_UNAVAILABLE', `Port ${port} may not be opened by you`, { remedy, cause })
    default:
      return new ClawError('SERVER_UNAVAILABLE', `Nothing can listen on ${host}:${port}: ${reason(cause)}`, {
        remedy: 'Choose another address: --host 127.0.0.1, or CLAW_HTTP_HOST.',
        cause,
      })
  }
}

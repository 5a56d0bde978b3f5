import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small hub: the endpoints that listing and downloading a repository use, with faults on demand. */
export interface HubServer {
  readonly url: string
  /** `Range` of every download, in order, as `FILE FROM`. */
  readonly downloads: string[]
  /** Called before each piece of a file is sent; may cut the connection, change the bytes, or wait. */
  fault: (piece: Piece) => Buffer | 'cut' | Promise<Buffer>
  /** Answers nothing at all, like a network that swallows packets. */
  silent: boolean
  close(): Promise<void>
}

export interface Piece {
  readonly file: string
  readonly offset: number
  readonly bytes: Buffer
}

const PIECE = 1 << 14

export async function startHub(repo: string, files: ReadonlyMap<string, Uint8Array>): Promise<HubServer> {
  const server = createServer((request, response) => {
    if (!hub.silent) void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hub: HubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    downloads: [],
    fault: ({ bytes }) => bytes,
    silent: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return hub

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', hub.url).pathname
    if (path === `/api/models/${repo}/tree/main`) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify([...files].map(([name, bytes]) => entry(name, Buffer.from(bytes)))))
      return
    }
    const name = path.startsWith(`/${repo}/resolve/main/`) ? path.slice(`/${repo}/resolve/main/`.length) : ''
    const bytes = files.get(name)
    if (!bytes) {
      response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end()
      return
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    const [from, to] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, bytes.length]
    // The library asks for the first byte to learn the size.
    if (to - from > 1 || bytes.length === 1) hub.downloads.push(`${name} ${from}`)
    response.writeHead(range ? 206 : 200, {
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      'content-length': to - from,
      ...(range ? { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` } : {}),
    })
    for (let offset = from; offset < to && !response.destroyed; offset += PIECE) {
      const piece = Buffer.from(bytes.subarray(offset, Math.min(offset + PIECE, to)))
      const sent = to - from === 1 ? piece : await hub.fault({ file: name, offset, bytes: piece })
      if (sent === 'cut') {
        response.destroy()
        return
      }
      await new Promise<void>((resolve) => response.write(sent, () => resolve()))
    }
    response.end()
  }
}

/** As the hub lists it: large files with their SHA-256, small ones with Git's hash. */
function entry(path: string, bytes: Buffer) {
  const sha1 = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  const lfs = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, pointerSize: 130 }
  return { type: 'file', path, size: bytes.length, oid: sha1, ...(path.endsWith('.safetensors') ? { lfs } : {}) }
}

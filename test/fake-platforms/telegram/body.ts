import type { IncomingMessage } from 'node:http'

/** Files as they arrived, by the names that the parameters refer to them by. */
export type Files = ReadonlyMap<string, { readonly name: string; readonly text: string }>

interface Body {
  readonly fields: Record<string, unknown>
  readonly files: Files
}

/** The parameters and files of a call, as JSON or as a form. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) {
    return { fields: JSON.parse(body) as Record<string, unknown>, files: new Map() }
  }
  const boundary = /^multipart\/form-data; *boundary="?([^";]+)/.exec(type)?.[1]
  return boundary === undefined ? { fields: {}, files: new Map() } : readForm(body, boundary)
}

/** Programs write the head of a part in more ways than the readers of most libraries know. */
function readForm(body: string, boundary: string): Body {
  const fields: Record<string, unknown> = {}
  const files = new Map<string, { name: string; text: string }>()
  for (const part of `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const content = rest.join('\r\n\r\n')
    const name = /[; ]name="([^"]*)"/.exec(head)?.[1] ?? ''
    const file = /filename="?([^"\r\n]+)/.exec(head)?.[1]
    if (file === undefined) fields[name] = readField(name, content)
    else files.set(name, { name: file, text: content })
  }
  return { fields, files }
}

/** In a form everything is text; what is no text is JSON in it. */
function readField(name: string, value: string): unknown {
  if (['text', 'caption', 'document', 'url', 'callback_query_id'].includes(name)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

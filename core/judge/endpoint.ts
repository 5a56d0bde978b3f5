import type { ChatMessage } from '../types.ts'
import type { Answer, Failure, Voter } from './voter.ts'

export interface EndpointOptions {
  /** Up to and with the version: `https://host/v1`. */
  readonly url: string
  readonly model: string
  readonly key: string | null
  /** Milliseconds that one question may take. */
  readonly timeoutMs: number
}

/** Bytes of an answer that are read: a vote is a line. */
const LONGEST = 256 * 1024
/** Longest time that the other side may ask to be left alone. */
const LONGEST_WAIT_MS = 600_000

/** A voter behind an OpenAI-compatible chat-completions endpoint. */
export function endpointVoter({ url, model, key, timeoutMs }: EndpointOptions): Voter {
  const address = `${url.replace(/\/+(?:chat\/completions\/*)?$/, '')}/chat/completions`
  const headers = { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) }

  async function askOnce(messages: readonly ChatMessage[], signal: AbortSignal): Promise<Answer> {
    const body = JSON.stringify({ model, messages, temperature: 0.6, max_tokens: 1024 })
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers,
        body,
        // A redirect would carry the words, and perhaps the key, to somebody else.
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      })
      const text = await readText(response)
      return response.ok ? contentOf(text) : { failure: failureOf(response.status), waitMs: waitOf(response.headers) }
    } catch {
      return { failure: timeout.aborted ? 'timeout' : 'unreachable', waitMs: null }
    }
  }

  return {
    name: model,
    ask: (messages, count, signal) => Promise.all(Array.from({ length: count }, () => askOnce(messages, signal))),
  }
}

/** Reads the body as far as `LONGEST`. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LONGEST) break
  }
  return text
}

/** The reply in a chat completion. One that was cut short has no last line of its own. */
function contentOf(body: string): Answer {
  try {
    const { choices } = JSON.parse(body) as { choices?: { message?: { content?: unknown }; finish_reason?: unknown }[] }
    const content = choices?.[0]?.message?.content
    if (typeof content === 'string' && choices?.[0]?.finish_reason !== 'length') return { text: content }
  } catch {
    // Not JSON.
  }
  return { failure: 'unreadable', waitMs: null }
}

function failureOf(status: number): Failure {
  if (status === 429 || status === 503) return 'busy'
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'broken'
}

/** `Retry-After`, in seconds or as a date; null where it says nothing. */
function waitOf(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) : null
}

import { setMaxListeners } from 'node:events'
import { hasCode, RateLimited } from '../core/errors.ts'
import type { ReplyStream, ReplyTo } from '../core/stream/outlet.ts'
import type { Manner, NativeStream, Verbs } from './adapter.ts'
import { limited, sleep } from './limited.ts'
import { split } from './markdown/split.ts'
import type { Document } from './markdown/tree.ts'
import { createParts } from './parts.ts'
import { keepTyping } from './typing.ts'

/** Words are gathered this long before the first of them are shown. [ms] */
const FIRST = 300

/** The replies that a platform is writing. */
export interface Replies {
  reply(to: ReplyTo): ReplyStream
  /** A person wants no more of those. Returns whether there was one. */
  stop(which: (to: ReplyTo) => boolean): boolean
  /** Leaves what is being written where it stands. What waits for its platform fails, to be delivered another time. */
  close(): void
}

interface Writing extends ReplyStream {
  /** Nothing more is shown of it. */
  leave(): void
}

export function createReplies(verbs: Verbs, manner: Manner): Replies {
  const running = new Map<string, { to: ReplyTo; stream: Writing; stopping: AbortController }>()
  const closing = new AbortController()
  // Every reply that waits for its platform listens, and there may be many.
  setMaxListeners(0, closing.signal)
  return {
    reply(to) {
      // An earlier attempt at the same reply was left where it stood.
      running.get(to.turn)?.stream.leave()
      const [stopping, stream] = [new AbortController(), createReply(verbs, manner, to, closing.signal)]
      if (closing.signal.aborted) stream.leave()
      else running.set(to.turn, { to, stream, stopping })
      const forget = () => running.get(to.turn)?.stream === stream && running.delete(to.turn)
      const end = <T>(ended: Promise<T>): Promise<T> => ended.finally(forget)
      return {
        stopped: stopping.signal,
        write: stream.write,
        finish: (text) => end(stream.finish(text)),
        fail: (notice) => end(stream.fail(notice)),
      }
    },
    stop(which) {
      const wanted = [...running.values()].filter(({ to }) => which(to))
      for (const { stopping } of wanted) stopping.abort()
      return wanted.length > 0
    },
    close() {
      closing.abort()
      for (const { stream } of running.values()) stream.leave()
      running.clear()
    },
  }
}

/** How much of a reply may be shown before it is finished. */
type Progress = 'stream' | 'edits' | 'preview' | 'none'

/**
 * Writes one reply. While it is written, what there is of it is shown as the platform does that, never faster than it
 * likes: what comes in between is left out, not queued. The finished text always gets there, unless nobody knows
 * whether it did.
 */
export function createReply(verbs: Verbs, manner: Manner, to: ReplyTo, closing?: AbortSignal): Writing {
  const parts = createParts(verbs, to, closing)
  const typing = keepTyping(
    () => verbs.typing(to),
    manner.typingMs,
    async () => verbs.typed?.(to),
  )
  const resumed = to.delivery.parts.length > 0
  let native = resumed ? null : (verbs.stream?.(to) ?? null)
  let progress: Progress = resumed ? 'none' : native === null ? manner.progress(to) : 'stream'
  let text = ''
  let shown = ''
  /** When the platform may next be asked to show something. */
  let next = Date.now() + FIRST
  let timer: NodeJS.Timeout | null = null
  let asking: Promise<void> | null = null
  let ended = false

  function plan(): void {
    if (ended || timer !== null || asking !== null || progress === 'none' || text === shown) return
    timer = setTimeout(
      () => {
        timer = null
        asking = advance().finally(() => {
          asking = null
          plan()
        })
      },
      Math.max(0, next - Date.now()),
    )
  }

  /** Shows what there is by now. Whatever goes wrong, the end of the reply will see to it. */
  async function advance(): Promise<void> {
    const written = text
    try {
      if (progress === 'stream') await advanceStream(written)
      else if (progress === 'preview') await verbs.preview?.(to, written)
      else await advanceEdits(written)
      shown = written
      next = Date.now() + manner.editMs
    } catch (error) {
      next = Date.now() + (error instanceof RateLimited ? error.retryAfterMs : manner.editMs)
      if (!(error instanceof RateLimited)) progress = 'none'
    }
  }

  async function advanceStream(written: string): Promise<void> {
    if (native === null || !manner.fits(written)) return
    try {
      await native.append(written)
    } catch (error) {
      if (hasCode(error, 'PLATFORM_LOST') && native.message === null) parts.lose(0)
      if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
      const { message } = native
      native = null
      progress = manner.progress(to)
      // What was begun is finished by an edit.
      if (message !== null) await parts.adopt(0, message, null)
      return
    }
    if (native.message !== null) {
      typing.stop()
      if (parts.ids()[0] !== native.message) await parts.adopt(0, native.message, null)
    }
  }

  async function advanceEdits(written: string): Promise<void> {
    // Only what is at the end can have changed, and one call is all that may be made now.
    const all = split(written, manner.fits)
    for (let index = Math.max(0, parts.count - 1); index < all.length; index++) {
      const [markdown = '', last] = [all[index], index === all.length - 1]
      if ((await parts.show(index, { markdown, ...(last ? { stop: true } : {}) })) === 'asked') break
    }
    typing.stop()
  }

  function leave(): void {
    ended = true
    if (timer !== null) clearTimeout(timer)
  }

  /** No more is shown on the way, and nothing is on its way any more. */
  async function end(): Promise<void> {
    leave()
    await asking
    const wait = Math.max(0, next - Date.now())
    const begun = parts.count > 0 && !resumed
    if (begun && wait > 0) await sleep(wait, closing)
  }

  /** Ends the platform's own stream with the first part, where one has begun. */
  async function endStream(stream: NativeStream, markdown: Document, last: boolean): Promise<void> {
    const content = { markdown, ...thumbs(last) }
    try {
      await parts.adopt(
        0,
        await limited(() => stream.stop({ ...content, key: `${to.turn}.0` }), undefined, closing),
        content,
      )
    } catch (error) {
      if (error instanceof RateLimited) throw error
      // The message is there: as it stands it is edited into what it should be.
      if (stream.message !== null) await parts.adopt(0, stream.message, null)
    }
  }

  const thumbs = (last: boolean): { thumbs?: true } => (last && manner.thumbs(to) ? { thumbs: true } : {})

  async function deliver(markdown: string, reply: boolean): Promise<readonly string[]> {
    try {
      await end()
      const all = split(markdown, manner.fits)
      const isLast = (index: number) => reply && index === all.length - 1
      if (native !== null && native.message !== null && all[0] !== undefined) {
        await endStream(native, all[0], isLast(0))
      }
      for (const [index, part] of all.entries()) await parts.settle(index, { markdown: part, ...thumbs(isLast(index)) })
      await parts.trim(all.length)
      return parts.ids()
    } finally {
      typing.stop()
    }
  }

  return {
    write(more) {
      text += more
      plan()
    },
    finish: (whole) => deliver(whole, true),
    async fail(notice) {
      await deliver(notice, false)
    },
    leave() {
      leave()
      typing.stop()
    },
  }
}

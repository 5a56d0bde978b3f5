import type { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { RateLimited, reason } from '../../core/errors.ts'
import { isConflict, isPlatforms, isUnauthorized, platformError } from './errors.ts'
import { type Together, UPDATE_TYPES } from './events.ts'
import { gather } from './gather.ts'

export interface PollOptions {
  readonly api: Api
  /** Resolves when all of it is durable. What throws is asked for again. */
  readonly take: (units: readonly Together[]) => Promise<void>
  readonly up: () => void
  /** `refused`: Telegram does not know the token, and polling has ended. */
  readonly down: (state: 'connecting' | 'refused', detail: string) => void
  readonly report: (error: unknown) => void
  /** Seconds that Telegram may hold a request while there is nothing to say. */
  readonly holdSeconds?: number
  /** A request that has no answer so many seconds later has none, however healthy its connection looks. */
  readonly graceSeconds?: number
  /** How long another program that polls is given to stop: as long as both go on, they take turns. */
  readonly conflictMs?: number
}

const MOST = 100
const HOLD_SECONDS = 30
const GRACE_SECONDS = 10

/** The shortest and longest pause after a failure, in milliseconds. */
const PAUSE = { first: 500, last: 30_000 }

const CONFLICT_MS = 5_000

/** For so many times `conflictMs` the connection is not said to be well again: it may be the other's turn next. */
const DISPUTED = 2.5

/** Times that updates are looked at for further parts of an album or a long text. */
const LOOKS = 4

/**
 * Asks for updates one request after another. Asking for what comes after an update tells Telegram that it may forget it,
 * so that is only asked for when all before it is durable; until then Telegram itself keeps the queue. Resolves when
 * `stopping` aborts or Telegram refuses the token.
 */
export async function poll(options: PollOptions, stopping: AbortSignal): Promise<void> {
  const { api, take, down, report } = options
  const { holdSeconds = HOLD_SECONDS, graceSeconds = GRACE_SECONDS, conflictMs = CONFLICT_MS } = options
  let offset = 0
  let failures = 0
  /** Telegram has answered the last request: the next may take its time. */
  let answered = false
  /** Until when another program may be asking as well. */
  let disputed = 0

  async function ask(seconds: number): Promise<Update[]> {
    const giving = new AbortController()
    const give = () => giving.abort()
    const timer = setTimeout(give, (seconds + graceSeconds) * 1_000)
    stopping.addEventListener('abort', give)
    const parameters = { offset, limit: MOST, timeout: seconds, allowed_updates: UPDATE_TYPES }
    try {
      // grammY types the signal by a package that does what Node does.
      return await api.getUpdates(parameters, giving.signal as Parameters<typeof api.getUpdates>[1])
    } finally {
      clearTimeout(timer)
      stopping.removeEventListener('abort', give)
    }
  }

  /** Everything that waits, once the parts of what was sent together are there. */
  async function askWhole(): Promise<readonly Together[]> {
    let updates = await ask(answered ? holdSeconds : 0)
    answered = true
    if (Date.now() >= disputed) options.up()
    for (let look = 0; look < LOOKS && updates.length < MOST; look++) {
      const { units, whole, waitMs } = gather(updates)
      if (waitMs === 0) return units
      // Nobody else waits for that; taken again with the rest, it is known already.
      await take(whole)
      await pause(waitMs, stopping)
      const known = updates.length
      updates = await ask(0)
      if (updates.length <= known) break
    }
    return gather(updates).units
  }

  while (!stopping.aborted) {
    try {
      const units = await askWhole()
      if (units.length > 0) await take(units)
      for (const { update } of units) offset = Math.max(offset, update.update_id + 1)
      failures = 0
    } catch (error) {
      if (stopping.aborted) return
      if (isUnauthorized(error)) {
        down('refused', UNKNOWN_TOKEN)
        return
      }
      failures += 1
      answered = false
      const conflict = isConflict(error)
      const theirs = isPlatforms(error)
      const known = theirs ? platformError(error) : error
      if (failures === 1 && Date.now() >= disputed) report(known)
      if (conflict) disputed = Date.now() + DISPUTED * conflictMs
      down('connecting', conflict ? CONFLICT : theirs ? reason(known) : UNSTORED)
      const wait = Math.min(PAUSE.first * 2 ** (failures - 1), PAUSE.last)
      const least = conflict ? conflictMs : known instanceof RateLimited ? known.retryAfterMs : 0
      await pause(Math.max(wait, least), stopping)
    }
  }
}

export const UNKNOWN_TOKEN = 'Telegram does not know this token: copy it from @BotFather again and run claw init'

const UNSTORED = 'What Telegram has for the bot cannot be stored; Telegram keeps it until it can'

const CONFLICT =
  'Another program asks for updates with the same token, or has set a webhook: only one may (stop it, or take a token of its own for it)'

/** Waits, but no longer than until `stopping` aborts. */
export function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      stopping.removeEventListener('abort', done)
      resolve()
    }
    stopping.addEventListener('abort', done)
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from '../adapters/adapter.ts'
import { ClawError } from '../core/errors.ts'
import type { Lease } from '../core/store/leases.ts'
import type { Event } from '../core/types.ts'

/** How often it is looked whether a platform is free, and whether it is still ours, in milliseconds. */
const LOOK = 1_000

export interface StandbyOptions {
  /** Makes the adapter: another one where this process had to leave the platform to another and may come back to it. */
  readonly create: () => Adapter
  /** Null while another process of the same bot has the platform. */
  readonly claim: () => Promise<Lease | null>
  readonly report: (error: unknown) => void
  readonly look?: number
  readonly now?: () => number
}

/**
 * An adapter that is connected while no other process of its bot is: it stands by until it is the only one, and again
 * when another has taken over because this one hung. What is said goes out either way.
 */
export async function standby(options: StandbyOptions): Promise<Adapter> {
  const { create, claim, report, look = LOOK, now = Date.now } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let current = create()
  let lease = await claim()
  let since = now()
  let running: Promise<void> | undefined

  const rest = (): Promise<void> => sleep(look, undefined, { signal, ref: false }).catch(() => {})

  /** Undefined where the store does not say. */
  async function reclaim(): Promise<Lease | null | undefined> {
    try {
      // It may stand a moment longer by the store's clock than by ours.
      await lease?.release()
      return await claim()
    } catch {
      return undefined
    }
  }

  async function untilFree(): Promise<void> {
    while (lease === null && !signal.aborted) {
      lease = (await reclaim()) ?? null
      if (lease === null) await rest()
    }
  }

  /** A connection is not given up because the store cannot be asked: only where another process has the platform. */
  async function untilTaken(): Promise<void> {
    while (lease !== null && !signal.aborted) {
      await rest()
      if (signal.aborted || lease.held()) continue
      const again = await reclaim()
      if (again !== undefined) lease = again
    }
  }

  async function run(deliver: (event: Event) => Promise<void>): Promise<void> {
    for (;;) {
      await untilFree()
      if (signal.aborted) return
      try {
        await current.start(deliver)
      } catch (error) {
        // Where it cannot start here it may elsewhere.
        await lease?.release()
        throw error
      }
      await untilTaken()
      if (signal.aborted) return
      since = now()
      report(
        new ClawError('PLATFORM_LOST', `Another process has taken over ${current.platform}, because this one hung`),
      )
      await current.stop()
      current = create()
    }
  }

  return {
    platform: current.platform,
    start(deliver) {
      running = run(deliver)
      return running
    },
    async stop() {
      stopping.abort()
      await current.stop()
      await running?.catch(() => {})
      await lease?.release()
    },
    health: () => (lease === null ? { state: 'standby', since, detail: TAKEN } : current.health()),
    reply: (to) => current.reply(to),
    notify: (to, notice) => current.notify(to, notice),
    ...(current.whisper && { whisper: async (...said) => current.whisper?.(...said) }),
    ...(current.ask && { ask: async (...asked) => current.ask?.(...asked) }),
    ...(current.sendFile && { sendFile: async (...sent) => current.sendFile?.(...sent) }),
    isAdmin: (workspace, person) => current.isAdmin(workspace, person),
  }
}

const TAKEN = 'another process of this bot is connected, and this one takes over when that ends'

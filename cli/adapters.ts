import type { Adapter, Health } from '../adapters/adapter.ts'
import { ClawError, reason } from '../core/errors.ts'
import type { Event } from '../core/types.ts'
import type { Ground } from './ground.ts'

/** Makes the adapters of the platforms that the operator has set up. */
export type Connect = (ground: Ground) => Promise<readonly Adapter[]>

/** Adapters at work side by side: one that cannot start or stop does not take the others with it. */
export interface Adapters {
  readonly all: readonly Adapter[]
  /** Begins with all of them; each is connected when its health says so. */
  start(deliver: (event: Event) => Promise<void>): void
  /** Resolves when none of them will deliver anything more. */
  stop(): Promise<void>
  health(): Readonly<Record<string, Health>>
}

/** `report` hears of those that could not start or stop. */
export function sideBySide(
  adapters: readonly Adapter[],
  report: (error: unknown) => void,
  now: () => number = Date.now,
): Adapters {
  const failed = new Map<Adapter, Health>()
  const started = new Map<Adapter, Promise<void>>()
  const all = adapters.map((adapter) => ({ ...bound(adapter), health: () => failed.get(adapter) ?? adapter.health() }))
  return {
    all,
    start(deliver) {
      for (const adapter of adapters) {
        const begun = (async () => adapter.start(deliver))().catch((error: unknown) => {
          const told = adapter.health()
          // Its own word, where it has one, says more than the error that it ended with.
          const remedy = error instanceof ClawError && error.remedy !== undefined ? `. ${error.remedy}` : ''
          const refused = { state: 'refused', since: now(), detail: `${reason(error)}${remedy}` } as const
          failed.set(adapter, told.state === 'refused' ? told : refused)
          report(error)
        })
        started.set(adapter, begun)
      }
    },
    async stop() {
      await Promise.all(
        adapters.map(async (adapter) => {
          try {
            await adapter.stop()
          } catch (error) {
            report(error)
          }
          await started.get(adapter)
        }),
      )
    },
    health: () => Object.fromEntries(all.map((adapter) => [adapter.platform, adapter.health()])),
  }
}

function bound(adapter: Adapter): Adapter {
  return {
    platform: adapter.platform,
    start: (deliver) => adapter.start(deliver),
    stop: () => adapter.stop(),
    health: () => adapter.health(),
    reply: (to) => adapter.reply(to),
    notify: (to, notice) => adapter.notify(to, notice),
    ...(adapter.whisper && { whisper: adapter.whisper.bind(adapter) }),
    ...(adapter.ask && { ask: adapter.ask.bind(adapter) }),
    ...(adapter.sendFile && { sendFile: adapter.sendFile.bind(adapter) }),
    isAdmin: (workspace, person) => adapter.isAdmin(workspace, person),
  }
}

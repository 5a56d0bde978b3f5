import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from '../../adapters/adapter.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { judge } from '../../core/judge/judge.ts'
import { startRuntime } from '../../core/runtime.ts'
import type { Db } from '../../core/store/schema.ts'
import { fakeEngine, prompter } from '../core/parrot.ts'
import type { Traffic } from '../fake-platforms/traffic.ts'
import { newPlace } from '../stores.ts'
import type { Bot, Place, Scene, Stage, StageOptions } from './stage.ts'

export interface BotOptions<A extends Adapter> {
  readonly settings: StageOptions['config']
  readonly adapter: (parts: { config: Config; db: Db; report: (fault: unknown) => void }) => A
  readonly platform: {
    traffic(): Traffic
    forget(keep: number): void
    close(): Promise<void>
  }
  /** Resolves when everything that was sent to the bot has reached it, as far as that can be waited for. */
  readonly delivered?: () => Promise<unknown>
  /** What is done before its first start. */
  readonly prepare?: (db: Db) => Promise<unknown>
}

/** How often is looked, a millisecond or more apart: a process that was paused has as much patience as any other. */
const PATIENCE = 15_000

/** What is on its way within this process arrives within so many turns of its event loop. */
const QUIET_TURNS = 30

/** Starts it with the whole loop and a parrot for a model. */
export async function startBot<A extends Adapter>(options: BotOptions<A>): Promise<Bot<A>> {
  const { platform, delivered } = options
  const place = await newPlace()
  const engine = fakeEngine()
  const faults: unknown[] = []
  const report = (fault: unknown) => faults.push(fault)
  const serving = { context: 100_000, maxTokens: 100 }
  const config = loadConfig({ serving, ...options.settings, dataDir: place.dir }, {})

  let store = await place.open()
  await options.prepare?.(store.db)
  let [adapter, runtime] = await start()

  async function start() {
    const adapter = options.adapter({ config, db: store.db, report })
    const parts = { config, store, engine, prompter, judge, outlets: [adapter], onSampleReady() {}, report }
    const runtime = await startRuntime(parts)
    await adapter.start(runtime.deliver)
    return [adapter, runtime] as const
  }

  async function stop(): Promise<void> {
    runtime.stop()
    await adapter.stop()
    await runtime.close()
    await store.close()
  }

  return {
    get adapter() {
      return adapter
    },
    get runtime() {
      return runtime
    },
    get store() {
      return store
    },
    engine,
    faults,
    async settle() {
      let before = -1
      for (let quiet = 0, tries = 0; quiet < QUIET_TURNS; tries++) {
        if (tries > PATIENCE) throw new Error('the platform and the bot do not come to rest')
        await delivered?.()
        await runtime.idle()
        await new Promise((resolve) => setImmediate(resolve))
        const { underway, total } = platform.traffic()
        const moves = underway > 0 || total !== before || adapter.health().state === 'connecting'
        quiet = moves ? 0 : quiet + 1
        if (moves) await sleep(1)
        before = total
      }
    },
    async restart(whileDown) {
      await stop()
      await whileDown?.()
      store = await place.open()
      ;[adapter, runtime] = await start()
    },
    forget(keep) {
      platform.forget(keep)
      for (const list of [engine.prompts, engine.policies]) list.splice(0, list.length - keep)
    },
    async close() {
      await stop()
      await platform.close()
      place.remove()
    },
  }
}

/** Both together; what the scene has goes before what the bot has. */
export function stageOf<A extends Adapter, S extends Scene & Partial<Pick<Bot, 'restart'>>>(
  bot: Bot<A>,
  scene: S,
): Bot<A> & S & Pick<Stage, 'newest'> {
  return Object.assign(bot, scene, {
    // A private chat of Telegram is its person.
    newest: (place: Place) =>
      scene.shown(place).findLast(({ only }) => only === null || only === place.channel) ?? null,
  })
}

/** Waits for what happens soon; throws where it does not. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > PATIENCE) throw new Error(`it never came to this: ${what}`)
    await sleep(1)
  }
}

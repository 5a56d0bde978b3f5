import { randomUUID } from 'node:crypto'
import { createPlayground } from '../adapters/playground/playground.ts'
import type { Training } from '../adapters/playground/protocol.ts'
import type { Place } from '../adapters/playground/remote.ts'
import { addRoutes } from '../adapters/playground/routes.ts'
import type { Config } from '../config/config.ts'
import { createMetrics } from '../core/http/metrics.ts'
import { createHttp } from '../core/http/server.ts'
import { countRows } from '../core/store/counts.ts'
import type { WorkspaceRef } from '../core/types.ts'
import { type Adapters, type Connect, sideBySide } from './adapters.ts'
import { type Bot, type BotListener, startBot } from './bot.ts'
import type { Ground } from './ground.ts'
import { forgetPlace, writePlace } from './server.ts'

/** The bot behind its page. */
export interface Server extends Place {
  readonly bot: Bot
  /** How the connection to each platform stands. */
  health(): ReturnType<Adapters['health']>
  close(): Promise<void>
}

export interface ServeOptions {
  /** Hears where the page is while the model loads. */
  readonly listening?: (url: string) => void
  readonly only?: 'serve' | null
  /** The platforms beside the playground. */
  readonly connect?: Connect
}

/** Starts the bot on the model at `path`, its page, and the adapters of its platforms. */
export async function serve(
  config: Config,
  path: string,
  listener: BotListener,
  { listening, only = null, connect = async () => [] }: ServeOptions = {},
): Promise<Server> {
  const playground = createPlayground()
  const metrics = createMetrics()
  const token = randomUUID()
  let bot: Bot | undefined
  let adapters: Adapters | undefined
  const health = () => adapters?.health() ?? {}
  let training: Training = { state: 'idle', since: Date.now() }
  const http = createHttp({
    ...config.http,
    run: token,
    waitsFor: async () => (bot === undefined ? ['model'] : []),
    metrics: metrics.text,
    platforms: health,
    report: (error) => listener.report(error),
  })
  const changed = ({ platform, workspace }: WorkspaceRef) => {
    if (platform === playground.platform) playground.changed(workspace)
  }
  const close = async () => {
    forgetPlace(config.dataDir, { token })
    await playground.stop()
    // What is under way is done at the next start, and not given up because its platform is gone by now.
    bot?.runtime.stop()
    await adapters?.stop()
    await http.close()
    await bot?.close()
  }
  await addRoutes(http.app, playground)
  const url = await http.listen()
  try {
    listening?.(url)
    const heard: BotListener = {
      report: (error) => listener.report(error),
      waiting: (line) => listener.waiting?.(line),
      version(outcome) {
        listener.version?.(outcome)
        changed(outcome.ref)
      },
      verdict(ref) {
        listener.verdict?.(ref)
        changed(ref)
      },
      async training(state) {
        training = { state, since: Date.now() }
        for (const workspace of await playground.workspaces().catch(() => [])) playground.changed(workspace)
      },
    }
    const outlets = async (ground: Ground) => {
      adapters = sideBySide(await connect(ground), (error) => listener.report(error))
      return [playground, ...adapters.all].map(metrics.timed)
    }
    bot = await startBot(config, path, outlets, heard, only)
    const { store, engine, settle, runtime } = bot
    metrics.connect({
      counts: () => countRows(store.db),
      engine: () => engine.stats(),
      training: () => training.state,
      platforms: health,
    })
    const { model } = await engine.stats()
    playground.open({ db: store.db, model, batch: config.trainer.batch, training: () => training, settle })
    await playground.start(runtime.deliver)
    adapters?.start(runtime.deliver)
    writePlace(config.dataDir, { url, token })
    return { url, token, bot, health, close }
  } catch (error) {
    await close()
    throw error
  }
}

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
import { type Bot, type BotListener, startBot } from './bot.ts'
import { forgetPlace, writePlace } from './server.ts'

/** The bot behind its page. */
export interface Server extends Place {
  readonly bot: Bot
  close(): Promise<void>
}

/** Starts the bot on the model at `path`, and its page. `listening` hears where the page is while the model loads. */
export async function serve(
  config: Config,
  path: string,
  listener: BotListener,
  listening: (url: string) => void = () => {},
  only: 'serve' | null = null,
): Promise<Server> {
  const playground = createPlayground()
  const metrics = createMetrics()
  const token = randomUUID()
  let bot: Bot | undefined
  let training: Training = { state: 'idle', since: Date.now() }
  const http = createHttp({
    ...config.http,
    run: token,
    waitsFor: async () => (bot === undefined ? ['model'] : []),
    metrics: metrics.text,
    report: (error) => listener.report(error),
  })
  const changed = ({ platform, workspace }: WorkspaceRef) => {
    if (platform === playground.platform) playground.changed(workspace)
  }
  const close = async () => {
    forgetPlace(config.dataDir)
    await playground.stop()
    await http.close()
    await bot?.close()
  }
  await addRoutes(http.app, playground)
  const url = await http.listen()
  try {
    listening(url)
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
    bot = await startBot(config, path, [metrics.timed(playground)], heard, only)
    const { store, engine, settle, runtime } = bot
    metrics.connect({
      counts: () => countRows(store.db),
      engine: () => engine.stats(),
      training: () => training.state,
    })
    const { model } = await engine.stats()
    playground.open({ db: store.db, model, batch: config.trainer.batch, training: () => training, settle })
    await playground.start(runtime.deliver)
    writePlace(config.dataDir, { url, token })
    return { url, token, bot, close }
  } catch (error) {
    await close()
    throw error
  }
}

import { randomUUID } from 'node:crypto'
import { createPlayground } from '../adapters/playground/playground.ts'
import type { Training } from '../adapters/playground/protocol.ts'
import { addRoutes } from '../adapters/playground/routes.ts'
import { createMetrics } from '../core/http/metrics.ts'
import { createHttp } from '../core/http/server.ts'
import { countRows } from '../core/store/counts.ts'
import type { WorkspaceRef } from '../core/types.ts'
import { type Bot, startBot } from './bot.ts'
import { ensureModel } from './chat.ts'
import { logFault, openLog } from './log.ts'
import { forgetPlace, writePlace } from './server.ts'
import { configure, prepareData, type Settings } from './settings.ts'

/** What still runs when all was told to end is ended with the process. */
const END_MS = 8_000

/** `claw start`: the bot and its page, until it is told to end. */
export async function start(settings: Settings): Promise<void> {
  const config = configure(settings)
  prepareData(config.dataDir)
  const path = await ensureModel(config)
  const log = openLog(config.dataDir)
  const report = (error: unknown) => logFault(config.dataDir, error)
  const ending = endSignal()

  const playground = createPlayground()
  const metrics = createMetrics()
  const run = randomUUID()
  let bot: Bot | undefined
  let training: Training = { state: 'idle', since: Date.now() }
  const http = createHttp({
    ...config.http,
    run,
    waitsFor: async () => (bot === undefined ? ['model'] : []),
    metrics: metrics.text,
    report,
  })
  const changed = ({ platform, workspace }: WorkspaceRef) => {
    if (platform === playground.platform) playground.changed(workspace)
  }
  await addRoutes(http.app, playground)
  const url = await http.listen()
  try {
    process.stdout.write(`Claw is at ${url}\n`)
    bot = await startBot(config, path, [metrics.timed(playground)], {
      report,
      version(outcome) {
        const { version, state, reason, lessons, ref } = outcome
        log.info({ version, state, reason, lessons }, 'version')
        changed(ref)
      },
      verdict: changed,
      async training(state) {
        training = { state, since: Date.now() }
        for (const workspace of await playground.workspaces().catch(() => [])) playground.changed(workspace)
      },
    })
    const { store, engine, settle, runtime } = bot
    metrics.connect({
      counts: () => countRows(store.db),
      engine: () => engine.stats(),
      training: () => training.state,
    })
    playground.open({
      db: store.db,
      model: (await engine.stats()).model,
      batch: config.trainer.batch,
      training: () => training,
      settle,
    })
    await playground.start(runtime.deliver)
    writePlace(config.dataDir, { url, token: run })
    log.info({ model: config.model, url, ready: process.uptime() }, 'started')
    await ending
  } finally {
    setTimeout(() => process.exit(1), END_MS).unref()
    forgetPlace(config.dataDir)
    await playground.stop()
    await http.close()
    await bot?.close()
  }
  log.info('ended')
}

/** Resolves when the process is told to end. */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

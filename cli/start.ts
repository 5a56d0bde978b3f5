import { ensureModel } from './chat.ts'
import { logFault, openLog } from './log.ts'
import { serve } from './serve.ts'
import { configure, prepareData, type Settings } from './settings.ts'

/** What still runs when all was told to end is ended with the process. */
const END_MS = 8_000

/** `claw start`: the bot and its page, until it is told to end. */
export async function start(settings: Settings): Promise<void> {
  const config = configure(settings)
  prepareData(config.dataDir)
  const path = await ensureModel(config)
  const log = openLog(config.dataDir)
  const ending = endSignal()
  const server = await serve(
    config,
    path,
    {
      report: (error) => logFault(config.dataDir, error),
      version: ({ version, state, reason, lessons }) => log.info({ version, state, reason, lessons }, 'version'),
    },
    (url) => process.stdout.write(`Claw is at ${url}\n`),
  )
  log.info({ model: config.model, url: server.url, ready: process.uptime() }, 'started')
  await ending
  setTimeout(() => process.exit(1), END_MS).unref()
  await server.close()
  log.info('ended')
}

/** Resolves when the process is told to end. */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

import type { Config } from '../config/config.ts'
import { type BotListener, startPart } from './bot.ts'
import { ensureModel } from './chat.ts'
import { checkPart, type Part } from './ground.ts'
import { logFault, openLog } from './log.ts'
import { findRegistered, openPlatforms, sayChanges } from './platforms.ts'
import { serve } from './serve.ts'
import { configure, prepareData, type Settings } from './settings.ts'

/** What still runs when all was told to end is ended with the process. */
const END_MS = 8_000
const LEFT_MS = 200

export interface StartOptions extends Settings {
  readonly only?: Part
}

/** `claw start`: the bot and its page, or one part of it, until it is told to end. */
export async function start({ only, ...settings }: StartOptions): Promise<void> {
  const config = configure(settings)
  if (only !== undefined) checkPart(config, only)
  prepareData(config.dataDir)
  const path = await ensureModel(config)
  const log = openLog(config.dataDir)
  const ending = endSignal()
  const listener: BotListener = {
    report: (error) => logFault(config.dataDir, error),
    version: ({ version, state, reason, lessons }) => log.info({ version, state, reason, lessons }, 'version'),
    waiting: (line) => process.stderr.write(`claw: ${line}\n`),
  }
  const say = (line: string) => {
    process.stdout.write(`${line}\n`)
    log.info(line)
  }
  const running =
    only === undefined || only === 'serve'
      ? await serveAll(config, path, listener, only ?? null, say)
      : await startPart(config, path, only, listener)
  if (only !== undefined) process.stdout.write(`The part ${only} is at work\n`)
  log.info({ model: config.model, only, ready: process.uptime() }, 'started')
  await ending
  setTimeout(() => process.exit(1), END_MS).unref()
  await running.close()
  log.info('ended')
  // Everything is closed; a timer that a platform's SDK has left behind keeps nobody waiting.
  setTimeout(() => process.exit(), LEFT_MS).unref()
}

/** The bot, its page, and the platforms that the operator has tokens for or that a sandbox stands in for. */
async function serveAll(
  config: Config,
  path: string,
  listener: BotListener,
  only: 'serve' | null,
  say: (line: string) => void,
): Promise<{ close(): Promise<void> }> {
  const registered = await findRegistered(config)
  if (registered.sandbox) say('No platform’s token is set, and a sandbox runs here: the platforms are those in it')
  const server = await serve(registered.config, path, listener, {
    listening: (url) => process.stdout.write(`Claw is at ${url}\n`),
    only,
    connect: (ground) => openPlatforms(registered, ground, say),
  })
  const quiet = sayChanges(server.health, say)
  return {
    close() {
      quiet()
      return server.close()
    },
  }
}

/** Resolves when the process is told to end. */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

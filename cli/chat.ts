import { userInfo } from 'node:os'
import { openTerminal } from '../adapters/terminal/terminal.ts'
import type { Config } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import { resolveModel } from '../core/model/catalogue.ts'
import { startBot } from './bot.ts'
import { logFault, openLog } from './log.ts'
import { pullWithProgress } from './progress.ts'
import { configure, prepareData, type Settings } from './settings.ts'

export interface ChatOptions extends Settings {
  readonly person?: string
  readonly workspace?: string
  readonly conversation?: string
}

const WORKSPACE = 'home'

/** `claw chat`: a conversation in the terminal, until the person leaves or the input ends. */
export async function chat({ person = user(), workspace = WORKSPACE, conversation, ...settings }: ChatOptions) {
  const config = configure(settings)
  prepareData(config.dataDir)
  const path = await ensureModel(config)
  const log = openLog(config.dataDir)
  const terminal = openTerminal({ workspace, person, ...(conversation === undefined ? {} : { conversation }) })
  const leave = () => void terminal.stop()
  for (const signal of SIGNALS) process.once(signal, leave)
  if (process.stderr.isTTY) process.stderr.write(`loading ${config.model} …\n`)
  try {
    const bot = await startBot(config, path, [terminal], {
      report: (error) => logFault(config.dataDir, error),
      version: ({ version, state, reason, lessons }) => log.info({ version, state, reason, lessons }, 'version'),
    })
    log.info({ model: config.model, workspace }, 'started')
    try {
      // Replies that an earlier run left unfinished come before the first prompt.
      await Promise.race([bot.runtime.idle(), terminal.ended])
      await terminal.start(bot.runtime.deliver)
      if ((await terminal.ended) === 'left') await bot.runtime.idle()
    } finally {
      await terminal.stop()
      await bot.close()
    }
    log.info('ended')
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    await terminal.stop()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The path of the model in use, which is pulled first where it is not here. */
export async function ensureModel(config: Config): Promise<string> {
  try {
    return resolveModel(config.model, config.dataDir)
  } catch (error) {
    if (!(error instanceof ClawError) || error.code !== 'MODEL_MISSING') throw error
    return pullWithProgress(config.model, config.dataDir)
  }
}

function user(): string {
  try {
    return userInfo().username
  } catch {
    return 'you'
  }
}

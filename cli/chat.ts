import { userInfo } from 'node:os'
import { createPlayground } from '../adapters/playground/playground.ts'
import type { Client } from '../adapters/playground/protocol.ts'
import { connect } from '../adapters/playground/remote.ts'
import { openTerminal, type Terminal } from '../adapters/playground/terminal/terminal.ts'
import { type Config, DEFAULT_MODEL } from '../config/config.ts'
import { ClawError } from '../core/errors.ts'
import { listModels, resolveModel } from '../core/model/catalogue.ts'
import { startBot } from './bot.ts'
import { logFault, openLog } from './log.ts'
import { pullWithProgress } from './progress.ts'
import { findServer } from './server.ts'
import { configure, prepareData, type Settings } from './settings.ts'

export interface ChatOptions extends Settings {
  readonly person?: string
  readonly workspace?: string
  readonly conversation?: string
}

const WORKSPACE = 'home'

/**
 * `claw chat`: a conversation in the terminal, until the person leaves or the input ends. With the running server where
 * there is one, else with a bot in this process: the same conversation. Throws CONFIG_INVALID.
 */
export async function chat({ person = user(), workspace = WORKSPACE, conversation, ...settings }: ChatOptions) {
  const config = configure(settings)
  prepareData(config.dataDir)
  const about = { person, ...(conversation === undefined ? {} : { conversation }) }
  const place = await findServer(config.dataDir)
  if (place === null) return alone(config, workspace, (client) => openTerminal({ ...about, client, alone: true }))
  const unheard = (['model', 'memory'] as const).find((flag) => settings[flag] !== undefined)
  if (unheard !== undefined) {
    throw new ClawError('CONFIG_INVALID', `A bot runs here already, and --${unheard} would not reach it`, {
      remedy: `Leave --${unheard} away, stop that bot, or name another folder with --data.`,
    })
  }
  let fail = (_error: unknown) => {}
  const client = await connect({ ...place, workspace, lost: (error) => fail(error) })
  try {
    await converse(openTerminal({ ...about, client, alone: false }), async (terminal) => {
      fail = terminal.fail
      terminal.start()
      await terminal.ended
    })
  } finally {
    client.close()
  }
}

/** With a bot of its own, which ends with the conversation. */
async function alone(config: Config, workspace: string, open: (client: Client) => Terminal): Promise<void> {
  const path = await ensureModel(config)
  const log = openLog(config.dataDir)
  const playground = createPlayground()
  await converse(open(playground.client(workspace)), async (terminal) => {
    if (process.stderr.isTTY) process.stderr.write(`loading ${config.model} …\n`)
    const bot = await startBot(config, path, async () => [playground], {
      report: (error) => logFault(config.dataDir, error),
      version: ({ version, state, reason, lessons }) => log.info({ version, state, reason, lessons }, 'version'),
    })
    log.info({ model: config.model, workspace }, 'started')
    try {
      // Replies that an earlier run left unfinished come before the first prompt.
      await Promise.race([bot.runtime.idle(), terminal.ended])
      await playground.start(bot.runtime.deliver)
      terminal.start()
      if ((await terminal.ended) === 'left') await bot.runtime.idle()
    } finally {
      await terminal.stop()
      await playground.stop()
      await bot.close()
    }
    log.info('ended')
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the conversation; a signal ends it as the person would. */
async function converse(terminal: Terminal, run: (terminal: Terminal) => Promise<void>): Promise<void> {
  const leave = () => void terminal.stop()
  for (const signal of SIGNALS) process.once(signal, leave)
  try {
    await run(terminal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    await terminal.stop()
  }
}

/** The path of the model in use. Where nobody chose one and another is here, that one is taken; else it is pulled. */
export async function ensureModel({ model, dataDir }: Config): Promise<string> {
  try {
    return resolveModel(model, dataDir)
  } catch (error) {
    if (!(error instanceof ClawError) || error.code !== 'MODEL_MISSING') throw error
    const here = model === DEFAULT_MODEL ? listModels(dataDir).find(({ path }) => path !== null) : undefined
    if (here === undefined || here.path === null) return pullWithProgress(model, dataDir)
    process.stderr.write(`${model} is not here, so ${here.name} answers, which is\n`)
    return here.path
  }
}

function user(): string {
  try {
    return userInfo().username
  } catch {
    return 'you'
  }
}

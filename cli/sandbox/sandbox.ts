import type { PlatformName } from '../../config/tokens.ts'
import { ClawError } from '../../core/errors.ts'
import { configure, prepareData, type Settings } from '../settings.ts'
import { openDiscord } from './discord.ts'
import { findSandbox, forgetSandbox, writeSandbox } from './place.ts'
import type { Scene } from './scene.ts'
import { openSlack } from './slack.ts'
import { openTelegram } from './telegram.ts'
import { openTerminal } from './terminal.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * `claw sandbox`: fake platforms on this machine, and a screen to talk on them, until the person leaves or the input
 * ends. Throws CONFIG_INVALID.
 */
export async function sandbox(settings: Settings): Promise<void> {
  const { dataDir } = configure(settings)
  prepareData(dataDir)
  if ((await findSandbox(dataDir)) !== null) {
    throw new ClawError('CONFIG_INVALID', 'A sandbox runs in this data folder already', {
      remedy: 'End that one, or name another folder with --data, here and for claw start.',
    })
  }
  const [slack, discord, telegram] = [await openSlack(), await openDiscord(), await openTelegram()]
  const scenes = new Map<PlatformName, Scene>([
    ['slack', slack],
    ['discord', discord],
    ['telegram', telegram],
  ])
  writeSandbox(dataDir, {
    pid: process.pid,
    slack: slack.tokens,
    discord: discord.tokens,
    telegram: telegram.tokens,
  })
  const terminal = openTerminal({ scenes })
  for (const signal of SIGNALS) process.once(signal, terminal.stop)
  try {
    await terminal.ended
  } finally {
    forgetSandbox(dataDir)
    for (const signal of SIGNALS) process.off(signal, terminal.stop)
    await Promise.all([...scenes.values()].map((scene) => scene.close()))
  }
}

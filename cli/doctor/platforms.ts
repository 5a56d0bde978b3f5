import type { Health } from '../../adapters/adapter.ts'
import { checkDiscord } from '../../adapters/discord/invite.ts'
import { checkSlack } from '../../adapters/slack/check.ts'
import { checkTelegram } from '../../adapters/telegram/checklist.ts'
import { PLATFORMS, type PlatformName } from '../../config/tokens.ts'
import { mask } from '../../core/mask.ts'
import { isWanted, lacking, type Registered, TITLES } from '../platforms.ts'
import { broken, type Finding, ok, warning } from './diagnoses.ts'

/** What an adapter finds wrong with how its platform is set up. */
interface Fault {
  readonly name: string
  readonly level: 'error' | 'warning'
  readonly detail: string
  readonly remedy: string
}

/** Asks every platform that has tokens how they stand. `groups`: Telegram groups that the bot is known to be in. */
export async function examinePlatforms(registered: Registered, groups: readonly number[]): Promise<Finding[]> {
  const wanted = PLATFORMS.filter((platform) => isWanted(registered.tokens, platform))
  if (wanted.length === 0) {
    return [warning('platforms', 'No platform has a token', '`claw init` asks for them; `claw sandbox` needs none.')]
  }
  return (await Promise.all(wanted.map((platform) => examine(registered, platform, groups)))).flat()
}

async function examine(registered: Registered, platform: PlatformName, groups: readonly number[]): Promise<Finding[]> {
  const lacks = lacking(registered.tokens, platform)
  if (lacks.length > 0) {
    return [
      broken(`${platform}: tokens`, `${TITLES[platform]} lacks ${lacks.join(' and ')}`, '`claw init` asks for it.'),
    ]
  }
  return diagnosePlatform(platform, await faultsOf(registered, platform, groups))
}

/** What is wrong with the tokens and settings of a platform that lacks none. */
export async function faultsOf(
  { config, tokens }: Registered,
  platform: PlatformName,
  groups: readonly number[] = [],
): Promise<readonly Fault[]> {
  switch (platform) {
    case 'slack':
      return checkSlack(tokens.slack, config.slack.apiUrl)
    case 'discord':
      return (await checkDiscord(tokens.discord.token ?? '', config.discord.apiUrl)).findings
    case 'telegram': {
      const { apiUrl, webhookUrl } = config.telegram
      return checkTelegram(tokens.telegram.token ?? '', apiUrl, { chats: groups, polling: webhookUrl === null })
    }
  }
}

export function diagnosePlatform(platform: PlatformName, faults: readonly Fault[]): Finding[] {
  if (faults.length === 0) return [ok(platform, `${TITLES[platform]} knows the bot, and nothing is missing`)]
  return faults.map(({ name, level, detail, remedy }) =>
    (level === 'error' ? broken : warning)(`${platform}: ${name}`, mask(detail.replace(CONTROLS, '')), mask(remedy)),
  )
}

/** Groups and servers may be called anything. */
const CONTROLS = /\p{Cc}/gu

/** What the running bot says of its connections. */
export function diagnoseRunning(health: Readonly<Record<string, Pick<Health, 'state' | 'detail'>>>): Finding[] {
  return Object.entries(health).map(([platform, { state, detail }]) => {
    const name = `${platform}: connection`
    const said = detail === null ? `the running bot is ${state}` : `the running bot is ${state}: ${detail}`
    if (state === 'refused') return broken(name, said, 'Do what it says, then start the bot again.')
    if (state === 'standby' || (state === 'connected' && detail === null)) return ok(name, said)
    return warning(name, said, 'It goes on trying; if this stays, do what it says.')
  })
}

/** How far this machine's clock is before a platform's, in milliseconds; null where it does not say. */
export async function clockSkew(url: string, now: () => number = Date.now): Promise<number | null> {
  try {
    const before = now()
    const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    const date = Date.parse(headers.get('date') ?? '')
    // It is said in whole seconds.
    return Number.isNaN(date) ? null : Math.round((before + now()) / 2 - date - 500)
  } catch {
    return null
  }
}

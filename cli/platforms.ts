import { createHash } from 'node:crypto'
import type { Adapter, Health } from '../adapters/adapter.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { loadTokens, PLATFORMS, type PlatformName, type Tokens } from '../config/tokens.ts'
import { ClawError } from '../core/errors.ts'
import { mask } from '../core/mask.ts'
import type { Ground } from './ground.ts'
import { findSandbox } from './sandbox/place.ts'
import { standby } from './standby.ts'

export const TITLES: Readonly<Record<PlatformName, string>> = {
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
}

/** What the bot is known by on each platform, and where the platforms are. */
export interface Registered {
  readonly config: Config
  readonly tokens: Tokens
  /** Whether the platforms are those of a sandbox on this machine. */
  readonly sandbox: boolean
}

/** Tokens as they are set; where none is, those of the sandbox that runs in the data folder. Throws CONFIG_INVALID. */
export async function findRegistered(config: Config): Promise<Registered> {
  const tokens = readTokens(config.dataDir)
  const sandbox = PLATFORMS.some((name) => isWanted(tokens, name)) ? null : await findSandbox(config.dataDir)
  if (sandbox === null) return { config, tokens, sandbox: false }
  const { slack, discord, telegram } = sandbox
  const at = <Group extends object>(group: Group, { apiUrl }: { readonly apiUrl: string }) => ({ ...group, apiUrl })
  return {
    config: {
      ...config,
      slack: at(config.slack, slack),
      // Nobody's words: the people there are made up.
      discord: { ...at(config.discord, discord), trainingPermission: true },
      telegram: at(config.telegram, telegram),
    },
    tokens: {
      slack: { botToken: slack.botToken, appToken: slack.appToken },
      discord: { token: discord.token },
      telegram: { token: telegram.token },
    },
    sandbox: true,
  }
}

/** Throws CONFIG_INVALID. */
export function readTokens(dataDir: string): Tokens {
  try {
    return loadTokens(dataDir)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new ClawError('CONFIG_INVALID', cause.message, { remedy: '`claw init` writes the tokens anew.', cause })
  }
}

/** Whether anything of the platform is set. A key of our own says nothing about that. */
export function isWanted(tokens: Tokens, platform: PlatformName): boolean {
  const { encryptionKey: _, ...slack } = tokens.slack
  return Object.keys({ ...tokens, slack }[platform]).length > 0
}

/** The environment variables that a platform still lacks; empty where it may be connected. */
export function lacking(tokens: Tokens, platform: PlatformName): string[] {
  if (platform === 'discord') return tokens.discord.token === undefined ? ['DISCORD_TOKEN'] : []
  if (platform === 'telegram') return tokens.telegram.token === undefined ? ['TELEGRAM_BOT_TOKEN'] : []
  const { botToken, appToken, signingSecret, clientId, clientSecret, encryptionKey } = tokens.slack
  const installed = clientId !== undefined || clientSecret !== undefined
  return [
    ...(installed && clientId === undefined ? ['SLACK_CLIENT_ID'] : []),
    ...(installed && clientSecret === undefined ? ['SLACK_CLIENT_SECRET'] : []),
    ...(installed && encryptionKey === undefined ? ['CLAW_ENCRYPTION_KEY'] : []),
    ...(installed && appToken === undefined && signingSecret === undefined ? ['SLACK_SIGNING_SECRET'] : []),
    ...(!installed && botToken === undefined ? ['SLACK_BOT_TOKEN'] : []),
    ...(!installed && appToken === undefined && signingSecret === undefined
      ? ['SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, to be called over HTTP)']
      : []),
  ]
}

/** Makes a platform's adapter. Its SDK is loaded for those alone who have its tokens: it takes longer than all else. */
async function creator(platform: PlatformName, { config, tokens }: Registered, { store, report }: Ground) {
  const shared = { report, db: store.db }
  switch (platform) {
    case 'slack': {
      const { createSlack } = await import('../adapters/slack/slack.ts')
      return () => createSlack({ ...shared, tokens: tokens.slack, config: config.slack })
    }
    case 'discord': {
      const { createDiscord } = await import('../adapters/discord/discord.ts')
      return () => createDiscord({ ...shared, token: tokens.discord.token ?? '', config: config.discord })
    }
    case 'telegram': {
      const { createTelegram } = await import('../adapters/telegram/telegram.ts')
      const { token = '', webhookSecret = null } = tokens.telegram
      return () => createTelegram({ ...shared, token, webhookSecret, config: config.telegram })
    }
  }
}

/** How often the connections are looked at, in milliseconds. */
const LOOK = 500

/** The adapters of all platforms that have what they need; one process of the bot is connected to each. */
export async function openPlatforms(
  registered: Registered,
  ground: Ground,
  say: (line: string) => void,
): Promise<readonly Adapter[]> {
  const { tokens } = registered
  const opened = PLATFORMS.map(async (platform) => {
    if (!isWanted(tokens, platform)) return []
    const lacks = lacking(tokens, platform)
    if (lacks.length > 0) {
      say(`${TITLES[platform]} is left out: it lacks ${lacks.join(' and ')} (\`claw init\`)`)
      return []
    }
    const key = createHash('sha256').update(JSON.stringify(tokens[platform])).digest('base64url').slice(0, 22)
    const claim = () => ground.leases.claim(`platform ${platform} ${key}`)
    const create = await creator(platform, registered, ground)
    return [await standby({ create, claim, report: ground.report })]
  })
  return (await Promise.all(opened)).flat()
}

/** Says how the connections stand, whenever that has changed. Returns what ends it. */
export function sayChanges(health: () => Readonly<Record<string, Health>>, say: (line: string) => void): () => void {
  const said = new Map<string, Health['state']>()
  function look(): void {
    for (const [platform, { state, detail }] of Object.entries(health())) {
      const before = said.get(platform) ?? 'connecting'
      said.set(platform, state)
      const title = TITLES[platform as PlatformName] ?? platform
      const stands = state === 'standby' ? 'standing by' : state
      if (state !== before) say(`${title} is ${stands}${detail === null ? '' : `: ${mask(detail)}`}`)
    }
  }
  look()
  const looking = setInterval(look, LOOK)
  return () => clearInterval(looking)
}

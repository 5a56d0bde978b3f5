import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { saveSetting } from '../../config/config.ts'
import {
  PLATFORMS,
  type PlatformName,
  saveTokens,
  TOKEN_VARIABLES,
  type Tokens,
  tokensFile,
} from '../../config/tokens.ts'
import { ClawError } from '../../core/errors.ts'
import { diagnosePlatform } from '../doctor/platforms.ts'
import { type Registered, readTokens } from '../platforms.ts'
import { configure, type Settings } from '../settings.ts'
import { checkLive, sendTest } from './live.ts'
import { afterwards, isPublicAddress, MODES, type Plan, planFor } from './plan.ts'

export interface InitOptions extends Settings {
  readonly platform?: PlatformName
  readonly mode?: string
  readonly url?: string
  /** Tokens come as NAME=value lines on stdin. */
  readonly stdin?: boolean
  /** Where a test message goes. */
  readonly test?: string
  readonly json?: boolean
}

/** What one step without questions has come to. */
export interface Done {
  readonly platform: PlatformName
  readonly mode: string
  readonly ready: boolean
  readonly link: string | null
  /** Where the Slack manifest was written. */
  readonly manifest: string | null
  readonly steps: readonly string[]
  /** Environment variables that are not set yet. */
  readonly lacking: readonly string[]
  readonly findings: ReturnType<typeof diagnosePlatform>
  /** Where the tokens were written; null where they were not. */
  readonly tokens: string | null
  readonly test: 'sent' | null
}

/** Takes the tokens from the environment or stdin, checks them, and keeps them when they are good. */
export async function step(options: InitOptions, input: NodeJS.ReadableStream = process.stdin): Promise<Done> {
  const plan = planOf(options)
  const { platform } = plan
  const { dataDir } = configure(options)
  const given = options.stdin === true ? readLines(await readAll(input), platform) : {}
  const tokens = withKeys(plan, within(readTokens(dataDir), platform, given))
  const manifest = writeManifest(dataDir, plan)
  const lacking = plan.tokens.filter(({ key }) => tokenOf(tokens, platform, key) === undefined)
  const base = { platform, mode: plan.mode, link: plan.link, manifest, test: null, tokens: null }
  if (lacking.length > 0) {
    const variables = lacking.map(({ variable }) => variable)
    return { ...base, ready: false, steps: plan.steps, lacking: variables, findings: [] }
  }
  const registered: Registered = { config: configure(options), tokens, sandbox: false }
  const { faults, application } = await checkLive(registered, platform)
  const findings = diagnosePlatform(platform, faults)
  const steps = afterwards(plan, application)
  const hopeless = faults.some(({ name, level }) => level === 'error' && name !== 'intent off')
  if (hopeless) return { ...base, ready: false, steps, lacking: [], findings }
  keep(dataDir, plan, tokens, options.url)
  if (options.test !== undefined) await sendTest(registered, platform, options.test)
  const sent = options.test === undefined ? null : ('sent' as const)
  return { ...base, ready: true, steps, lacking: [], findings, tokens: tokensFile(dataDir), test: sent }
}

/** Throws CONFIG_INVALID. */
export function planOf({ platform, mode, url }: InitOptions): Plan {
  if (platform === undefined) {
    throw new ClawError('CONFIG_INVALID', 'Nobody sits at this terminal to be asked', {
      remedy: `Name the platform with --platform ${PLATFORMS.join('|')}.`,
    })
  }
  const modes = Object.keys(MODES[platform])
  const chosen = mode ?? modes[0] ?? ''
  if (!modes.includes(chosen)) {
    throw new ClawError('CONFIG_INVALID', `${platform} has no mode ${chosen}`, { remedy: `--mode ${modes.join('|')}` })
  }
  const plan = planFor(platform, chosen, url)
  if (plan.wantsUrl && !isPublicAddress(url)) {
    throw new ClawError('CONFIG_INVALID', `The mode ${chosen} wants the bot's public address, with https://`, {
      remedy: '--url https://claw.example.com',
    })
  }
  return plan
}

/** `NAME=value` a line. Throws CONFIG_INVALID without quoting a value. */
function readLines(text: string, platform: PlatformName): Readonly<Record<string, string>> {
  const keys = new Map<string, string>(
    Object.entries(TOKEN_VARIABLES[platform]).map(([key, variable]) => [variable, key]),
  )
  const entries = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => {
      const [, name = '', value = ''] = /^(\w+)=(.+)$/.exec(line) ?? []
      const key = keys.get(name)
      if (key === undefined) {
        throw new ClawError('CONFIG_INVALID', `Line ${index + 1} of stdin names no token of ${platform}`, {
          remedy: `One of ${[...keys.keys()].map((variable) => `${variable}=…`).join(', ')}`,
        })
      }
      return [key, value] as const
    })
  return Object.fromEntries(entries)
}

export function within(tokens: Tokens, platform: PlatformName, more: Readonly<Record<string, string>>): Tokens {
  return { ...tokens, [platform]: { ...tokens[platform], ...more } }
}

export function withKeys({ platform, keys }: Plan, tokens: Tokens): Tokens {
  const missing = keys.filter((key) => tokenOf(tokens, platform, key) === undefined)
  return within(tokens, platform, Object.fromEntries(missing.map((key) => [key, randomBytes(32).toString('hex')])))
}

const tokenOf = (tokens: Tokens, platform: PlatformName, key: string): string | undefined =>
  (tokens[platform] as Readonly<Record<string, string>>)[key]

export function writeManifest(dataDir: string, { manifest }: Plan): string | null {
  if (manifest === null) return null
  const file = join(dataDir, 'slack-manifest.json')
  writeFileSync(file, manifest, { mode: 0o600 })
  return file
}

/** Writes what was asked for; an app that is called over HTTP has no use for the other mode's token. */
export function keep(dataDir: string, { platform, mode, tokens: wanted }: Plan, tokens: Tokens, url?: string): void {
  const other = platform === 'slack' && mode !== 'socket' ? { ...tokens.slack } : null
  if (other !== null && !wanted.some(({ key }) => key === 'appToken')) delete other.appToken
  saveTokens(dataDir, other === null ? tokens : { ...tokens, slack: other })
  if (platform === 'telegram') saveSetting(dataDir, 'telegram', 'webhookUrl', mode === 'webhook' ? (url ?? null) : null)
}

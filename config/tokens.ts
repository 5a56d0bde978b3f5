import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigError } from './config.ts'
import { knowSecret } from './secrets.ts'

/** The platforms that know the bot by tokens. */
export const PLATFORMS = ['slack', 'discord', 'telegram'] as const
export type PlatformName = (typeof PLATFORMS)[number]

/** Where `claw init` writes them: `<dataDir>/tokens.json`, readable by its owner only. */
export const tokensFile = (dataDir: string): string => join(dataDir, 'tokens.json')

const token = z.string().min(1)

const schema = z.strictObject({
  slack: z
    .strictObject({
      /** xoxb-…, of one workspace; absent where workspaces install the app themselves (`clientId`). */
      botToken: token,
      /** xapp-…, for Socket Mode; without it Slack calls the bot over HTTP. */
      appToken: token,
      signingSecret: token,
      clientId: token,
      clientSecret: token,
      /** Signs the state of an installation, and encrypts the installations in the store. At least 32 characters. */
      encryptionKey: token.min(32, 'must have at least 32 characters'),
    })
    .partial(),
  discord: z.strictObject({ token }).partial(),
  telegram: z.strictObject({ token, webhookSecret: token }).partial(),
})

/**
 * What a platform knows the bot by. It is no part of the settings, so that it is never printed, logged or handed to
 * another process with them.
 */
export type Tokens = Readonly<z.output<typeof schema>>

type Environment = Readonly<Record<string, string | undefined>>

/** The environment variable of each token. */
export const TOKEN_VARIABLES = {
  slack: {
    botToken: 'SLACK_BOT_TOKEN',
    appToken: 'SLACK_APP_TOKEN',
    signingSecret: 'SLACK_SIGNING_SECRET',
    clientId: 'SLACK_CLIENT_ID',
    clientSecret: 'SLACK_CLIENT_SECRET',
    encryptionKey: 'CLAW_ENCRYPTION_KEY',
  },
  discord: { token: 'DISCORD_TOKEN' },
  telegram: { token: 'TELEGRAM_BOT_TOKEN', webhookSecret: 'TELEGRAM_WEBHOOK_SECRET' },
} as const

/** Tokens from the environment, and from the file for what that does not name. Throws ConfigError without quoting any. */
export function loadTokens(dataDir: string, env: Environment = process.env): Tokens {
  const stored = readTokens(tokensFile(dataDir))
  const parsed = schema.safeParse({
    slack: { ...stored.slack, ...said(TOKEN_VARIABLES.slack, env) },
    discord: { ...stored.discord, ...said(TOKEN_VARIABLES.discord, env) },
    telegram: { ...stored.telegram, ...said(TOKEN_VARIABLES.telegram, env) },
  })
  if (parsed.success) {
    const { clientId: _, ...secret } = parsed.data.slack
    for (const value of [secret, parsed.data.discord, parsed.data.telegram].flatMap(Object.values)) knowSecret(value)
    return parsed.data
  }
  const issue = parsed.error.issues[0]
  throw new ConfigError(`${issue?.path.join('.') || 'tokens'}: ${issue?.message ?? 'invalid'}`)
}

/** Writes the file as a whole or not at all, readable by its owner only. Throws ConfigError without quoting any. */
export function saveTokens(dataDir: string, tokens: Tokens): void {
  const parsed = schema.safeParse(tokens)
  if (!parsed.success) throw new ConfigError(`${parsed.error.issues[0]?.path.join('.')}: is no token`)
  const file = tokensFile(dataDir)
  const aside = `${file}.${process.pid}`
  rmSync(aside, { force: true })
  try {
    writeFileSync(aside, `${JSON.stringify(parsed.data, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(aside, file)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

function readTokens(file: string): Partial<Record<PlatformName, object>> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw new ConfigError(`${file} cannot be read`)
  }
  try {
    return z.partialRecord(z.enum(PLATFORMS), z.looseObject({})).parse(JSON.parse(text))
  } catch {
    throw new ConfigError(`${file} is not one JSON object of the platforms' tokens`)
  }
}

/** A variable that is empty is one that is not set. */
function said(variables: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  const entries = Object.entries(variables).map(([name, variable]) => [name, env[variable]])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== '')) as Record<
    string,
    string
  >
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigError } from './config.ts'
import { knowSecret } from './secrets.ts'

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

/** Tokens from the environment, and from the file for what that does not name. Throws ConfigError without quoting any. */
export function loadTokens(dataDir: string, env: Environment = process.env): Tokens {
  const stored = readTokens(tokensFile(dataDir))
  const given = {
    slack: {
      botToken: env.SLACK_BOT_TOKEN,
      appToken: env.SLACK_APP_TOKEN,
      signingSecret: env.SLACK_SIGNING_SECRET,
      clientId: env.SLACK_CLIENT_ID,
      clientSecret: env.SLACK_CLIENT_SECRET,
      encryptionKey: env.CLAW_ENCRYPTION_KEY,
    },
    discord: { token: env.DISCORD_TOKEN },
    telegram: { token: env.TELEGRAM_BOT_TOKEN, webhookSecret: env.TELEGRAM_WEBHOOK_SECRET },
  }
  const parsed = schema.safeParse({
    slack: { ...stored.slack, ...said(given.slack) },
    discord: { ...stored.discord, ...said(given.discord) },
    telegram: { ...stored.telegram, ...said(given.telegram) },
  })
  if (parsed.success) {
    const { clientId: _, ...secret } = parsed.data.slack
    for (const value of [secret, parsed.data.discord, parsed.data.telegram].flatMap(Object.values)) knowSecret(value)
    return parsed.data
  }
  const issue = parsed.error.issues[0]
  throw new ConfigError(`${issue?.path.join('.') || 'tokens'}: ${issue?.message ?? 'invalid'}`)
}

function readTokens(file: string): Partial<Record<'slack' | 'discord' | 'telegram', object>> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw new ConfigError(`${file} cannot be read`)
  }
  try {
    return z.partialRecord(z.enum(['slack', 'discord', 'telegram']), z.looseObject({})).parse(JSON.parse(text))
  } catch {
    throw new ConfigError(`${file} is not one JSON object of the platforms' tokens`)
  }
}

/** A variable that is empty is one that is not set. */
function said(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(entries) as Record<string, string>
}

import { DiscordjsErrorCodes, GatewayCloseCodes } from 'discord.js'

/** What to do where Discord does not know the token. */
export const TOKEN = 'Take a new token in the developer portal, Bot, "Reset Token", and give it to `claw init`.'

/** What to do where the bot may not read messages. */
export const INTENT =
  'Turn on "Message Content Intent" in the developer portal, Bot, Privileged Gateway Intents; then start again.'

const UNKNOWN = `Discord does not know the token. ${TOKEN}`
const CLOSED = `Discord does not let the bot read messages (close code 4014). ${INTENT}`

const CODES: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]: UNKNOWN,
  [GatewayCloseCodes.DisallowedIntents]: CLOSED,
  [GatewayCloseCodes.ShardingRequired]: 'The bot is in so many servers that it needs more connections. Start it again.',
}

/** What discord.js says when the first connection is closed for good. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/disallowed intents/i, CLOSED],
  [/authentication failed/i, UNKNOWN],
]

/**
 * What an operator has to do where trying again does not help: of a close code after which discord.js gives up, or of
 * what `login` has thrown. Null where it may.
 */
export function hopeless(reason: unknown): string | null {
  if (typeof reason === 'number') return CODES[reason] ?? `Discord ended the connection for good (${reason}).`
  if (!(reason instanceof Error)) return null
  if ('code' in reason && reason.code === DiscordjsErrorCodes.TokenInvalid) return UNKNOWN
  return WORDS.find(([pattern]) => pattern.test(reason.message))?.[1] ?? null
}

/** What an operator is told while a connection is tried again. */
export function unreached(error: unknown): string {
  const spent = error instanceof Error && /not enough sessions remaining/i.test(error.message)
  return spent ? 'Discord takes no more connections from this bot today' : 'Discord cannot be reached'
}

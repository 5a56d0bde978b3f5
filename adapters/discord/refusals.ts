import { DiscordjsErrorCodes, GatewayCloseCodes } from 'discord.js'

const TOKEN = 'Discord does not know this token. Take a new one from the developer portal, Bot, Reset Token.'
const INTENT =
  'The bot may not read messages yet (close code 4014). Developer portal, Bot, Privileged Gateway Intents: turn on "Message Content Intent", then start again.'

const CODES: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]: TOKEN,
  [GatewayCloseCodes.DisallowedIntents]: INTENT,
}

/** What discord.js says when the first connection is closed for good. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/disallowed intents/i, INTENT],
  [/authentication failed/i, TOKEN],
]

/**
 * What an operator has to do where trying again does not help: of a close code after which discord.js gives up, or of
 * what `login` has thrown. Null where it may.
 */
export function hopeless(reason: unknown): string | null {
  if (typeof reason === 'number') return CODES[reason] ?? `Discord ended the connection for good (${reason}).`
  if (!(reason instanceof Error)) return null
  if ('code' in reason && reason.code === DiscordjsErrorCodes.TokenInvalid) return TOKEN
  return WORDS.find(([pattern]) => pattern.test(reason.message))?.[1] ?? null
}

import {
  type APIApplication,
  ApplicationFlags,
  DiscordAPIError,
  type RESTGetAPICurrentUserGuildsResult as Guilds,
  OAuth2Scopes,
  PermissionFlagsBits,
  REST,
  Routes,
} from 'discord.js'
import { reason } from '../../core/errors.ts'
import { platformError } from './errors.ts'
import { INTENT, TOKEN } from './refusals.ts'

/** All that the bot needs in a server, and nothing more; as Discord calls it. */
const NEEDED: readonly (readonly [bit: bigint, name: string])[] = [
  [PermissionFlagsBits.ViewChannel, 'View Channels'],
  [PermissionFlagsBits.SendMessages, 'Send Messages'],
  [PermissionFlagsBits.SendMessagesInThreads, 'Send Messages in Threads'],
  [PermissionFlagsBits.ReadMessageHistory, 'Read Message History'],
  [PermissionFlagsBits.AddReactions, 'Add Reactions'],
]

const PERMISSIONS = NEEDED.reduce((bits, [bit]) => bits | bit, 0n)

/** The page on which a server's admin adds the bot. */
export function inviteUrl(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: String(PERMISSIONS),
  })
  return `https://discord.com/oauth2/authorize?${query}`
}

/** What keeps a bot from working as its people expect. */
export interface Finding {
  readonly name:
    | 'token'
    | 'unreachable'
    | 'intent off'
    | 'interactions elsewhere'
    | 'code grant'
    | 'in no server'
    | 'missing permissions'
  /** `error`: it does not work at all. */
  readonly level: 'error' | 'warning'
  readonly detail: string
  readonly remedy: string
}

export interface Checked {
  /** Null where Discord does not know the token, or does not answer. */
  readonly application: { readonly id: string; readonly name: string } | null
  readonly servers: readonly string[]
  readonly findings: readonly Finding[]
}

const TIMEOUT_MS = 10_000

/** Asks Discord how a token stands, and changes nothing. Never throws; nothing that it says holds the token. */
export async function checkDiscord(token: string, apiUrl: string): Promise<Checked> {
  const rest = new REST({ api: apiUrl, retries: 1, timeout: TIMEOUT_MS }).setToken(token)
  try {
    const application = (await rest.get(Routes.currentApplication())) as APIApplication
    const guilds = (await rest.get(Routes.userGuilds())) as Guilds
    const findings = [
      ...applicationFindings(application),
      ...(guilds.length === 0 ? [nowhere(application.id)] : guilds.flatMap(permissionFindings)),
    ]
    return {
      application: { id: application.id, name: application.name },
      servers: guilds.map(({ name }) => name),
      findings,
    }
  } catch (error) {
    const unknown = error instanceof DiscordAPIError && error.status === 401
    const finding: Finding = unknown
      ? { name: 'token', level: 'error', detail: 'Discord does not know the token', remedy: TOKEN }
      : {
          name: 'unreachable',
          level: 'error',
          detail: reason(platformError(error)),
          remedy: 'Check the network, and discord.apiUrl.',
        }
    return { application: null, servers: [], findings: [finding] }
  }
}

const READS = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited

/** What is set wrong in the developer portal. */
export function applicationFindings(application: APIApplication): readonly Finding[] {
  const findings: Finding[] = []
  if ((application.flags & READS) === 0) {
    findings.push({
      name: 'intent off',
      level: 'error',
      detail: 'Discord would close the connection with code 4014: "Message Content Intent" is off',
      remedy: INTENT,
    })
  }
  if (application.interactions_endpoint_url) {
    findings.push({
      name: 'interactions elsewhere',
      level: 'error',
      detail: 'Commands and buttons go to another address, and never reach the bot',
      remedy: 'Developer portal, General Information: empty "Interactions Endpoint URL".',
    })
  }
  if (application.bot_require_code_grant) {
    findings.push({
      name: 'code grant',
      level: 'error',
      detail: 'The invite link does not work: "Requires OAuth2 Code Grant" is on',
      remedy: 'Developer portal, Bot: turn "Requires OAuth2 Code Grant" off.',
    })
  }
  return findings
}

/** What the bot may not do in a server at all; single channels may allow less on purpose. */
export function permissionFindings({ name, permissions }: Guilds[number]): readonly Finding[] {
  const given = BigInt(permissions)
  const all = (given & PermissionFlagsBits.Administrator) !== 0n
  const lacks = NEEDED.filter(([bit]) => !all && (given & bit) === 0n).map(([, permission]) => permission)
  if (lacks.length === 0) return []
  return [
    {
      name: 'missing permissions',
      level: 'warning',
      detail: `In the server ${name} the bot lacks ${lacks.join(', ')}`,
      remedy: 'Server Settings, Roles, the role of the bot, Permissions: turn them on.',
    },
  ]
}

const nowhere = (applicationId: string): Finding => ({
  name: 'in no server',
  level: 'warning',
  detail: 'The bot is in no server yet',
  remedy: `Open ${inviteUrl(applicationId)} and choose one.`,
})

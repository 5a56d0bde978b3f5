import { inviteUrl } from '../../adapters/discord/invite.ts'
import { slackCreationUrl, slackManifest } from '../../adapters/slack/manifest.ts'
import { CHECKLIST } from '../../adapters/telegram/checklist.ts'
import { type PlatformName, TOKEN_VARIABLES } from '../../config/tokens.ts'

/** How a platform may be connected to, the first one being what most want. */
export const MODES = {
  slack: {
    socket: 'one workspace, over a connection that the bot opens (Socket Mode)',
    http: 'one workspace, which calls the bot at a public address',
    many: 'many workspaces that install the app themselves, at a public address',
  },
  discord: { gateway: 'as a bot of your own application' },
  telegram: {
    polling: 'the bot asks for updates',
    webhook: 'Telegram calls the bot at a public address',
  },
} as const satisfies Readonly<Record<PlatformName, Readonly<Record<string, string>>>>

export interface Token {
  /** Its environment variable, which is also its name on stdin. */
  readonly variable: string
  /** Its name in tokens.json. */
  readonly key: string
  /** Where a person finds it. */
  readonly where: string
  readonly looks: RegExp
}

/** What a person does at the platform, and what they bring back. */
export interface Plan {
  readonly platform: PlatformName
  readonly mode: string
  readonly steps: readonly string[]
  readonly link: string | null
  /** The Slack app as a file. */
  readonly manifest: string | null
  readonly tokens: readonly Token[]
  /** Keys of our own, made where there are none yet. */
  readonly keys: readonly string[]
  /** Whether the mode wants a public address. */
  readonly wantsUrl: boolean
}

const SLACK: Readonly<Record<string, Token>> = {
  botToken: token('slack', 'botToken', 'OAuth & Permissions, "Bot User OAuth Token"', /^xoxb-./),
  appToken: token('slack', 'appToken', 'Basic Information, App-Level Tokens, with connections:write', /^xapp-./),
  signingSecret: token('slack', 'signingSecret', 'Basic Information, App Credentials, "Signing Secret"', /^\w{16,}$/),
  clientId: token('slack', 'clientId', 'Basic Information, App Credentials, "Client ID"', /^[\d.]{3,}$/),
  clientSecret: token('slack', 'clientSecret', 'Basic Information, App Credentials, "Client Secret"', /^\w{16,}$/),
}

const SLACK_TOKENS: Readonly<Record<string, readonly string[]>> = {
  socket: ['botToken', 'appToken'],
  http: ['botToken', 'signingSecret'],
  many: ['clientId', 'clientSecret', 'signingSecret'],
}

function token(platform: PlatformName, key: string, where: string, looks: RegExp): Token {
  const variables: Readonly<Record<string, string>> = TOKEN_VARIABLES[platform]
  return { variable: variables[key] ?? '', key, where, looks }
}

/** `url`: the bot's public address, where the mode wants one. */
export function planFor(platform: PlatformName, mode: string, url?: string): Plan {
  const shared = { platform, mode }
  switch (platform) {
    case 'slack': {
      const how = mode === 'socket' ? 'socket' : 'http'
      return {
        ...shared,
        steps: [
          'Open the link, choose your workspace, press Next and Create: the app is made of the manifest.',
          ...(mode === 'socket' ? ['Basic Information, App-Level Tokens: generate one with connections:write.'] : []),
          ...(mode === 'many' ? [] : ['Install App: install it to your workspace.']),
        ],
        link: slackCreationUrl(how, url),
        manifest: `${JSON.stringify(slackManifest(how, url), null, 2)}\n`,
        tokens: (SLACK_TOKENS[mode] ?? []).flatMap((key) => SLACK[key] ?? []),
        keys: ['encryptionKey'],
        wantsUrl: how === 'http',
      }
    }
    case 'discord':
      return {
        ...shared,
        steps: [
          'Open the link, press New Application, give it a name.',
          'Bot: turn "Message Content Intent" on, save, then press Reset Token and copy it.',
        ],
        link: 'https://discord.com/developers/applications',
        manifest: null,
        tokens: [token('discord', 'token', 'Bot, Reset Token', /^[\w-]{3,}[.-][\w-]+[.-][\w-]+$/)],
        keys: [],
        wantsUrl: false,
      }
    case 'telegram':
      return {
        ...shared,
        steps: CHECKLIST,
        link: 'https://t.me/BotFather',
        manifest: null,
        tokens: [token('telegram', 'token', "BotFather's answer to /newbot", /^\d+:[\w-]{30,}$/)],
        keys: mode === 'webhook' ? ['webhookSecret'] : [],
        wantsUrl: mode === 'webhook',
      }
  }
}

/** Whether a platform would call the bot there: they all want HTTPS. */
export function isPublicAddress(url: string | undefined): url is string {
  return url !== undefined && URL.canParse(url) && new URL(url).protocol === 'https:'
}

/** What is left to do once the tokens are good. */
export function afterwards({ platform, mode }: Plan, application: string | null): readonly string[] {
  if (platform === 'discord' && application !== null) return [`Let the bot into your server: ${inviteUrl(application)}`]
  if (platform === 'slack' && mode !== 'many') return ['In a channel: /invite @claw']
  if (platform === 'slack') return ['Workspaces install the app at <your address>/slack/install']
  return []
}

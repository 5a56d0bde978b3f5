import { webApi } from '@slack/bolt'
import type { Tokens } from '../../config/tokens.ts'
import { reason } from '../../core/errors.ts'
import { call, clientOptions, Refused, refusedFor, SOCKET_MODE_OFF } from './api.ts'
import { SCOPES } from './manifest.ts'

/** Something that is wrong with how the app is set up at Slack, and what to do about it. */
export interface SlackFault {
  readonly name: string
  readonly level: 'error' | 'warning'
  readonly detail: string
  readonly remedy: string
}

const APP_PAGE = 'on the app’s page at api.slack.com/apps'
const fault = (name: string, detail: string, remedy: string): SlackFault => ({ name, level: 'error', detail, remedy })

/** Which scopes the bot lacks of those that it has. */
export const missingScopes = (granted: readonly string[]): string[] =>
  SCOPES.filter((scope) => !granted.includes(scope))

/** Asks Slack whether it takes the tokens, and whether the bot may do all that it wants to. Throws nothing. */
export async function checkSlack(tokens: Tokens['slack'], apiUrl: string): Promise<readonly SlackFault[]> {
  const client = new webApi.WebClient(undefined, clientOptions(apiUrl))
  try {
    await call('api.test', () => client.api.test({}))
  } catch (error) {
    return [
      fault('unreachable', reason(error), 'Check the connection to the internet, and slack.apiUrl in config.json.'),
    ]
  }
  const { botToken, appToken, signingSecret, clientId } = tokens
  return [
    ...(botToken === undefined ? [] : await checkBot(client, botToken)),
    ...(appToken === undefined ? [] : await checkApp(client, appToken)),
    ...(botToken === undefined || appToken === undefined ? [] : await checkPair(client, botToken, appToken)),
    ...(signingSecret === undefined || /^[0-9a-f]{32}$/.test(signingSecret)
      ? []
      : [fault('signing secret', 'It is not 32 hexadecimal digits', `Copy it from Basic Information ${APP_PAGE}.`)]),
    ...(botToken !== undefined && clientId !== undefined
      ? [
          {
            ...fault('bot token', 'It is not used where workspaces install the app themselves', 'Remove one of them.'),
            level: 'warning' as const,
          },
        ]
      : []),
  ]
}

async function checkBot(client: webApi.WebClient, token: string): Promise<readonly SlackFault[]> {
  if (!token.startsWith('xoxb-')) {
    return [
      fault('bot token', 'It does not begin with xoxb-', `Copy the Bot User OAuth Token from Install App ${APP_PAGE}.`),
    ]
  }
  try {
    const { response_metadata: metadata } = await call('auth.test', () => client.auth.test({ token }))
    const missing = missingScopes(metadata?.scopes ?? SCOPES)
    if (missing.length === 0) return []
    const remedy = `Add them under OAuth & Permissions ${APP_PAGE}, or take over the manifest of \`claw init\`, and install the app again.`
    return [fault('missing scopes', `The bot lacks ${missing.join(', ')}`, remedy)]
  } catch (error) {
    if (!(error instanceof Refused)) return [fault('unreachable', reason(error), 'Try again.')]
    return [
      fault(
        'bot token',
        `Slack does not take it: ${error.answer}`,
        `Install the app again ${APP_PAGE}, and copy the new one.`,
      ),
    ]
  }
}

/** An app token names its app. With one of another app the bot could speak, and would hear nothing. */
async function checkPair(client: webApi.WebClient, token: string, appToken: string): Promise<readonly SlackFault[]> {
  const [, app] = /^xapp-\d+-(A[0-9A-Z]+)-/.exec(appToken) ?? []
  try {
    const { bot_id: bot = '' } = await call('auth.test', () => client.auth.test({ token }))
    const known = await call('bots.info', () => client.bots.info({ token, bot }))
    const other = known.bot?.app_id
    if (app === undefined || other === undefined || other === app) return []
    const detail = `The app token is of the app ${app}, and the bot token of ${other}: events would come to the other one`
    return [fault('tokens of two apps', detail, `Take both of one app, ${APP_PAGE}.`)]
  } catch {
    // What is wrong with either has been said.
    return []
  }
}

async function checkApp(client: webApi.WebClient, token: string): Promise<readonly SlackFault[]> {
  const remedy = `Make one with the scope connections:write under Basic Information, App-Level Tokens ${APP_PAGE}.`
  if (!token.startsWith('xapp-')) return [fault('app token', 'It does not begin with xapp-', remedy)]
  try {
    // Names an address; connects to nothing.
    await call('apps.connections.open', () => client.apps.connections.open({ token }))
    return []
  } catch (error) {
    if (!(error instanceof Refused)) return [fault('unreachable', reason(error), 'Try again.')]
    if (refusedFor(error, SOCKET_MODE_OFF)) {
      return [fault('socket mode', 'It is turned off', `Turn it on under Socket Mode ${APP_PAGE}.`)]
    }
    return [fault('app token', `Slack does not take it: ${error.answer}`, remedy)]
  }
}

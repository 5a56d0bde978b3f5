import { checkDiscord } from '../../adapters/discord/invite.ts'
import type { PlatformName } from '../../config/tokens.ts'
import { ClawError } from '../../core/errors.ts'
import { faultsOf } from '../doctor/platforms.ts'
import type { Registered } from '../platforms.ts'

/** What a platform says of the tokens. */
export interface Checked {
  readonly faults: Awaited<ReturnType<typeof faultsOf>>
  /** Discord's id of the application, for its invite link. */
  readonly application: string | null
}

export async function checkLive(registered: Registered, platform: PlatformName): Promise<Checked> {
  if (platform !== 'discord') return { faults: await faultsOf(registered, platform), application: null }
  const { tokens, config } = registered
  const { findings, application } = await checkDiscord(tokens.discord.token ?? '', config.discord.apiUrl)
  return { faults: findings, application: application?.id ?? null }
}

export const GREETING = 'Claw is set up: this is its test message.'

/** Where a test message may go, in the words of the platform. */
export const WHERE: Readonly<Record<PlatformName, string>> = {
  slack: 'a channel that the bot was invited to (#general), or your member ID (profile, ⋮, Copy member ID)',
  discord: 'a channel ID (User Settings, Advanced, Developer Mode; then right-click the channel, Copy Channel ID)',
  telegram: 'a chat ID: your own, once you have pressed Start in the chat with the bot, or that of a group',
}

/** Says one line as the bot. Throws PLATFORM_REFUSED, PLATFORM_LOST. */
export async function sendTest({ config, tokens }: Registered, platform: PlatformName, to: string): Promise<void> {
  const { url, headers, body } = requestFor({ config, tokens }, platform, to)
  let answer: Response
  try {
    answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) })
  } catch (cause) {
    throw new ClawError('PLATFORM_LOST', `${platform} did not answer to the test message`, { cause })
  }
  const said = (await answer.json().catch(() => ({}))) as {
    ok?: boolean
    error?: string
    description?: string
    message?: string
  }
  if (answer.ok && said.ok !== false) return
  const why = said.error ?? said.description ?? said.message ?? `status ${answer.status}`
  throw new ClawError('PLATFORM_REFUSED', `The test message was refused: ${why}`, {
    remedy: `Name ${WHERE[platform]}.`,
  })
}

function requestFor({ config, tokens }: Pick<Registered, 'config' | 'tokens'>, platform: PlatformName, to: string) {
  const json = { 'content-type': 'application/json' }
  switch (platform) {
    case 'slack':
      return {
        url: new URL('chat.postMessage', config.slack.apiUrl),
        headers: {
          authorization: `Bearer ${tokens.slack.botToken}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ channel: to, text: GREETING }).toString(),
      }
    case 'discord':
      return {
        url: `${config.discord.apiUrl.replace(/\/$/, '')}/v10/channels/${encodeURIComponent(to)}/messages`,
        headers: { ...json, authorization: `Bot ${tokens.discord.token}` },
        body: JSON.stringify({ content: GREETING, allowed_mentions: { parse: [] } }),
      }
    case 'telegram':
      return {
        url: `${config.telegram.apiUrl.replace(/\/$/, '')}/bot${tokens.telegram.token}/sendMessage`,
        headers: json,
        body: JSON.stringify({ chat_id: to, text: GREETING }),
      }
  }
}

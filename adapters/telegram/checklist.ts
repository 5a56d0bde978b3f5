import { Bot } from 'grammy'
import type { WebhookInfo } from 'grammy/types'
import { hasCode, reason } from '../../core/errors.ts'
import { isUnauthorized, platformError } from './errors.ts'
import { UNKNOWN_TOKEN } from './poll.ts'

/** A bot from nothing: what to do in Telegram, and where. */
export const CHECKLIST: readonly string[] = [
  'In Telegram, open a chat with @BotFather and press Start.',
  'Send /newbot. Type a name, then a username that ends in "bot".',
  'Copy the token from the answer ("Use this token to access the HTTP API").',
  'Send /setprivacy, choose the bot, press Disable: then it hears what is said in groups and not to it.',
  'Add the bot to your group. If it was there before, remove it and add it again: it keeps the old setting.',
  'Make it an administrator of the group: only administrators are told of reactions. One right of any kind will do.',
]

/** What keeps a bot from working as its people expect. */
export interface Finding {
  readonly name: 'token' | 'unreachable' | 'webhook while polling' | 'webhook failing' | 'privacy mode' | 'not an admin'
  /** `error`: it does not work at all. */
  readonly level: 'error' | 'warning'
  readonly detail: string
  readonly remedy: string
}

export interface CheckOptions {
  /** Groups that the bot is known to be in. */
  readonly chats?: readonly number[]
  /** It asks for updates itself, and has no webhook. */
  readonly polling?: boolean
}

const SECONDS = 10

/** Groups that are asked about at once; Telegram takes about so many calls in a second. */
const ASKED = 30

/** Asks Telegram how a token stands, and changes nothing. Never throws; nothing that it says holds the token. */
export async function checkTelegram(
  token: string,
  apiUrl: string,
  { chats = [], polling = true }: CheckOptions = {},
): Promise<readonly Finding[]> {
  try {
    const { api } = new Bot(token, { client: { apiRoot: apiUrl.replace(/\/+$/, ''), timeoutSeconds: SECONDS } })
    const me = await api.getMe()
    const standings = await Promise.all(
      chats.slice(0, ASKED).map((chat) =>
        api.getChatMember(chat, me.id).then(
          ({ status }) => ({ chat, admin: status === 'administrator' }),
          (error: unknown) => {
            // It is no longer there.
            if (hasCode(platformError(error), 'PLATFORM_REFUSED')) return { chat, admin: true }
            throw error
          },
        ),
      ),
    )
    return [
      ...webhookFindings(await api.getWebhookInfo(), polling),
      ...(me.can_read_all_group_messages ? [] : [PRIVACY]),
      ...(await Promise.all(
        standings
          .filter(({ admin }) => !admin)
          .map(async ({ chat }) => notAdmin((await api.getChat(chat)).title ?? chat)),
      )),
    ]
  } catch (error) {
    // grammY itself refuses one that is empty.
    if (token === '' || isUnauthorized(error)) return [TOKEN]
    const detail = reason(platformError(error))
    return [{ name: 'unreachable', level: 'error', detail, remedy: 'Check the network, and telegram.apiUrl.' }]
  }
}

const TOKEN: Finding = {
  name: 'token',
  level: 'error',
  detail: 'Telegram does not know the token',
  remedy: UNKNOWN_TOKEN,
}

const PRIVACY: Finding = {
  name: 'privacy mode',
  level: 'warning',
  detail: 'In groups the bot hears only what mentions it, answers it or is a command',
  remedy: 'Send /setprivacy to @BotFather, choose the bot, press Disable; then add it to its groups again.',
}

const notAdmin = (group: string | number): Finding => ({
  name: 'not an admin',
  level: 'warning',
  detail: `In the group ${group} the bot is told of no reactions`,
  remedy: 'Make it an administrator of the group; one right of any kind will do.',
})

function webhookFindings(info: WebhookInfo, polling: boolean): readonly Finding[] {
  if (polling && info.url !== undefined && info.url !== '') {
    return [
      {
        name: 'webhook while polling',
        level: 'warning',
        detail: 'A webhook is set for this token; claw takes it away when it starts',
        remedy: 'If another program has set it, give that one a token of its own.',
      },
    ]
  }
  if (polling || info.last_error_message === undefined) return []
  return [
    {
      name: 'webhook failing',
      level: 'warning',
      detail: `Telegram could not deliver to the webhook lately: ${info.last_error_message}`,
      remedy: 'Check telegram.webhookUrl, and that it leads to telegram.host and telegram.port.',
    },
  ]
}

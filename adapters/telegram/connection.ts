import { createHash } from 'node:crypto'
import type { Bot } from 'grammy'
import type { Config } from '../../config/config.ts'
import { isUnauthorized, platformError } from './errors.ts'
import { type Together, UPDATE_TYPES } from './events.ts'
import { createGatherer } from './gather.ts'
import { MENUS } from './menu.ts'
import { pause, poll, UNKNOWN_TOKEN } from './poll.ts'
import { listen } from './webhook.ts'

export interface ConnectionOptions {
  readonly bot: Bot
  readonly token: string
  readonly webhookSecret: string | null
  readonly config: Config['telegram']
  readonly take: (units: readonly Together[]) => Promise<void>
  readonly up: (detail?: string) => void
  readonly down: (state: 'connecting' | 'refused', detail: string) => void
  readonly report: (error: unknown) => void
}

/** Between two looks at whether Telegram still reaches the webhook, in milliseconds. */
const LOOK_MS = 60_000

/** A delivery that failed longer ago says nothing about now, in seconds. */
const RECENT_SECONDS = 120

/** The shortest and longest pause after a failure, in milliseconds. */
const PAUSE = { first: 500, last: 30_000 }

/**
 * Receives updates until `stopping` aborts or Telegram refuses the token: over the webhook where there is an address for
 * it, else by asking. Throws CONFIG_INVALID where the webhook's port is taken.
 */
export async function connect(options: ConnectionOptions, stopping: AbortSignal): Promise<void> {
  const { bot, config, up, down, report } = options
  const url = config.webhookUrl

  /** Does it until it succeeds; false where it never will. */
  async function persist(call: () => Promise<unknown>): Promise<boolean> {
    for (let failures = 0; !stopping.aborted; failures++) {
      try {
        await call()
        return true
      } catch (error) {
        if (isUnauthorized(error)) {
          down('refused', UNKNOWN_TOKEN)
          return false
        }
        const { message } = platformError(error)
        down('connecting', message)
        if (failures === 0) report(platformError(error))
        await pause(Math.min(PAUSE.first * 2 ** failures, PAUSE.last), stopping)
      }
    }
    return false
  }

  /** The commands that clients offer. A bot without them is as good. */
  async function offer(): Promise<void> {
    for (const { scope, commands } of MENUS) await bot.api.setMyCommands(commands, { scope })
  }

  const hello = async () => {
    bot.botInfo = await bot.api.getMe()
  }
  if (!(await persist(hello))) return
  offer().catch((error: unknown) => report(platformError(error)))
  if (url !== null) return serve(options, url, persist, stopping)
  // Whoever set a webhook before would be the only one to hear anything.
  if (!(await persist(() => bot.api.deleteWebhook()))) return
  await poll({ ...options, api: bot.api, up: () => up() }, stopping)
}

async function serve(
  { bot, token, webhookSecret, config, take, up, report }: ConnectionOptions,
  url: string,
  persist: (call: () => Promise<unknown>) => Promise<boolean>,
  stopping: AbortSignal,
): Promise<void> {
  const secret = webhookSecret ?? secretOf(token)
  const { host, port } = config
  const { pathname, search } = new URL(url)
  const gathered = createGatherer(Date.now)
  const webhook = await listen({
    host,
    port,
    path: `${pathname}${search}`,
    secret,
    take: (update) => take([gathered(update)]),
    report,
  })
  const register = () => bot.api.setWebhook(url, { secret_token: secret, allowed_updates: UPDATE_TYPES })
  try {
    let working = await persist(register)
    while (working && !stopping.aborted) {
      up(await troubleOf(bot, url, register).catch((error: unknown) => platformError(error).message))
      await pause(LOOK_MS, stopping)
      working = await persist(async () => bot.api.getMe())
    }
  } finally {
    await webhook.close()
  }
}

/** What Telegram says of its calls; sets the webhook again where somebody has taken it away. */
async function troubleOf(bot: Bot, url: string, register: () => Promise<unknown>): Promise<string | undefined> {
  const info = await bot.api.getWebhookInfo()
  if (info.url !== url) {
    await register()
    return 'Another program uses the same token and had taken the webhook away: only one may'
  }
  const { last_error_date: failed, last_error_message: why } = info
  const recent = failed !== undefined && Date.now() / 1_000 - failed < RECENT_SECONDS
  return recent ? `Telegram cannot reach the webhook: ${why ?? 'no reason given'}` : undefined
}

/** The same in every process that serves, and nobody's guess. */
const secretOf = (token: string): string => createHash('sha256').update(`webhook ${token}`).digest('base64url')

import { type APIMessage, type APIUser, MessageFlags, MessageReferenceType, type REST, Routes } from 'discord.js'
import type { ConversationRef, ReplyTo } from '../../core/stream/outlet.ts'
import type { Part, Verbs } from '../adapter.ts'
import { discordText } from '../markdown/discord.ts'
import { isSentWith } from '../parts.ts'
import { controlsOf } from './controls.ts'
import { asked } from './errors.ts'

/** Nothing that the model writes, and no reply, pings anybody. */
export const QUIET = { parse: [], replied_user: false } as const

/** A message as it is sent. Discord knows a second one by the nonce, and gives back the first. */
export function messageBody(part: Part, answers: string | null): object {
  return {
    content: discordText(part.markdown),
    nonce: part.key,
    enforce_nonce: true,
    allowed_mentions: QUIET,
    flags: MessageFlags.SuppressEmbeds,
    components: controlsOf(part),
    ...(answers === null
      ? {}
      : {
          message_reference: { type: MessageReferenceType.Default, message_id: answers, fail_if_not_exists: false },
        }),
  }
}

export interface DiscordVerbs extends Verbs {
  /** The gateway has told of a message of the bot's own. */
  heard(nonce: string | number | undefined, message: string): void
  /** Whether the bot itself has deleted it. */
  hasDeleted(message: string): boolean
}

/** How many of its own messages the bot knows by their nonce, and by having deleted them. */
const REMEMBERED = 1_000

/** Messages that Discord gives at once. */
const PAGE = 100

export function createVerbs(rest: REST): DiscordVerbs {
  const nonces = new Map<string, string>()
  const deleted = new Map<string, true>()
  let me: string | undefined

  /**
   * The first part of a reply, by the question that it answers visibly: histories know no nonces. Undefined where that
   * cannot be told.
   */
  async function answerTo({ conversation, message }: ReplyTo): Promise<string | null | undefined> {
    me ??= (await asked<APIUser>(rest.get(Routes.user()))).id
    const query = new URLSearchParams({ after: String(BigInt(message) - 1n), limit: String(PAGE) })
    const said = await asked<APIMessage[]>(rest.get(Routes.channelMessages(conversation), { query }))
    const answer = said.find((one) => one.author.id === me && one.message_reference?.message_id === message)
    // A history that may not be read is empty, and of a full page more may follow.
    const whole = said.length < PAGE && said.some(({ id }) => id === message)
    return answer?.id ?? (whole ? null : undefined)
  }

  return {
    once: true,
    async send({ conversation }, part, answers) {
      const body = messageBody(part, answers)
      const { id } = await asked<APIMessage>(rest.post(Routes.channelMessages(conversation), { body }))
      return id
    },
    async edit({ conversation }, message, part) {
      const body = { content: discordText(part.markdown), allowed_mentions: QUIET, components: controlsOf(part) }
      await asked(rest.patch(Routes.channelMessage(conversation, message), { body }))
    },
    async delete({ conversation }, message) {
      remember(deleted, message, true)
      await asked(rest.delete(Routes.channelMessage(conversation, message)))
    },
    async react({ conversation }, message, emoji) {
      await asked(rest.put(Routes.channelMessageOwnReaction(conversation, message, encodeURIComponent(emoji))))
    },
    async typing({ conversation }: ConversationRef) {
      await asked(rest.post(Routes.channelTyping(conversation)))
    },
    async find(to, key) {
      const heard = [...nonces].findLast(([nonce]) => isSentWith(nonce, key))
      return heard?.[1] ?? (isSentWith(key, `${to.turn}.0`) ? await answerTo(to) : undefined)
    },
    heard(nonce, message) {
      if (nonce !== undefined) remember(nonces, String(nonce), message)
    },
    hasDeleted: (message) => deleted.has(message),
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
}

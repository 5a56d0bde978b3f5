import { createHash } from 'node:crypto'
import type { Api } from 'grammy'
import type { ConversationRef, ReplyTo } from '../../core/stream/outlet.ts'
import type { Manner, Part, Verbs } from '../adapter.ts'
import { type Formatted, fitsTelegram, telegramPlain, telegramText } from '../markdown/telegram.ts'
import type { Markdown } from '../markdown/tree.ts'
import type { Chats } from './chats.ts'
import { isUnmodified, isUnparsable } from './errors.ts'
import { type Address, inTopic, isPrivate, messageId, readConversation, readMessageId } from './ids.ts'
import type { Pace } from './pace.ts'
import { stopKeyboard, thumbsKeyboard } from './thumbs.ts'

/** Between two edits or drafts in one conversation. */
const EDIT_MS = 1_500

/** Telegram shows that somebody types for 5 s. */
const TYPING_MS = 4_500

/** What a draft may hold. */
const MOST_DRAFT = 4_096

/** Nothing is unfolded below a message, which may be a link that somebody talked the model into. */
const QUIET = { link_preview_options: { is_disabled: true } } as const

/** In a private chat Telegram shows drafts; in groups a message grows. */
export function createManner(groupThumbs: boolean): Manner {
  return {
    fits: fitsTelegram,
    progress: ({ conversation }) => (isPrivate(readConversation(conversation).chat) ? 'preview' : 'edits'),
    editMs: EDIT_MS,
    typingMs: TYPING_MS,
    thumbs: ({ conversation }) => groupThumbs || isPrivate(readConversation(conversation).chat),
  }
}

/** A turn's draft: any number that is not 0. */
export const draftOf = (turn: string): number => (createHash('sha256').update(turn).digest().readUInt32LE() >>> 1) + 1

export function createVerbs(api: Api, chats: Chats, bot: number, pace: Pace): Verbs {
  const at = <Result>(to: ConversationRef, call: (address: Address) => Promise<Result>): Promise<Result> => {
    const { chat, topic } = readConversation(to.conversation)
    return chats.at(chat, (id) => call({ chat: id, topic }))
  }

  return {
    send: (to, part, answers) =>
      at(to, async ({ chat, topic }) => {
        pace.spend(chat)
        const options = { ...inTopic(topic), ...answering(chat, answers), ...markup(part), ...QUIET }
        const { message_id } = await formatted(part.markdown, ({ text, entities }) =>
          api.sendMessage(chat, text, { ...options, entities: [...entities] }),
        )
        return messageId(chat, message_id, bot)
      }),

    edit: (to, message, part) =>
      at(to, async ({ chat }) => {
        // A beginning that is left out is in the next one.
        if (part.stop === undefined) pace.spend(chat)
        else if (!pace.allows(chat)) return
        const options = { ...markup(part), ...QUIET }
        await formatted(part.markdown, ({ text, entities }) =>
          api.editMessageText(chat, readMessageId(message), text, { ...options, entities: [...entities] }),
        ).catch(unlessUnmodified)
      }),

    delete: (to, message) =>
      at(to, async ({ chat }) => {
        await api.deleteMessage(chat, readMessageId(message))
      }),

    react: (to, message, emoji) =>
      at(to, async ({ chat }) => {
        const reaction = { type: 'emoji', emoji } as Parameters<Api['setMessageReaction']>[2][number]
        await api.setMessageReaction(chat, readMessageId(message), [reaction])
      }),

    typing: (to) =>
      at(to, async ({ chat, topic }) => {
        await api.sendChatAction(chat, 'typing', inTopic(topic))
      }),

    preview: (to: ReplyTo, markdown) =>
      at(to, async ({ chat, topic }) => {
        const { text, entities } = draftable(markdown)
        const options = { ...inTopic(topic), can_stop: true, keep_on_stop: true, entities: [...entities] }
        await api.sendMessageDraft(chat, draftOf(to.turn), text, options)
      }),
  }
}

/** Alone with the bot everybody sees what it answers. A question that is gone is answered all the same. */
function answering(chat: number, answers: string | null) {
  if (answers === null || isPrivate(chat)) return {}
  return { reply_parameters: { message_id: readMessageId(answers), allow_sending_without_reply: true } }
}

function markup({ thumbs, stop, key }: Part) {
  if (stop) return { reply_markup: stopKeyboard(key) }
  return thumbs ? { reply_markup: thumbsKeyboard() } : {}
}

/** Sends formatted, and once more without formatting where Telegram cannot read it. */
async function formatted<Result>(markdown: Markdown, send: (text: Formatted) => Promise<Result>): Promise<Result> {
  try {
    return await send(telegramText(markdown))
  } catch (error) {
    if (!isUnparsable(error)) throw error
    return send({ text: telegramPlain(markdown), entities: [] })
  }
}

/** What is shown already is as it should be. */
export function unlessUnmodified(error: unknown): void {
  if (!isUnmodified(error)) throw error
}

/** The end of what is written, where all of it is too long for a draft. */
function draftable(markdown: Markdown): Formatted {
  if (fitsTelegram(markdown)) return telegramText(markdown)
  const text = telegramPlain(markdown)
  // Half of a character is none.
  const end = text.slice(1 - MOST_DRAFT).replace(/^[\uDC00-\uDFFF]/, '')
  return { text: text.length <= MOST_DRAFT ? text : `…${end}`, entities: [] }
}

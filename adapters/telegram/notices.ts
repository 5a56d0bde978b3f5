import { type Api, InputFile } from 'grammy'
import { ClawError } from '../../core/errors.ts'
import type { Outlet } from '../../core/stream/outlet.ts'
import { limited } from '../limited.ts'
import { unmentioned } from '../markdown/mention.ts'
import type { Chats } from './chats.ts'
import { isClosed, platformError } from './errors.ts'
import { inTopic, isPrivate, readConversation, readMessageId } from './ids.ts'
import { questionLink } from './question.ts'

const LIMIT = 4_096

const PLACEHOLDER = 'It should have been…'

const QUIET = { link_preview_options: { is_disabled: true } } as const

/**
 * What is said and is no reply, word for word. What is for one person goes into their private chat, which they must have
 * opened once; `name` is the bot's, null while nobody knows it. `closing`: what waits for Telegram fails.
 */
export function createNotices(
  api: Api,
  chats: Chats,
  name: () => string | null,
  sign: (said: string) => string,
  closing: AbortSignal,
): Required<Pick<Outlet, 'notify' | 'ask' | 'sendFile'>> {
  const patiently = <Result>(call: () => Promise<Result>) => limited(call, undefined, closing)

  /** False where the person cannot be written to: they have not opened the chat, or hide behind a group. */
  async function toPerson(person: string, call: (chat: number) => Promise<unknown>): Promise<boolean> {
    const chat = Number(person)
    if (!isPrivate(chat)) return false
    return patiently(async () => {
      try {
        await call(chat)
        return true
      } catch (error) {
        if (isClosed(error)) return false
        throw platformError(error)
      }
    })
  }

  return {
    async notify({ conversation }, { text, only }) {
      const { chat, topic } = readConversation(conversation)
      const [first = '', ...rest] = pages(unmentioned(listed(text)))
      const privately =
        only !== undefined && only !== `${chat}` && (await toPerson(only, (id) => api.sendMessage(id, first, QUIET)))
      const there = privately ? { chat: Number(only), topic: null } : { chat, topic }
      for (const page of privately ? rest : [first, ...rest]) {
        const options = { ...inTopic(there.topic), ...QUIET }
        await patiently(() => chats.at(there.chat, (id) => api.sendMessage(id, page, options)))
      }
    },

    /** Whoever it would not reach privately is not asked. */
    async ask({ conversation }, { person, message, text }) {
      const username = name()
      if (username === null) return
      const address = readConversation(conversation)
      const about = readMessageId(message)
      const url = questionLink(username, person, { address, message: about }, sign)
      // The reply itself is quoted above the question, also where it was said elsewhere.
      const quoted = `${address.chat}` === person ? {} : { chat_id: address.chat }
      await toPerson(person, (chat) =>
        api.sendMessage(chat, text, {
          ...QUIET,
          entities: [{ type: 'text_link', offset: 0, length: text.length, url }],
          reply_parameters: { message_id: about, ...quoted, allow_sending_without_reply: true },
          reply_markup: { force_reply: true, input_field_placeholder: PLACEHOLDER },
        }),
      )
    },

    async sendFile(_to, person, file) {
      const document = () => new InputFile(Buffer.from(file.text), file.name)
      if (await toPerson(person, (chat) => api.sendDocument(chat, document()))) return
      throw new ClawError('PLATFORM_REFUSED', 'I can only send files to people who have opened a chat with me', {
        remedy: 'Open my profile and press Start there, then ask again here.',
      })
    },
  }
}

/** Lists of commands, whose columns are none in letters of different widths. */
const listed = (text: string): string => text.replace(/^ +(\/claw\b.*?) {2,}/gm, '$1 — ')

/** Texts that fit into a message each, cut between lines where there are some. */
export function pages(text: string): string[] {
  const found: string[] = []
  for (let rest = text.trim(); rest !== ''; ) {
    const line = rest.length <= LIMIT ? rest.length : rest.lastIndexOf('\n', LIMIT)
    const paired = /[\uD800-\uDBFF]/.test(rest.charAt(LIMIT - 1))
    const end = line > 0 ? line : paired ? LIMIT - 1 : LIMIT
    found.push(rest.slice(0, end))
    rest = rest.slice(end).replace(/^\n+/, '')
  }
  return found
}

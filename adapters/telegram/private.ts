import { type Api, InputFile } from 'grammy'
import { ClawError } from '../../core/errors.ts'
import type { ConversationRef, Question } from '../../core/stream/outlet.ts'
import type { Chats } from './chats.ts'
import { isForbidden, platformError } from './errors.ts'
import { isPrivate, readConversation, readMessageId } from './ids.ts'
import { questionLink } from './question.ts'

/** What is said to one person. Nobody can be written to before they have opened the bot's chat once. */
export interface Private {
  /** Whether it was shown: not to who has not opened the chat, nor to an admin whom nobody knows by name. */
  tell(person: string, text: string): Promise<boolean>
  /** Asks for words about a reply, in a message that the answer replies to; not where it would not be private. */
  ask(to: ConversationRef, question: Question): Promise<void>
  /** Throws PLATFORM_REFUSED where the person has not opened the chat. */
  sendFile(person: string, file: { readonly name: string; readonly text: string }): Promise<void>
}

const PLACEHOLDER = 'It should have been…'

export function createPrivate(
  api: Api,
  chats: Chats,
  name: () => string | null,
  sign: (said: string) => string,
): Private {
  /** Null where the person cannot be written to. */
  async function toPerson<Result>(person: string, call: (chat: number) => Promise<Result>): Promise<Result | null> {
    const chat = Number(person)
    if (!isPrivate(chat)) return null
    try {
      return await call(chat)
    } catch (error) {
      if (isForbidden(error)) return null
      throw platformError(error)
    }
  }

  return {
    async tell(person, text) {
      const sent = await toPerson(person, (chat) =>
        api.sendMessage(chat, text, { link_preview_options: { is_disabled: true } }),
      )
      return sent !== null
    },
    async ask(to, { person, message, text }) {
      const username = name()
      if (username === null) return
      const address = readConversation(to.conversation)
      const about = readMessageId(message)
      const url = questionLink(username, person, { address, message: about }, sign)
      // Alone with the person, the reply itself stands above the question.
      const here = address.chat === Number(person)
      await toPerson(person, (chat) =>
        api.sendMessage(chat, text, {
          entities: [{ type: 'text_link', offset: 0, length: text.length, url }],
          link_preview_options: { is_disabled: true },
          ...(here ? { reply_parameters: { message_id: about, allow_sending_without_reply: true } } : {}),
          reply_markup: { force_reply: true, input_field_placeholder: PLACEHOLDER },
        }),
      )
    },
    async sendFile(person, { name: called, text }) {
      const file = new InputFile(Buffer.from(text), called)
      const sent = await toPerson(person, (chat) => chats.at(chat, (id) => api.sendDocument(id, file)))
      if (sent !== null) return
      throw new ClawError('PLATFORM_REFUSED', 'I can only send files to who has opened a chat with me', {
        remedy: 'Open my profile, press Start, and ask again there.',
      })
    },
  }
}

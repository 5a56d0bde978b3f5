import type { Files } from './body.ts'
import { badRequest, Refusal, violation } from './refusal.ts'
import type { MethodName, Parameters } from './schemas.ts'
import { type Chat, type Entity, type Markup, type Message, present } from './state.ts'
import { type Account, chatFor, messageFor, place, type World } from './world.ts'

/** UTF-16 units, as Telegram counts them. */
const MAX_TEXT = 4_096

type Methods = {
  readonly [M in Exclude<MethodName, 'getUpdates'>]: (account: Account, parameters: Parameters<M>) => unknown
}

/** What each method does, for parameters that have the right shape. */
export function createMethods(world: World, files: () => Files): Methods {
  function words({ text, entities, parse_mode: mode }: { text: string; entities?: unknown; parse_mode?: unknown }) {
    const found = (entities ?? []) as readonly Entity[]
    if (mode !== undefined) throw violation("can't parse entities: this server wants them as entities")
    if (text.trim() === '') throw violation('message text is empty')
    if (text.length > MAX_TEXT) throw violation('message is too long')
    if (/\p{Surrogate}/u.test(text)) throw violation('strings must be encoded in UTF-8')
    checkEntities(text, found)
    return { text, ...(found.length === 0 ? {} : { entities: found }) }
  }

  function send(account: Account, chat: Chat, p: Sending, content: Partial<Message>): Message {
    if (p.message_thread_id !== undefined && !chat.topics.has(p.message_thread_id)) {
      throw violation('message thread not found')
    }
    const answers = p.reply_parameters
    const elsewhere = answers?.chat_id !== undefined && Number(answers.chat_id) !== chat.view.id
    const there = elsewhere ? world.chats.get(Number(answers.chat_id)) : chat
    const known = answers !== undefined && there?.messages.has(answers.message_id) === true
    if (answers !== undefined && !known && answers.allow_sending_without_reply !== true) {
      throw badRequest('message to be replied not found')
    }
    chat.drafts.clear()
    return place(
      world,
      chat,
      {
        ...content,
        ...(p.message_thread_id === undefined ? {} : { topic: p.message_thread_id }),
        ...(known && !elsewhere ? { replyTo: answers.message_id } : {}),
        ...(known && elsewhere ? { external_reply: { chat: there?.view, message_id: answers.message_id } } : {}),
        ...(p.reply_markup === undefined ? {} : { reply_markup: p.reply_markup }),
      },
      { from: account.user },
    )
  }

  function own(account: Account, chat: Chat, id: number, doing: string): Message {
    const message = messageFor(chat, id, doing)
    if (message.from?.id !== account.user.id) throw violation(`message can't be ${doing}ed`)
    return message
  }

  function change(message: Message, next: Partial<Message>): Message {
    const same = (field: 'text' | 'entities' | 'reply_markup') =>
      JSON.stringify(message[field]) === JSON.stringify(next[field])
    if (same('text') && same('entities') && same('reply_markup')) {
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      )
    }
    message.text = next.text as string
    if (next.entities === undefined) delete message.entities
    else message.entities = next.entities
    setMarkup(message, next.reply_markup)
    message.edit_date = world.now()
    return message
  }

  return {
    getMe: ({ user, readsAll }) => ({
      ...user,
      can_join_groups: true,
      can_read_all_group_messages: readsAll,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
    }),
    logOut: () => true,
    close: () => true,
    getWebhookInfo: ({ queue }) => ({
      url: queue.webhook?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: queue.pending,
      allowed_updates: queue.allowed,
      ...(queue.lastError === null ? {} : { last_error_message: queue.lastError, last_error_date: world.now() }),
    }),
    setWebhook({ queue }, { url, secret_token, drop_pending_updates, allowed_updates }) {
      const loopback = /^http:\/\/127\.0\.0\.1[:/]/.test(url)
      if (url !== '' && !url.startsWith('https://') && !loopback) {
        throw violation('bad webhook: An HTTPS URL must be provided for webhook')
      }
      if (allowed_updates !== undefined) queue.allowed = allowed_updates
      queue.setWebhook(url === '' ? null : { url, secret: secret_token ?? null }, drop_pending_updates === true)
      return true
    },
    deleteWebhook({ queue }, { drop_pending_updates }) {
      queue.setWebhook(null, drop_pending_updates === true)
      return true
    },
    sendMessage(account, p) {
      return send(account, chatFor(world, account, p.chat_id), p, words(p))
    },
    sendDocument(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      const file = files().get(p.document.replace('attach://', ''))
      if (file === undefined) throw violation('there is no document in the request')
      const document = { file_id: `f${chat.nextMessage}`, file_name: file.name, content: file.text }
      return send(account, chat, p, { document, ...(p.caption === undefined ? {} : { caption: p.caption }) })
    },
    editMessageText(account, p) {
      const message = own(account, chatFor(world, account, p.chat_id), p.message_id, 'edit')
      if (message.text === undefined) throw badRequest('there is no text in the message to edit')
      return change(message, { ...words(p), ...(p.reply_markup === undefined ? {} : { reply_markup: p.reply_markup }) })
    },
    editMessageReplyMarkup(account, p) {
      const message = own(account, chatFor(world, account, p.chat_id), p.message_id, 'edit')
      const markup = p.reply_markup === undefined ? {} : { reply_markup: p.reply_markup }
      const { text, entities } = message
      return change(message, { text: text ?? '', ...(entities === undefined ? {} : { entities }), ...markup })
    },
    deleteMessage(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      const message = messageFor(chat, p.message_id, 'delete')
      const may = message.from?.id === account.user.id || chat.members.get(account.user.id) === 'administrator'
      if (!may && chat.view.type !== 'private') throw violation("message can't be deleted")
      return chat.messages.delete(p.message_id)
    },
    sendChatAction(account, p) {
      chatFor(world, account, p.chat_id)
      return true
    },
    sendMessageDraft(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      if (chat.view.type !== 'private') throw violation('drafts are for private chats')
      if (p.text !== '') words(p)
      chat.drafts.set(p.draft_id, p.text)
      return true
    },
    setMessageReaction(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      messageFor(chat, p.message_id, 'react')
      const standing = chat.reactions.get(p.message_id) ?? new Map()
      chat.reactions.set(p.message_id, standing.set(account.user.id, p.reaction ?? []))
      return true
    },
    answerCallbackQuery(_account, { callback_query_id: id, text }) {
      if (world.queries.get(id) !== null)
        throw badRequest('query is too old and response timeout expired or query ID is invalid')
      world.queries.set(id, text ?? '')
      return true
    },
    getChat: (account, p) => chatFor(world, account, p.chat_id).view,
    getChatMember(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      const user = world.users.get(p.user_id) ?? world.accounts.find((one) => one.user.id === p.user_id)?.user
      if (user === undefined) throw badRequest('PARTICIPANT_ID_INVALID')
      const status = chat.view.type === 'private' ? 'member' : (chat.members.get(p.user_id) ?? 'left')
      return { status, user }
    },
    getChatAdministrators(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      if (chat.view.type === 'private') throw violation('there are no administrators in the private chat')
      const admins = [...chat.members].filter(([, status]) => status === 'creator' || status === 'administrator')
      return admins.map(([id, status]) => ({ status, user: world.users.get(id) }))
    },
    leaveChat(account, p) {
      const chat = chatFor(world, account, p.chat_id)
      if (!present(chat.members.get(account.user.id))) throw new Refusal(403, 'Forbidden: bot is not a member')
      chat.members.set(account.user.id, 'left')
      return true
    },
    setMyCommands({ commands }, p) {
      commands.set(JSON.stringify(p.scope ?? { type: 'default' }), p.commands)
      return true
    },
    getMyCommands: ({ commands }, p) => commands.get(JSON.stringify(p.scope ?? { type: 'default' })) ?? [],
    deleteMyCommands: ({ commands }, p) => commands.delete(JSON.stringify(p.scope ?? { type: 'default' })) || true,
  }
}

interface Sending {
  readonly message_thread_id?: number | undefined
  readonly reply_parameters?:
    | {
        readonly message_id: number
        readonly chat_id?: number | string | undefined
        readonly allow_sending_without_reply?: boolean | undefined
      }
    | undefined
  readonly reply_markup?: Markup | undefined
}

function setMarkup(message: Message, markup: Markup | undefined): void {
  if (markup === undefined) delete message.reply_markup
  else message.reply_markup = markup
}

/** Telegram ignores formatting beyond these. */
const MAX_ENTITIES = 100

/** Neither holds formatting, nor stands in any but a quote. */
const CODE = ['code', 'pre']

/** Entities lie within the text, cut no character in half, do not cross, and stand in one another as they may. */
function checkEntities(text: string, entities: readonly Entity[]): void {
  if (entities.length > MAX_ENTITIES) throw violation(`there are ${entities.length} entities`)
  const splits = (at: number) => /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
  for (const { type, offset, length, url } of entities) {
    const end = offset + length
    if (offset < 0 || length <= 0 || end > text.length || splits(offset) || splits(end)) {
      throw violation(`can't parse entities: entity ${type} at ${offset}, ${length} long, does not fit`)
    }
    if (type === 'text_link' && !URL.canParse(url ?? '')) throw violation("can't parse entities: wrong URL")
    const crosses = entities.some(
      (other) => other.offset < offset && other.offset + other.length > offset && other.offset + other.length < end,
    )
    const inner = entities.filter((other) => other.offset >= offset && other.offset + other.length <= end)
    const wrong = inner.some((other) => other.type !== type && CODE.includes(other.type) && type !== 'blockquote')
    if (wrong || (CODE.includes(type) && inner.length > 1)) throw violation(`${type} at ${offset} and code overlap`)
    if (type === 'blockquote' && inner.filter((other) => other.type === type).length > 1) {
      throw violation('quotes hold no quotes')
    }
    if (crosses) throw violation(`can't parse entities: entity ${type} at ${offset} crosses another`)
  }
}

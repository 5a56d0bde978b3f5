import { z } from 'zod'

/** The parameters of the Bot API's methods, as far as a bot like this one uses them. Anything else is refused. */

const chat = z.union([z.int(), z.string().regex(/^-?\d+$|^@\w+$/)])
const chatId = { chat_id: chat }
const messageId = { message_id: z.int() }
const noParameters = z.strictObject({})

const user = z.looseObject({ id: z.int(), is_bot: z.boolean(), first_name: z.string() })

const entity = z.strictObject({
  type: z.enum([
    'bold',
    'italic',
    'underline',
    'strikethrough',
    'spoiler',
    'blockquote',
    'expandable_blockquote',
    'code',
    'pre',
    'text_link',
    'text_mention',
    'custom_emoji',
    'mention',
    'hashtag',
    'cashtag',
    'bot_command',
    'url',
    'email',
    'phone_number',
    'date_time',
  ]),
  offset: z.int(),
  length: z.int(),
  url: z.string().optional(),
  language: z.string().optional(),
  user: user.optional(),
  custom_emoji_id: z.string().optional(),
})

const button = z.strictObject({
  text: z.string().min(1),
  url: z.url().optional(),
  callback_data: z
    .string()
    .min(1)
    .refine((data) => Buffer.byteLength(data) <= 64, 'BUTTON_DATA_INVALID')
    .optional(),
})

const inline = z.strictObject({ inline_keyboard: z.array(z.array(button).max(8)).max(100) })

const markup = z.union([
  inline,
  z.strictObject({
    force_reply: z.literal(true),
    input_field_placeholder: z.string().min(1).max(64).optional(),
    selective: z.boolean().optional(),
  }),
  z.strictObject({ remove_keyboard: z.literal(true), selective: z.boolean().optional() }),
])

const sending = {
  ...chatId,
  message_thread_id: z.int().optional(),
  disable_notification: z.boolean().optional(),
  protect_content: z.boolean().optional(),
  reply_parameters: z
    .strictObject({
      ...messageId,
      chat_id: chat.optional(),
      allow_sending_without_reply: z.boolean().optional(),
      quote: z.string().optional(),
    })
    .optional(),
  reply_markup: markup.optional(),
}

const formatted = {
  text: z.string(),
  parse_mode: z.enum(['HTML', 'MarkdownV2', 'Markdown']).optional(),
  entities: z.array(entity).optional(),
}

const preview = {
  link_preview_options: z.strictObject({ is_disabled: z.boolean().optional(), url: z.string().optional() }).optional(),
}

const scope = z.union([
  z.strictObject({ type: z.enum(['default', 'all_private_chats', 'all_group_chats', 'all_chat_administrators']) }),
  z.strictObject({ type: z.enum(['chat', 'chat_administrators']), ...chatId }),
  z.strictObject({ type: z.literal('chat_member'), ...chatId, user_id: z.int() }),
])
const scoped = { scope: scope.optional(), language_code: z.string().length(2).optional() }

const updates = z.array(
  z.enum([
    'message',
    'edited_message',
    'channel_post',
    'edited_channel_post',
    'message_reaction',
    'message_reaction_count',
    'callback_query',
    'my_chat_member',
    'chat_member',
    'chat_join_request',
    'stopped_message_generation',
    'inline_query',
    'chosen_inline_result',
    'poll',
    'poll_answer',
  ]),
)

const reaction = z.union([
  z.strictObject({ type: z.literal('emoji'), emoji: z.string() }),
  z.strictObject({ type: z.literal('custom_emoji'), custom_emoji_id: z.string() }),
])

export const SCHEMAS = {
  getMe: noParameters,
  logOut: noParameters,
  close: noParameters,
  getWebhookInfo: noParameters,
  getUpdates: z.strictObject({
    offset: z.int().optional(),
    limit: z.int().min(1).max(100).optional(),
    timeout: z.int().min(0).optional(),
    allowed_updates: updates.optional(),
  }),
  setWebhook: z.strictObject({
    url: z.string(),
    max_connections: z.int().min(1).max(100).optional(),
    allowed_updates: updates.optional(),
    drop_pending_updates: z.boolean().optional(),
    secret_token: z
      .string()
      .regex(/^[\w-]{1,256}$/)
      .optional(),
  }),
  deleteWebhook: z.strictObject({ drop_pending_updates: z.boolean().optional() }),
  sendMessage: z.strictObject({ ...sending, ...formatted, ...preview }),
  sendDocument: z.strictObject({ ...sending, document: z.string(), caption: z.string().max(1_024).optional() }),
  editMessageText: z.strictObject({
    ...chatId,
    ...messageId,
    ...formatted,
    ...preview,
    reply_markup: inline.optional(),
  }),
  editMessageReplyMarkup: z.strictObject({ ...chatId, ...messageId, reply_markup: inline.optional() }),
  deleteMessage: z.strictObject({ ...chatId, ...messageId }),
  sendChatAction: z.strictObject({
    ...chatId,
    message_thread_id: z.int().optional(),
    action: z.enum(['typing', 'upload_document']),
  }),
  sendMessageDraft: z.strictObject({
    chat_id: z.int(),
    message_thread_id: z.int().optional(),
    draft_id: z.int().refine((id) => id !== 0, 'must be non-zero'),
    can_stop: z.boolean().optional(),
    keep_on_stop: z.boolean().optional(),
    ...formatted,
  }),
  setMessageReaction: z.strictObject({
    ...chatId,
    ...messageId,
    reaction: z.array(reaction).max(1).optional(),
    is_big: z.boolean().optional(),
  }),
  answerCallbackQuery: z.strictObject({
    callback_query_id: z.string(),
    text: z.string().max(200).optional(),
    show_alert: z.boolean().optional(),
    cache_time: z.int().optional(),
  }),
  getChat: z.strictObject(chatId),
  getChatMember: z.strictObject({ ...chatId, user_id: z.int() }),
  getChatAdministrators: z.strictObject(chatId),
  leaveChat: z.strictObject(chatId),
  setMyCommands: z.strictObject({
    commands: z
      .array(
        z.strictObject({ command: z.string().regex(/^[a-z0-9_]{1,32}$/), description: z.string().min(1).max(256) }),
      )
      .max(100),
    ...scoped,
  }),
  getMyCommands: z.strictObject(scoped),
  deleteMyCommands: z.strictObject(scoped),
}

export type MethodName = keyof typeof SCHEMAS
export type Parameters<M extends MethodName> = z.output<(typeof SCHEMAS)[M]>

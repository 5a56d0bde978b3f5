import type { Adapter } from '../../adapters/adapter.ts'
import { messageId, readMessageId } from '../../adapters/telegram/ids.ts'
import { createTelegram } from '../../adapters/telegram/telegram.ts'
import { type FakeTelegram, startFakeTelegram } from '../fake-platforms/telegram/fake.ts'
import { buttons } from '../fake-platforms/telegram/people.ts'
import type { Message, Reaction } from '../fake-platforms/telegram/state.ts'
import type { Account } from '../fake-platforms/telegram/world.ts'
import { freePort } from '../services/service.ts'
import { stageOf, startBot } from './backstage.ts'
import type { Place, Shown, Stage, Staged, StageOptions } from './stage.ts'

const [ANN, BEN, HELPER] = [42, 43, 7_000_000_099]
const [HERE, ELSEWHERE] = [-1_001_000_000_001, -1_001_000_000_002]

const placeIn = (chat: number): Place => ({ workspace: `${chat}`, channel: `${chat}`, thread: null })

/** The stage, and the platform behind it. */
export interface TelegramStage extends Stage {
  readonly fake: FakeTelegram
  readonly bot: Account
}

export const telegram: Staged = {
  platform: 'telegram',
  cannot: { deletion: 'Telegram tells bots of no deletions' },
  open: (options) => openTelegram(options, 'polling'),
}
export const telegramOverWebhook: Staged = { ...telegram, open: (options) => openTelegram(options, 'webhook') }

/** Two forums with the same people and the same message numbers, and everybody's private chat. */
export async function openTelegram(
  options: StageOptions = {},
  mode: 'polling' | 'webhook' = 'polling',
): Promise<TelegramStage> {
  let ahead = 0
  const fake = await startFakeTelegram({ now: () => Date.now() + ahead })
  const account = fake.addBot()
  settlePeople(fake, account.user.id)
  const given = options.config ?? {}
  const port = mode === 'webhook' ? await freePort() : 0
  const webhook = mode === 'webhook' ? { port, webhookUrl: `http://127.0.0.1:${port}/telegram` } : {}
  /** Where a private message belongs that is about another chat. */
  const origins = new Map<Message, string>()
  const bot = await startBot({
    settings: { ...given, telegram: { ...given.telegram, ...webhook, apiUrl: fake.url } },
    adapter: ({ config, db, report }) =>
      traced(createTelegram({ token: account.token, webhookSecret: null, config: config.telegram, db, report })),
    platform: {
      traffic: fake.traffic,
      forget(keep) {
        fake.forget(keep)
        for (const message of origins.keys()) {
          if (fake.chat(message.chat.id).messages.get(message.message_id) !== message) origins.delete(message)
        }
      },
      async close() {
        await fake.close()
        if (fake.violations.length > 0) throw new Error(fake.violations.join('\n'))
      },
    },
  })

  /** The same, and what it says privately about a chat is known to be about that. */
  function traced(plain: Adapter): Adapter {
    const tracing = async (workspace: string, person: string | undefined, said: Promise<void>) => {
      const before = person === undefined ? [] : fake.messages(Number(person))
      await said
      if (person === undefined || person === workspace) return
      const after = fake.messages(Number(person)).filter((message) => !before.includes(message))
      for (const message of after) origins.set(message, workspace)
    }
    return {
      ...plain,
      notify: (to, notice) => tracing(to.workspace, notice.only, plain.notify(to, notice)),
      ask: (to, question) => tracing(to.workspace, question.person, plain.ask!(to, question)),
    }
  }

  const chatOf = ({ channel }: Place, person: string) => (Number(channel) > 0 ? Number(person) : Number(channel))

  /** A place is a topic by its number; a thread is the answers to a message, and the answers to those. */
  const topicOf = ({ thread }: Place): { topic?: number } =>
    thread === null || thread.includes(':') ? {} : { topic: Number(thread) }

  /** The last message of a thread: people there answer it. */
  function lastOf(place: Place): { replyTo?: number } {
    if (place.thread?.includes(':') !== true) return {}
    const last = fake.messages(Number(place.channel)).findLast((message) => isIn(message, place))
    return { replyTo: last?.message_id ?? readMessageId(place.thread) }
  }

  function isIn({ message_thread_id: topic, reply_to_message: answered }: Message, place: Place): boolean {
    if (place.thread === null) return true
    if (!place.thread.includes(':')) return topic === Number(place.thread)
    if (answered === undefined) return false
    if (answered.message_id === readMessageId(place.thread)) return true
    const before = fake.chat(Number(place.channel)).messages.get(answered.message_id)
    return before !== undefined && isIn(before, place)
  }

  const reactionsOf = (chat: number, message: number, person: string): readonly Reaction[] =>
    fake.chat(chat).reactions.get(message)?.get(Number(person)) ?? []

  const mine = ({ from }: Message) => from?.id === account.user.id

  function show(message: Message, place: Place, only: string | null): Shown {
    const { message_id, chat, text, message_thread_id: topic, reply_to_message: answered, document } = message
    return {
      id: messageId(chat.id, message_id, account.user.id),
      text: text ?? (document as { file_name?: string } | undefined)?.file_name ?? '',
      thread: place.thread ?? (topic === undefined ? null : `${topic}`),
      replyTo: answered === undefined ? null : messageId(chat.id, answered.message_id, account.user.id),
      only,
      buttons: buttons(message.reply_markup).map((button) => button.text),
    }
  }

  function shown(place: Place): readonly Shown[] {
    const there = fake
      .messages(Number(place.channel))
      .filter((message) => mine(message) && isIn(message, place))
      .filter((message) => !origins.has(message))
      .map((message) => show(message, place, Number(place.channel) > 0 ? place.channel : null))
    const privately = [...origins]
      .filter(([, workspace]) => workspace === place.workspace)
      .map(([message]) => show(message, place, `${message.chat.id}`))
    return [...there, ...privately]
  }

  return stageOf(bot, {
    platform: 'telegram',
    fake,
    bot: account,
    places: { direct: placeIn(ANN), channel: placeIn(HERE), elsewhere: placeIn(ELSEWHERE) },
    people: { ann: `${ANN}`, ben: `${BEN}`, robot: `${HELPER}` },
    async say(place, person, words, { mention, replyTo, files = [], bot: byBot } = {}) {
      const chat = chatOf(place, person)
      const text = mention === true ? `@${account.user.username} ${words}` : words
      const by = byBot === true ? HELPER : Number(person)
      const answered = replyTo === undefined ? lastOf(place) : { replyTo: readMessageId(replyTo) }
      const extras = { ...topicOf(place), ...answered }
      const [file, ...others] = files.map((name) => ({ document: { file_id: name, file_name: name } }))
      const album = others.length === 0 ? {} : { media_group_id: `album ${text}` }
      if (file === undefined) return messageId(chat, fake.say(chat, by, text, extras), account.user.id)
      const entities = mention === true ? { caption_entities: [mentionOf(account.user.username!)] } : {}
      const caption = text === '' ? {} : { caption: text, ...entities }
      const first = fake.show(chat, by, { ...file, ...caption, ...album, ...extras })
      for (const other of others) fake.show(chat, by, { ...other, ...album, ...extras })
      return messageId(chat, first, account.user.id)
    },
    async edit(place, person, message, text) {
      fake.edit(chatOf(place, person), Number(person), readMessageId(message), text)
    },
    async remove(place, person, message) {
      fake.remove(chatOf(place, person), readMessageId(message))
    },
    async react(place, person, message, emoji) {
      const [chat, number] = [chatOf(place, person), readMessageId(message)]
      fake.react(chat, Number(person), number, [...reactionsOf(chat, number, person), { type: 'emoji', emoji }])
    },
    async unreact(place, person, message, emoji) {
      const [chat, number] = [chatOf(place, person), readMessageId(message)]
      const left = reactionsOf(chat, number, person).filter((one) => one.type !== 'emoji' || one.emoji !== emoji)
      fake.react(chat, Number(person), number, left)
    },
    async command(place, person, text) {
      const chat = chatOf(place, person)
      fake.say(chat, Number(person), `/claw${chat > 0 ? '' : `@${account.user.username}`} ${text}`, topicOf(place))
    },
    async press(place, person, message, button) {
      const [chat, number] = [chatOf(place, person), readMessageId(message)]
      const there = buttons(fake.chat(chat).messages.get(number)?.reply_markup)
      const found = there.find(({ text, callback_data: data }) => [text, data, data?.split(':')[1]].includes(button))
      fake.press(chat, Number(person), number, found?.text ?? button)
    },
    async answer(_place, person, text) {
      const asked = fake.messages(Number(person)).findLast((one) => one.reply_markup?.force_reply === true)
      if (asked === undefined) throw new Error('nothing was asked')
      fake.say(Number(person), Number(person), text, { replyTo: asked.message_id })
    },
    shown,
    fault: fake.fault,
    tick() {
      ahead += 1_000
    },
    async uninstall({ channel }) {
      fake.setStatus(Number(channel), account.user.id, 'kicked', ANN)
    },
  })
}

const mentionOf = (username: string) => ({ type: 'mention', offset: 0, length: username.length + 1 })

function settlePeople(fake: FakeTelegram, bot: number): void {
  fake.addUser({ id: ANN, first_name: 'Ann' })
  fake.addUser({ id: BEN, first_name: 'Ben' })
  fake.addUser({ id: HELPER, first_name: 'Helper', username: 'helper_bot', is_bot: true })
  for (const id of [ANN, BEN]) {
    fake.addChat({ id, type: 'private', first_name: 'Somebody' })
    fake.openChat(id)
  }
  const members = { [ANN]: 'creator', [BEN]: 'member', [HELPER]: 'member', [bot]: 'administrator' } as const
  for (const id of [HERE, ELSEWHERE]) {
    fake.addChat({ id, type: 'supergroup', title: 'Somewhere', is_forum: true }, members)
  }
}

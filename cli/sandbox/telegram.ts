import { type FakeTelegram, startFakeTelegram } from '../../test/fake-platforms/telegram/fake.ts'
import { buttons as buttonsOf } from '../../test/fake-platforms/telegram/people.ts'
import { findButton, type Scene, type Seen, type Spot, soon } from './scene.ts'

const PEOPLE: Readonly<Record<string, number>> = { ann: 101, ben: 102 }
const GROUP = -1_001_000_000_001

/** Between two polls a bot may take its time. */
const PAUSE_MS = 10_000

export interface TelegramScene extends Scene {
  readonly fake: FakeTelegram
  readonly tokens: { readonly apiUrl: string; readonly token: string }
}

export async function openTelegram(): Promise<TelegramScene> {
  const fake = await startFakeTelegram()
  const bot = fake.addBot()
  for (const [name, id] of Object.entries(PEOPLE)) {
    fake.addUser({ id, first_name: name, username: `${name}_t` })
    fake.addChat({ id, type: 'private', first_name: name })
  }
  const members = { 101: 'creator', 102: 'member', [bot.user.id]: 'administrator' } as const
  fake.addChat({ id: GROUP, type: 'supergroup', title: 'Harbour' }, members)
  const idOf = (spot: Spot) => PEOPLE[spot.person] ?? 101
  const chatOf = (spot: Spot) => (spot.place === 'channel' ? GROUP : idOf(spot))
  /** Reactions that stand, by chat, message and person: each change says all of them again. */
  const standing = new Map<string, Set<string>>()

  /** Telegram numbers messages by chat. */
  const nameOf = (chat: number, message: number) => `${chat}:${message}`
  const numberOf = (name: string) => Number(name.split(':').at(-1))

  function seen(chat: number, place: Seen['place'], of: string | null): Seen[] {
    return fake
      .messages(chat)
      .filter(({ from }) => from?.id === bot.user.id)
      .map(({ message_id, text = '', reply_markup }) => {
        const buttons = buttonsOf(reply_markup).map((button) => button.text)
        return { id: nameOf(chat, message_id), place, of, thread: null, text, only: null, buttons, writing: false }
      })
  }

  return {
    platform: 'telegram',
    fake,
    tokens: { apiUrl: fake.url, token: bot.token },
    people: Object.keys(PEOPLE),
    channel: 'group',
    connected() {
      const last = fake.calls.findLast(({ method }) => method === 'getUpdates')
      return bot.queue.polled || Date.now() - (last?.at ?? 0) < PAUSE_MS
    },
    say: (spot, text) =>
      nameOf(chatOf(spot), fake.say(chatOf(spot), idOf(spot), text.replaceAll('@claw', `@${bot.user.username}`))),
    edit: (spot, message, text) => fake.edit(chatOf(spot), idOf(spot), numberOf(message), text),
    remove: (spot, message) => fake.remove(chatOf(spot), numberOf(message)),
    react(spot, message, emoji, on) {
      const key = `${message} ${idOf(spot)}`
      const all = standing.get(key) ?? new Set<string>()
      standing.set(key, all)
      if (on) all.add(emoji)
      else all.delete(emoji)
      const reactions = [...all].map((one) => ({ type: 'emoji' as const, emoji: one }))
      fake.react(chatOf(spot), idOf(spot), numberOf(message), reactions)
    },
    press(spot, message, button) {
      const found = fake.messages(chatOf(spot)).find(({ message_id }) => message_id === numberOf(message))
      const names = buttonsOf(found?.reply_markup).map(({ text }) => text)
      fake.press(chatOf(spot), idOf(spot), numberOf(message), findButton(names, button))
    },
    command(spot, text) {
      const name = spot.place === 'channel' ? `/claw@${bot.user.username}` : '/claw'
      fake.say(chatOf(spot), idOf(spot), `${name} ${text}`.trim())
    },
    async answer(spot, text) {
      const asked = await soon(() =>
        fake.messages(idOf(spot)).findLast(({ reply_markup }) => reply_markup?.force_reply === true),
      )
      if (asked === undefined) throw new Error('the bot has asked nothing in the direct conversation')
      fake.say(idOf(spot), idOf(spot), text, { replyTo: asked.message_id })
    },
    openThread: () => null,
    shown: () => [
      ...seen(GROUP, 'channel', null),
      ...Object.entries(PEOPLE).flatMap(([name, id]) => seen(id, 'dm', name)),
    ],
    fault: fake.fault,
    calls: () => fake.calls.filter(({ method }) => method !== 'getUpdates').map(({ method }) => method),
    close: fake.close,
  }
}

import { type FakeDiscord, startFakeDiscord } from '../../test/fake-platforms/discord/discord.ts'
import { buttonsOf } from '../../test/fake-platforms/discord/people.ts'
import { findButton, type Scene, type Seen, type Spot, soon } from './scene.ts'

export interface DiscordScene extends Scene {
  readonly fake: FakeDiscord
  readonly tokens: { readonly apiUrl: string; readonly token: string }
}

/** Buttons under what is still being written. */
const STOP = /stop/i

/** Under what the bot asks a person. */
const ASK = 'Answer'

export async function openDiscord(): Promise<DiscordScene> {
  const fake = await startFakeDiscord()
  const general = fake.guilds[0].system_channel_id ?? ''
  const people: Readonly<Record<string, string>> = { ann: fake.people.ann.id, ben: fake.people.ben.id }
  const idOf = (spot: Spot) => people[spot.person] ?? fake.people.ann.id
  const nameOf = (id: string | undefined) => Object.keys(people).find((name) => people[name] === id) ?? null
  const channelOf = (spot: Spot) => spot.thread ?? (spot.place === 'channel' ? general : fake.direct(idOf(spot)))
  /** Threads by the message that they hang on. */
  const threads = new Map<string, string>()

  function seen(channel: string, place: Seen['place'], of: string | null, thread: string | null): Seen[] {
    return fake.shown(channel).map((message) => {
      const buttons = buttonsOf(message).map(({ label, emoji, custom_id }) => label ?? emoji?.name ?? custom_id)
      const writing = buttons.some((button) => STOP.test(button))
      return { id: message.id, place, of, thread, text: message.content, only: nameOf(message.only), buttons, writing }
    })
  }

  const press = (spot: Spot, message: string, button: string): void => {
    const found = fake.shown(channelOf(spot)).find(({ id }) => id === message)
    const names =
      found === undefined ? [] : buttonsOf(found).map((one) => one.label ?? one.emoji?.name ?? one.custom_id)
    fake.press(channelOf(spot), idOf(spot), message, findButton(names, button))
  }

  /** The bot's last question to a person: in their own conversation, or where they alone see it. */
  function asked(person: string, channel: string) {
    const buttonOf = (message: Parameters<typeof buttonsOf>[0]) => buttonsOf(message).find(({ label }) => label === ASK)
    const own = (only: string | undefined) => only === person || channel === fake.direct(person)
    const message = fake.shown(channel).findLast((one) => own(one.only) && buttonOf(one) !== undefined)
    const button = message && buttonOf(message)?.custom_id
    return message && button ? { channel, message: message.id, button } : undefined
  }

  return {
    platform: 'discord',
    fake,
    tokens: { apiUrl: fake.url, token: fake.token },
    people: Object.keys(people),
    channel: '#general',
    connected: () => fake.gateway.listening(),
    say: (spot, text) => fake.say(channelOf(spot), idOf(spot), text.replaceAll('@claw', `<@${fake.world.bot.id}>`)),
    edit: (spot, message, text) => fake.edit(channelOf(spot), message, text),
    remove: (spot, message) => fake.remove(channelOf(spot), message),
    react(spot, message, emoji, on) {
      const change = on ? fake.react : fake.unreact
      change(channelOf(spot), idOf(spot), message, emoji)
    },
    press,
    command(spot, text) {
      fake.command(channelOf(spot), idOf(spot), text === '' ? 'help' : text)
    },
    async answer(spot, text) {
      const person = idOf(spot)
      const question = await soon(() => asked(person, channelOf(spot)) ?? asked(person, fake.direct(person)))
      if (question === undefined) throw new Error('the bot has asked nothing here or in the direct conversation')
      fake.press(question.channel, person, question.message, question.button)
      await soon(() => fake.interactions.modals.find(({ user }) => user === person))
      fake.submit(person, text)
    },
    openThread(spot, { id, place, thread }) {
      if (thread !== null || place === 'dm') return thread
      const opened = threads.get(id) ?? fake.open(general, idOf(spot), 'thread', id)
      threads.set(id, opened)
      return opened
    },
    shown: () => [
      ...seen(general, 'channel', null, null),
      ...Object.entries(people).flatMap(([name, id]) => seen(fake.direct(id), 'dm', name, null)),
      ...[...threads.values()].flatMap((thread) => seen(thread, 'channel', null, thread)),
    ],
    fault: fake.fault,
    calls: () => fake.calls.map(({ method, path, status }) => `${method} ${path}: ${status}`),
    close: fake.close,
  }
}

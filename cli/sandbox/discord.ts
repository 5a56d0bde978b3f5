import { type FakeDiscord, startFakeDiscord } from '../../test/fake-platforms/discord/discord.ts'
import { buttonsOf } from '../../test/fake-platforms/discord/people.ts'
import { findButton, type Scene, type Seen, type Spot } from './scene.ts'

export interface DiscordScene extends Scene {
  readonly fake: FakeDiscord
  readonly tokens: { readonly apiUrl: string; readonly token: string }
}

/** Buttons under what is still being written. */
const STOP = /stop/i

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
      const asked = fake.shown(channelOf(spot)).findLast((one) => one.only === idOf(spot) && buttonsOf(one).length > 0)
      if (asked === undefined) throw new Error('the bot has asked nothing here')
      press(spot, asked.id, buttonsOf(asked)[0]?.custom_id ?? '')
      for (let i = 0; i < 30 && !fake.interactions.modals.some(({ user }) => user === idOf(spot)); i++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      fake.submit(idOf(spot), text)
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

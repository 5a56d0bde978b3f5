import { SCOPES } from '../../adapters/slack/manifest.ts'
import { spellings } from '../../config/reactions.ts'
import { type FakeSlack, startFakeSlack } from '../../test/fake-platforms/slack/slack.ts'
import { ANN, BEN, BOT, DIRECT, GENERAL } from '../../test/fake-platforms/slack/world.ts'
import { type Scene, type Seen, type Spot, soon } from './scene.ts'

const TEAM = 'T0SANDBOX'
const PEOPLE: Readonly<Record<string, { readonly user: string; readonly direct: string }>> = {
  ann: { user: ANN, direct: DIRECT },
  ben: { user: BEN, direct: 'D0BEN' },
}

/** As people read it: on its way to Slack three characters are written in another way. */
const plain = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

export interface SlackScene extends Scene {
  readonly fake: FakeSlack
  readonly tokens: { readonly apiUrl: string; readonly botToken: string; readonly appToken: string }
}

export async function openSlack(): Promise<SlackScene> {
  const fake = await startFakeSlack({ teams: [TEAM] })
  const botToken = fake.install(TEAM, SCOPES)
  const userOf = (spot: Spot) => PEOPLE[spot.person]?.user ?? ANN
  const channelOf = (spot: Spot) => (spot.place === 'channel' ? GENERAL : (PEOPLE[spot.person]?.direct ?? DIRECT))
  const nameOf = (user: string | null) => Object.keys(PEOPLE).find((name) => PEOPLE[name]?.user === user) ?? user

  function seen(channel: string, place: Seen['place'], of: string | null): Seen[] {
    return fake
      .shown(TEAM, channel)
      .filter(({ user }) => user === BOT.user)
      .map(({ ts, text, thread, only, buttons, streaming }) => {
        const names = buttons.map((button) => button.split('=').at(-1) ?? button)
        return { id: ts, place, of, thread, text: plain(text), only: nameOf(only), buttons: names, writing: streaming }
      })
  }

  return {
    platform: 'slack',
    fake,
    tokens: { apiUrl: `${fake.url}api/`, botToken, appToken: fake.appToken },
    people: Object.keys(PEOPLE),
    channel: '#general',
    connected: () => [...fake.delivery.sockets].some((socket) => socket.readyState === socket.OPEN),
    say: (spot, text) =>
      fake.say(TEAM, channelOf(spot), userOf(spot), text.replaceAll('@claw', `<@${BOT.user}>`), {
        ...(spot.thread === null ? {} : { thread: spot.thread }),
      }),
    edit: (spot, message, text) => fake.edit(TEAM, channelOf(spot), userOf(spot), message, text),
    remove: (spot, message) => fake.remove(TEAM, channelOf(spot), message),
    react(spot, message, emoji, on) {
      const change = on ? fake.react : fake.unreact
      return change(TEAM, channelOf(spot), userOf(spot), message, spellings(emoji)?.name ?? emoji)
    },
    async press(spot, message, button) {
      const found = fake.shown(TEAM, channelOf(spot)).find(({ ts }) => ts === message)
      const wanted = found?.buttons.find((one) => one === button || one.endsWith(`=${button}`)) ?? button
      await fake.press(TEAM, channelOf(spot), userOf(spot), message, wanted)
    },
    async command(spot, text) {
      await fake.command(TEAM, channelOf(spot), userOf(spot), text)
    },
    async answer(spot, text) {
      const question = await soon(() =>
        fake.shown(TEAM, channelOf(spot)).findLast(({ only, buttons }) => only === userOf(spot) && buttons.length > 0),
      )
      if (question === undefined) throw new Error('the bot has asked nothing here')
      await fake.press(TEAM, channelOf(spot), userOf(spot), question.ts, question.buttons[0] ?? '')
      const open = fake.teams.get(TEAM)?.views ?? []
      await soon(() => open.find(({ user }) => user === userOf(spot)))
      await fake.submit(TEAM, userOf(spot), text)
    },
    openThread: (_spot, { id, thread }) => thread ?? id,
    shown: () => [
      ...seen(GENERAL, 'channel', null),
      ...Object.entries(PEOPLE).flatMap(([name, { direct }]) => seen(direct, 'dm', name)),
    ],
    fault: fake.fault,
    calls: () => fake.calls.map(({ method, error }) => `${method}${error === null ? '' : `: ${error}`}`),
    close: fake.close,
  }
}

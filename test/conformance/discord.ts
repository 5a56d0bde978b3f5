import { createDiscord } from '../../adapters/discord/discord.ts'
import { type FakeDiscord, startFakeDiscord } from '../fake-platforms/discord/discord.ts'
import { buttonsOf } from '../fake-platforms/discord/people.ts'
import type { Message } from '../fake-platforms/discord/shapes.ts'
import { findMessage } from '../fake-platforms/discord/world.ts'
import { stageOf, startBot, until } from './backstage.ts'
import type { Place, Shown, Stage, Staged, StageOptions } from './stage.ts'

export interface DiscordStage extends Stage {
  readonly fake: FakeDiscord
}

interface DiscordStaged extends Staged {
  open(options?: StageOptions): Promise<DiscordStage>
}

export const discord: DiscordStaged = {
  platform: 'discord',
  cannot: {},
  open: openDiscord,
}

async function openDiscord({ config: settings = {} }: StageOptions = {}): Promise<DiscordStage> {
  const fake = await startFakeDiscord()
  const bot = await startBot({
    settings: { ...settings, discord: { trainingPermission: true, ...settings.discord, apiUrl: fake.url } },
    adapter: ({ config, db, report }) => createDiscord({ token: fake.token, config: config.discord, db, report }),
    platform: fake,
    delivered: fake.gateway.flush,
  })
  const { settle, restart } = bot

  /** A thread hangs on a message, and has its id. */
  function channelOf({ channel, thread }: Place): string {
    if (thread === null) return channel
    return fake.world.channels.has(thread) ? thread : fake.open(channel, fake.people.ann.id, 'thread', thread)
  }

  /** A channel with its threads, or a thread alone. */
  function conversationsOf(at: Place): readonly { readonly id: string; readonly thread: string | null }[] {
    const id = channelOf(at)
    const threads =
      at.thread === null ? [...fake.world.channels.values()].filter(({ parent_id }) => parent_id === id) : []
    return [{ id, thread: at.thread }, ...threads.map((thread) => ({ id: thread.id, thread: thread.id }))]
  }

  /** The channel or the thread that a message stands in. */
  const channelWith = (at: Place, message: string): string =>
    conversationsOf(at).find(({ id }) => findMessage(fake.world, id, message) !== undefined)?.id ?? channelOf(at)

  const shown = (at: Place): readonly Shown[] =>
    conversationsOf(at)
      .flatMap(({ id, thread }) => fake.shown(id).map((message) => shownOf(message, thread)))
      .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))

  await settle()
  const [home, meadow] = fake.guilds
  const ann = fake.people.ann.id
  const mention = `<@${fake.world.bot.id}>`

  return stageOf(bot, {
    platform: 'discord',
    fake,
    places: {
      direct: { workspace: `dm:${ann}`, channel: fake.direct(ann), thread: null },
      channel: { workspace: home.id, channel: home.system_channel_id ?? '', thread: null },
      elsewhere: { workspace: meadow.id, channel: meadow.system_channel_id ?? '', thread: null },
    },
    people: { ann, ben: fake.people.ben.id, robot: fake.people.robot.id },
    async say(at, person, text, saying = {}) {
      const who = saying.bot ? fake.people.robot.id : person
      const words = saying.mention ? `${mention} ${text}` : text
      const { replyTo, files } = saying
      return fake.say(channelOf(at), who, words, {
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(files === undefined ? {} : { files }),
      })
    },
    async edit(at, _person, message, text) {
      fake.edit(channelOf(at), message, text)
    },
    async remove(at, _person, message) {
      fake.remove(channelOf(at), message)
    },
    async react(at, person, message, emoji) {
      fake.react(channelWith(at, message), person, message, emoji)
    },
    async unreact(at, person, message, emoji) {
      fake.unreact(channelWith(at, message), person, message, emoji)
    },
    async command(at, person, text) {
      fake.command(channelOf(at), person, text)
    },
    async press(at, person, message, button) {
      fake.press(channelOf(at), person, message, button)
    },
    async answer(at, person, text) {
      const asked = [channelOf(at), fake.direct(person)].flatMap((channel) => fake.shown(channel).filter(isQuestion))
      const question = asked.findLast(({ only }) => (only ?? person) === person)
      if (question === undefined) throw new Error('nobody has asked')
      fake.press(question.channel_id, person, question.id, 'Answer')
      await until(() => fake.interactions.modals.some(({ user }) => user === person), 'a form is shown')
      fake.submit(person, text)
    },
    shown,
    fault: fake.fault,
    async restart(whileDown) {
      // What has not reached the bot before it stops is not sent again.
      await settle()
      await restart(whileDown)
      await settle()
    },
    tick() {},
    async uninstall(at) {
      fake.kick(at.workspace)
    },
  })
}

const isQuestion = (message: Message): boolean => buttonsOf(message).some(({ label }) => label === 'Answer')

function shownOf(message: Message, thread: string | null): Shown {
  return {
    id: message.id,
    text: message.content,
    thread,
    replyTo: message.replies ?? null,
    only: message.only ?? null,
    buttons: buttonsOf(message).map(({ label, emoji, custom_id }) => label ?? emoji?.name ?? custom_id),
  }
}

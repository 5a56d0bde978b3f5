import { createDiscord } from '../../adapters/discord/discord.ts'
import { loadConfig } from '../../config/config.ts'
import { judge } from '../../core/judge/judge.ts'
import { type Runtime, startRuntime } from '../../core/runtime.ts'
import { fakeEngine, prompter } from '../core/parrot.ts'
import { type FakeDiscord, startFakeDiscord } from '../fake-platforms/discord/discord.ts'
import { buttonsOf } from '../fake-platforms/discord/people.ts'
import type { Message } from '../fake-platforms/discord/shapes.ts'
import { findMessage } from '../fake-platforms/discord/world.ts'
import { newPlace } from '../stores.ts'
import { forgetPrompts, newestOf } from './backstage.ts'
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

/** Nothing has changed for so long, in milliseconds: then nothing more comes of what happened. */
const QUIET = 30

async function openDiscord({ config: settings = {} }: StageOptions = {}): Promise<DiscordStage> {
  const place = await newPlace()
  const fake = await startFakeDiscord()
  const engine = fakeEngine()
  const faults: unknown[] = []
  const report = (fault: unknown) => faults.push(fault)
  const config = loadConfig(
    {
      dataDir: place.dir,
      serving: { context: 100_000, maxTokens: 100 },
      ...settings,
      discord: { trainingPermission: true, ...settings.discord, apiUrl: fake.url },
    },
    {},
  )

  async function start() {
    const store = await place.open()
    const adapter = createDiscord({ token: fake.token, config: config.discord, db: store.db, report })
    const runtime = await startRuntime({
      config,
      store,
      engine,
      prompter,
      judge,
      outlets: [adapter],
      onSampleReady() {},
      report,
    })
    await adapter.start(runtime.deliver)
    return { store, adapter, runtime }
  }

  async function stop({ store, adapter, runtime }: Running): Promise<void> {
    await runtime.close()
    await adapter.stop()
    await store.close()
  }

  type Running = Awaited<ReturnType<typeof start>>
  let running = await start()

  async function settle(): Promise<void> {
    const moved = () => `${fake.calls.length} ${fake.gateway.sent()} ${running.adapter.health().state}`
    for (let before = ''; before !== moved(); ) {
      await until(() => fake.gateway.listening() || running.adapter.health().state === 'refused')
      before = moved()
      await fake.gateway.flush()
      await running.runtime.idle()
      await sleep(QUIET)
    }
  }

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

  return {
    platform: 'discord',
    fake,
    engine,
    faults,
    get adapter() {
      return running.adapter
    },
    get runtime(): Runtime {
      return running.runtime
    },
    get store() {
      return running.store
    },
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
      await until(() => fake.interactions.modals.some(({ user }) => user === person))
      fake.submit(person, text)
    },
    shown,
    newest: (at) => newestOf(shown(at), at),
    fault: fake.fault,
    async restart(whileDown) {
      await settle()
      await stop(running)
      await whileDown?.()
      running = await start()
      await settle()
    },
    async uninstall(at) {
      fake.kick(at.workspace)
    },
    settle,
    forget(keep) {
      fake.forget(keep)
      forgetPrompts(engine, keep)
    },
    async close() {
      await stop(running)
      await fake.close()
      place.remove()
    },
  }
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

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 1_000) throw new Error('it never came to that')
    await sleep(10)
  }
}

import { messageId, placeOf } from '../../adapters/slack/place.ts'
import { createSlack, type SlackAdapter } from '../../adapters/slack/slack.ts'
import { spellings } from '../../config/reactions.ts'
import type { Tokens } from '../../config/tokens.ts'
import type { Db } from '../../core/store/schema.ts'
import { type FakeSlack, startFakeSlack } from '../fake-platforms/slack/slack.ts'
import { ANN, BEN, BOT, DIRECT, GENERAL, OTHER_BOT } from '../fake-platforms/slack/world.ts'
import { stageOf, startBot } from './backstage.ts'
import type { Place, Shown, Stage, Staged, StageOptions } from './stage.ts'

export type SlackMode = 'socket' | 'http'

const [HERE, ELSEWHERE] = ['T0ONE', 'T0TWO']

/** Signs nothing but what these tests install. */
const KEY = 'an-encryption-key-of-no-importance'

/** The stage, and the platform behind it. */
export interface SlackStage extends Stage {
  readonly fake: FakeSlack
  readonly adapter: SlackAdapter
}

export const slack: Staged = { platform: 'slack', cannot: {}, open: (options) => openSlack(options, 'socket') }
export const slackOverHttp: Staged = { ...slack, open: (options) => openSlack(options, 'http') }

/**
 * Two workspaces with the same people, channels and direct conversations, which have installed the app themselves. Their
 * people have been told what the bot keeps, unless they are `strangers`.
 */
export async function openSlack(
  options: StageOptions & { readonly strangers?: true } = {},
  mode: SlackMode = 'socket',
): Promise<SlackStage> {
  const fake = await startFakeSlack({ teams: [HERE, ELSEWHERE] })
  const { clientId, clientSecret, appToken, signingSecret } = fake
  const transport = mode === 'socket' ? { appToken } : { signingSecret }
  const tokens: Tokens['slack'] = { clientId, clientSecret, encryptionKey: KEY, ...transport }
  const { config: given = {}, strangers } = options
  const bot = await startBot({
    settings: { ...given, slack: { ...given.slack, apiUrl: `${fake.url}api/`, port: 0 } },
    adapter: ({ config, db, report }) => createSlack({ tokens, config: config.slack, db, report }),
    platform: fake,
    prepare: async (db) => strangers ?? greet(db),
  })
  const { restart } = bot
  listen()
  for (const team of [HERE, ELSEWHERE]) await fake.consent(team, `${bot.adapter.address()}slack/install`)

  function listen(): void {
    if (mode === 'http') fake.delivery.requestUrl = `${bot.adapter.address()}slack/events`
  }

  const channelOf = ({ channel }: Place, person: string) => {
    if (!channel.startsWith('D')) return channel
    return person === BEN ? 'D0BEN' : channel
  }

  const shown = (place: Place): readonly Shown[] =>
    fake
      .shown(place.workspace, place.channel)
      .filter(({ user, thread }) => user === BOT.user && (place.thread === null || thread === tsOf(place.thread)))
      .map(({ ts, text, thread, only, buttons }) => ({
        id: messageId(place.channel, ts),
        text,
        thread: thread === null ? null : messageId(place.channel, thread),
        replyTo: null,
        only,
        buttons,
      }))

  return stageOf(bot, {
    platform: 'slack',
    fake,
    places: {
      direct: { workspace: HERE, channel: DIRECT, thread: null },
      channel: { workspace: HERE, channel: GENERAL, thread: null },
      elsewhere: { workspace: ELSEWHERE, channel: GENERAL, thread: null },
    },
    people: { ann: ANN, ben: BEN, robot: OTHER_BOT.user },
    async say(place, person, text, { mention = false, replyTo, files = [], bot = false } = {}) {
      const channel = channelOf(place, person)
      // To answer a message is to write into its thread.
      const thread = place.thread ?? (replyTo === undefined ? null : rootOf(place, tsOf(replyTo)))
      const user = bot ? OTHER_BOT.user : person
      const how = { mention, files, ...(thread === null ? {} : { thread: tsOf(thread) }) }
      return messageId(channel, await fake.say(place.workspace, channel, user, text, how))
    },
    edit: (place, person, message, text) =>
      fake.edit(place.workspace, channelOf(place, person), person, tsOf(message), text),
    remove: (place, person, message) => fake.remove(place.workspace, channelOf(place, person), tsOf(message)),
    react: (place, person, message, emoji) =>
      fake.react(place.workspace, channelIn(message), person, tsOf(message), nameOf(emoji)),
    unreact: (place, person, message, emoji) =>
      fake.unreact(place.workspace, channelIn(message), person, tsOf(message), nameOf(emoji)),
    async command(place, person, text) {
      await fake.command(place.workspace, channelOf(place, person), person, text)
    },
    async press(place, person, message, button) {
      const buttons = fake.shown(place.workspace, channelIn(message)).find(({ ts }) => ts === tsOf(message))?.buttons
      const value = { '👍': 'up', '👎': 'down' }[button] ?? button
      const pressed = buttons?.find((one) => one === value || one.endsWith(`=${value}`)) ?? button
      await fake.press(place.workspace, channelIn(message), person, tsOf(message), pressed)
    },
    async answer(place, person, text) {
      const asked = fake
        .shown(place.workspace, channelOf(place, person))
        .findLast(({ only, buttons }) => only === person && buttons.length > 0)
      if (asked === undefined) throw new Error(`${person} was not asked anything`)
      await fake.press(place.workspace, channelOf(place, person), person, asked.ts, asked.buttons[0] ?? '')
      await fake.settled()
      await fake.submit(place.workspace, person, text)
    },
    shown,
    fault: fake.fault,
    async restart(whileDown) {
      await restart(() => {
        if (mode === 'http') fake.delivery.requestUrl = null
        return whileDown?.()
      })
      listen()
    },
    tick() {},
    uninstall: (place) => fake.uninstall(place.workspace),
  })

  function rootOf(place: Place, ts: string): string {
    return fake.teams.get(place.workspace)?.channels.get(place.channel)?.messages.get(ts)?.thread ?? ts
  }
}

async function greet(db: Db): Promise<void> {
  const known = {
    platform: 'slack',
    learning: 0,
    method: null,
    serving_version: 0,
    created_at: 0,
    welcomed_at: 0,
  } as const
  await db
    .insertInto('workspaces')
    .values([HERE, ELSEWHERE].map((workspace) => ({ ...known, workspace })))
    .execute()
}

const channelIn = (message: string): string => placeOf(message).channel

/** Of a message's id, or of itself. */
const tsOf = (message: string): string => placeOf(message).thread ?? message

const nameOf = (emoji: string): string => spellings(emoji)?.name ?? emoji

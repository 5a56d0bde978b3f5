import { expect, test } from 'vitest'
import { INTENT } from '../fake-platforms/discord/gateway.ts'
import { messageJson } from '../fake-platforms/discord/world.ts'
import { messageOf, shape } from '../fake-platforms/slack/world.ts'
import { until } from './backstage.ts'
import { discord } from './discord.ts'
import { playground } from './playground.ts'
import { openSlack } from './slack.ts'
import type { Stage } from './stage.ts'
import { openTelegram } from './telegram.ts'

const KEEP = 4

interface Forgetful {
  readonly stage: Stage
  /** Delivers a private message once more when the platform itself has forgotten it. */
  readonly again?: (message: string) => () => unknown
  /** Lengths of its records. */
  readonly held: () => readonly number[]
}

async function slack(): Promise<Forgetful> {
  const stage = await openSlack()
  const { fake, places } = stage
  const team = fake.teams.get(places.direct.workspace)!
  return {
    stage,
    again(message) {
      const { channel } = places.direct
      const said = messageOf(team, channel, message.split(':').at(-1)!)
      const event = { ...shape(said, team), channel, channel_type: 'im', event_ts: said.ts }
      return () => fake.emit(team.id, event)
    },
    held: () => [
      fake.calls.length,
      fake.answers.length,
      team.ephemerals.length,
      ...[...team.channels.values()].map(({ messages }) => messages.size),
    ],
  }
}

async function discordHere(): Promise<Forgetful> {
  const stage = await discord.open()
  const { fake, places } = stage
  const { world } = fake
  return {
    stage,
    again(message) {
      const { channel } = places.direct
      const said = world.messages.get(channel)!.find(({ id }) => id === message)!
      const data = { ...messageJson(world, said), channel_id: channel }
      const event = { type: 'MESSAGE_CREATE', intent: INTENT.directMessages, guild: null, data: () => data }
      return () => fake.gateway.dispatch(event)
    },
    held: () => [fake.calls.length, ...[...world.messages.values()].map((messages) => messages.length)],
  }
}

async function telegram(): Promise<Forgetful> {
  const stage = await openTelegram()
  const { fake, bot, places } = stage
  const chat = () => fake.chat(Number(places.direct.channel))
  return {
    stage,
    // Updates outlive the messages that they are about: a conversation has the replies too.
    again: () => () => bot.queue.replay(KEEP),
    held: () => [fake.calls.length, chat().messages.size, chat().reactions.size, fake.queries.size],
  }
}

async function playgroundHere(): Promise<Forgetful> {
  const stage = await playground.open()
  return { stage, held: () => [stage.shown(stage.places.direct).length] }
}

test.concurrent.each([
  ['slack', slack],
  ['discord', discordHere],
  ['telegram', telegram],
  ['playground', playgroundHere],
])('%s forgets what is old, and goes on', async (_name, open) => {
  const { stage, again, held } = await open()
  const { direct, channel } = stage.places
  const { ann, ben } = stage.people
  const answers = () => stage.shown(direct).map(({ text }) => text)
  const signals = () => stage.store.db.selectFrom('signals').selectAll().where('type', '=', 'reaction').execute()
  try {
    const first = await stage.say(direct, ann, 'question 0')
    await stage.settle()
    const repeat = again?.(first)
    for (let number = 1; number <= 2 * KEEP; number++) {
      await stage.say(direct, ann, `question ${number}`)
      await stage.settle()
    }
    await stage.say(channel, ann, 'and here?', { mention: true })
    await stage.settle()
    const newest = stage.newest(channel)
    expect(newest?.text).toContain('and here')
    await stage.react(channel, ben, newest!.id, '👍')
    await stage.settle()
    expect(await signals()).toHaveLength(1)

    stage.forget(KEEP)
    expect(Math.max(...held())).toBeLessThanOrEqual(KEEP)
    await repeat?.()
    await stage.settle()
    expect(stage.engine.prompts).toHaveLength(KEEP)
    stage.forget(0)
    expect(Math.max(...held())).toBe(0)
    expect(stage.newest(channel)).toBe(null)

    stage.fault({ type: 'duplicate', copies: 2 })
    await stage.say(direct, ann, 'still there?')
    await stage.settle()
    expect(answers()).toEqual(['re: still there?'])
    expect(stage.engine.prompts).toHaveLength(1)
    // The bot remembers whatever the platform has dropped.
    expect(stage.engine.prompts[0]).toContain(`question ${2 * KEEP}`)
    await stage.say(channel, ann, 'and there?', { mention: true })
    await stage.settle()
    await stage.react(channel, ben, stage.newest(channel)!.id, '👍')
    await stage.settle()
    expect(await signals()).toHaveLength(2)
    stage.fault({ type: 'disconnect' })
    await stage.say(direct, ann, 'and after a break?')
    await until(() => answers().length >= 2, 'the next is answered')
    await stage.settle()
    expect(answers()).toEqual(['re: still there?', 're: and after a break?'])
  } finally {
    await stage.close()
  }
})

test.concurrent('Slack keeps what threads hang on, however long they are', async () => {
  const { fake, places, people, ...stage } = await openSlack()
  try {
    const root = await stage.say(places.channel, people.ann, 'a question', { mention: true })
    await stage.settle()
    const thread = { ...places.channel, thread: root }
    for (const text of ['one', 'two', 'three']) await stage.say(thread, people.ben, text)
    stage.forget(1)
    await stage.say(thread, people.ann, 'go on')
    await stage.settle()
    expect(stage.newest(places.channel)).toMatchObject({ text: 're: go on', thread: root })
    expect(fake.violations).toEqual([])
  } finally {
    await stage.close()
  }
})

test.concurrent.each([
  ['slack', openSlack],
  ['discord', discord.open],
  ['telegram', openTelegram],
])('the newest of a channel of %s may stand in a thread, and is reached from the channel', async (_name, open) => {
  const stage = await open()
  const { channel } = stage.places
  try {
    const root = await stage.say(channel, stage.people.ben, 'a root')
    await stage.settle()
    for (const thread of [root, null]) {
      const text = thread === null ? 'what is a channel?' : 'what is a thread?'
      await stage.say({ ...channel, thread }, stage.people.ann, text, { mention: true })
      await stage.settle()
      const newest = stage.newest(channel)
      expect(newest?.text).toBe(`re: ${text}`)
      await stage.react(channel, stage.people.ben, newest!.id, '👍')
      await stage.settle()
    }
    const given = stage.store.db.selectFrom('signals').select('active').where('type', '=', 'reaction').execute()
    expect(await given).toEqual([{ active: 1 }, { active: 1 }])
  } finally {
    await stage.close()
  }
})

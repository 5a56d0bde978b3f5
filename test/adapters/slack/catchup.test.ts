import { afterEach, beforeEach, expect, test } from 'vitest'
import { sourcesOf } from '../../../adapters/slack/catchup.ts'
import { openSlack, type SlackStage } from '../../conformance/slack.ts'
import { ANN, BEN, DIRECT, GENERAL } from '../../fake-platforms/slack/world.ts'

const TEAM = 'T0ONE'

let stage: SlackStage

beforeEach(async () => {
  stage = await openSlack()
})

afterEach(async () => {
  expect(stage.fake.violations).toEqual([])
  await stage.close()
})

const texts = (channel = GENERAL) =>
  stage.fake
    .shown(TEAM, channel)
    .filter(({ user }) => user === 'U0BOT')
    .map(({ text }) => text)

test('channels and threads are looked into once each, and nothing else', () => {
  const ref = (conversation: string) => ({ workspace: 'T1', conversation })
  expect(sourcesOf([ref('C1:1.1'), ref('C1:2.2'), ref('D1'), ref('T1'), ref('C1')])).toEqual([
    { workspace: 'T1', channel: 'C1', thread: null },
    { workspace: 'T1', channel: 'C1', thread: '1.1' },
    { workspace: 'T1', channel: 'C1', thread: '2.2' },
    { workspace: 'T1', channel: 'D1', thread: null },
  ])
})

test('a connection that was down for a moment misses nothing', async () => {
  await stage.say(stage.places.direct, ANN, 'hello')
  await stage.settle()
  stage.fault({ type: 'disconnect' })
  await expect.poll(() => stage.fake.delivery.sockets.size).toBe(0)
  await stage.say(stage.places.direct, ANN, 'are you there?')
  await expect.poll(() => texts(DIRECT), { timeout: 5_000 }).toEqual(['re: hello', 're: are you there?'])
})

test.each<[string, () => Promise<void>]>([
  ['a connection that was down for a moment', async () => stage.fault({ type: 'disconnect' })],
  ['a restart', () => stage.restart()],
])('what people said to each other before the bot was asked is not answered after %s', async (_what, lose) => {
  const root = await stage.say(stage.places.channel, ANN, 'a talk among people')
  const thread = { ...stage.places.channel, thread: root }
  await stage.say(thread, BEN, 'not for the bot')
  await stage.say(thread, ANN, 'and you?', { mention: true })
  await stage.settle()
  expect(texts()).toEqual(['re: and you?'])
  const sockets = [...stage.fake.delivery.sockets]
  await lose()
  await expect.poll(() => sockets.some((socket) => stage.fake.delivery.sockets.has(socket))).toBe(false)
  await stage.say(thread, ANN, 'and now?')
  await expect.poll(texts, { timeout: 5_000 }).toContain('re: and now?')
  await stage.settle()
  expect(texts()).toEqual(['re: and you?', 're: and now?'])
})

test('more than a hundred messages of a channel are not all looked at, and that is said', async () => {
  await stage.say(stage.places.channel, ANN, 'hello', { mention: true })
  await stage.settle()
  await stage.restart(async () => {
    for (let i = 0; i < 120; i++) await stage.say(stage.places.channel, ANN, `chatter ${i}`)
    await stage.say(stage.places.channel, ANN, 'the last', { mention: true })
  })
  await expect.poll(texts, { timeout: 5_000 }).toEqual(['re: hello', 're: the last'])
  expect(stage.adapter.health().detail).toContain('100 messages')
})

test('a channel that the bot is not in any more keeps nothing back of the others', async () => {
  await stage.say(stage.places.channel, ANN, 'hello', { mention: true })
  await stage.say(stage.places.direct, ANN, 'hello')
  await stage.settle()
  await stage.restart(async () => {
    stage.fake.teams.get(TEAM)?.channels.get(GENERAL)?.members.delete('U0BOT')
    await stage.say(stage.places.direct, ANN, 'missed')
  })
  await expect.poll(() => texts(DIRECT), { timeout: 5_000 }).toEqual(['re: hello', 're: missed'])
})

test('a workspace that has taken the app away keeps nothing back of the others', async () => {
  await stage.say(stage.places.direct, ANN, 'hello')
  await stage.say(stage.places.elsewhere, ANN, 'hello', { mention: true })
  await stage.settle()
  await stage.store.db.deleteFrom('installations').where('id', '=', 'T0TWO').execute()
  await stage.restart(async () => void (await stage.say(stage.places.direct, ANN, 'missed')))
  await expect.poll(() => texts(DIRECT), { timeout: 5_000 }).toEqual(['re: hello', 're: missed'])
  expect(stage.faults).toEqual([])
})

test('what is missed while Slack wants fewer requests is got later', async () => {
  await stage.say(stage.places.direct, ANN, 'hello')
  await stage.settle()
  await stage.restart(async () => {
    await stage.say(stage.places.direct, ANN, 'missed')
    stage.fake.refuse('conversations.history', 'ratelimited')
  })
  await expect.poll(() => texts(DIRECT), { timeout: 8_000 }).toEqual(['re: hello', 're: missed'])
})

test('a thread of a direct message hears what it hangs on, and goes on by itself', async () => {
  const question = await stage.say(stage.places.direct, ANN, 'What is a cat?')
  await stage.settle()
  const answer = stage.shown(stage.places.direct)[0]?.id ?? ''
  const thread = { ...stage.places.direct, thread: answer }
  await stage.say(thread, ANN, 'Shorter')
  await stage.settle()
  expect(stage.engine.prompts.at(-1)).toContain('What is a cat?')
  await stage.say(thread, ANN, 'And a dog?')
  await stage.settle()
  expect(stage.engine.prompts.at(-1)).toContain('Shorter')
  const inThread = stage.shown(stage.places.direct).filter((one) => one.thread === answer)
  expect(inThread).toHaveLength(2)
  expect(question).not.toBe(answer)
})

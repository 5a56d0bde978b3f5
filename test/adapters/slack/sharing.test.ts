import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSlack, type SlackStage } from '../../conformance/slack.ts'
import { ANN, BEN, GENERAL } from '../../fake-platforms/slack/world.ts'

const TEAM = 'T0ONE'
const SHARED = 'C0SHARED'

let stage: SlackStage

beforeEach(async () => {
  stage = await openSlack()
})

afterEach(async () => {
  expect(stage.fake.violations).toEqual([])
  expect(stage.faults).toEqual([])
  await stage.close()
})

const shown = (channel: string) =>
  stage.fake.shown(TEAM, channel).filter(({ user, only }) => user === 'U0BOT' && only === null)
const scores = async () =>
  (await stage.store.db.selectFrom('verdicts').select('score').orderBy('revision').execute()).map(({ score }) => score)

test('a channel that gets another id because it is shared keeps what was said in it, and what that means', async () => {
  const { fake } = stage
  const root = await fake.say(TEAM, GENERAL, ANN, 'hello', { mention: true })
  await stage.settle()
  const reply = shown(GENERAL)[0]?.ts ?? ''
  await fake.react(TEAM, GENERAL, BEN, reply, '+1')
  await fake.command(TEAM, GENERAL, ANN, 'channel mention')
  await stage.settle()
  expect(await scores()).toEqual([1])

  await fake.share(TEAM, GENERAL, SHARED)
  await stage.settle()
  await fake.unreact(TEAM, SHARED, BEN, reply, '+1')
  await fake.react(TEAM, SHARED, BEN, reply, '-1')
  await stage.settle()
  expect((await scores()).at(-1)).toBe(-1)
  const signals = await stage.store.db.selectFrom('signals').select(['content', 'active']).orderBy('at').execute()
  expect(signals).toEqual([
    { content: '+1', active: 0 },
    { content: '-1', active: 1 },
  ])

  // Its threads go on without a mention.
  await fake.say(TEAM, SHARED, BEN, 'and now?', { thread: root })
  await stage.settle()
  expect(shown(SHARED).at(-1)).toMatchObject({ text: 're: and now?', thread: root })
  expect(stage.engine.prompts.at(-1)).toContain('re: hello')

  // Found in its history by the new name, what was answered is known.
  await stage.restart()
  await stage.settle()
  expect(shown(SHARED).filter(({ text }) => text.startsWith('re: '))).toHaveLength(2)
  const channels = await stage.store.db.selectFrom('channels').select('channel').execute()
  expect(channels).toEqual([{ channel: SHARED }])
  const tables = ['outbound', 'turns', 'messages', 'conversations', 'signals'] as const
  for (const table of tables) {
    const rows = await stage.store.db.selectFrom(table).selectAll().execute()
    expect(JSON.stringify(rows.map(({ conversation }) => conversation))).not.toContain(GENERAL)
  }
})

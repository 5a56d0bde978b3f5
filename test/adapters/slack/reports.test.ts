import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSlack, type SlackStage } from '../../conformance/slack.ts'

/** Reports of what went wrong with other bots on Slack, and must not here. Each is named by where it was told. */

let stage: SlackStage

beforeEach(async () => {
  stage = await openSlack()
})

afterEach(async () => {
  expect(stage.fake.violations).toEqual([])
  await stage.close()
})

const texts = (at = stage.places.channel) => stage.shown(at).map(({ text }) => text)
const asked = () => stage.engine.prompts.length
const ask = async (text: string, at = stage.places.channel) => {
  const id = await stage.say(at, stage.people.ann, text, { mention: true })
  await stage.settle()
  return id
}
const callsOf = (method: string) => stage.fake.calls.filter((call) => call.method === method)

test('slackapi/bolt-js#2487: the same mention, sent again because of a timeout, is answered once', async () => {
  stage.fault({ type: 'duplicate', copies: 3 })
  await ask('hello')
  expect(texts()).toEqual(['re: hello'])
})

test('slackapi/bolt-js#2188: what was answered an hour ago and comes again is not answered again', async () => {
  const id = await ask('hello')
  const [team, [channel = '', ts = '']] = [stage.places.channel.workspace, id.split(':')]
  const event = { type: 'app_mention', channel, user: stage.people.ann, text: '<@U0BOT> hello', ts, event_ts: ts }
  await stage.fake.emit(team, event)
  await stage.settle()
  expect(texts()).toEqual(['re: hello'])
})

describe.each([false, true])('message and app_mention are one post (mention first: %s)', (mentionFirst) => {
  test('openclaw#23103, #32190, #115302: it is answered once', async () => {
    stage.fake.mentionFirst = mentionFirst
    await ask('hello')
    expect(texts()).toEqual(['re: hello'])
  })

  test('openclaw#34833: it is answered', async () => {
    stage.fake.mentionFirst = mentionFirst
    for (const word of ['one', 'two', 'three', 'four']) await ask(word)
    expect(texts()).toEqual(['re: one', 're: two', 're: three', 're: four'])
  })
})

test('CopilotKit#6717: unfolded links, grown threads and its own edits are no new questions', async () => {
  const id = await ask('look at https://example.com')
  const [channel = '', ts = ''] = id.split(':')
  const mine = stage.shown(stage.places.channel)[0]?.id.split(':')[1] ?? ''
  for (let i = 0; i < 10; i++) await stage.fake.touch(stage.places.channel.workspace, channel, i % 2 === 0 ? ts : mine)
  await stage.settle()
  expect(texts()).toHaveLength(1)
  expect(asked()).toBe(1)
})

test('openclaw#62165, OpenTag#29: neither itself nor another bot is answered', async () => {
  await ask('hello')
  await stage.say(stage.places.channel, stage.people.ann, 'hello bot', { mention: true, bot: true })
  await stage.settle()
  expect(texts()).toEqual(['re: hello'])
})

describe('yetibot#952, openclaw#136674, #38505, #20173: edits', () => {
  test('before the answer they replace what was asked', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const { pace } = stage.engine
    stage.engine.pace = () => gate
    const first = stage.say(stage.places.channel, stage.people.ann, 'slow', { mention: true })
    const [, ts = ''] = (await first).split(':')
    const second = await stage.say({ ...stage.places.channel, thread: ts }, stage.people.ann, 'wrong')
    await stage.edit(stage.places.channel, stage.people.ann, second, 'right')
    stage.engine.pace = pace
    go()
    await stage.settle()
    expect(texts()).toEqual(['re: slow', 're: right'])
  })

  test('after the answer they are one piece of evidence, and no new answer', async () => {
    const id = await ask('hello')
    await stage.edit(stage.places.channel, stage.people.ann, id, '<@U0BOT> hello, in two words')
    await stage.settle()
    await stage.fake.touch(stage.places.channel.workspace, 'C0GENERAL', id.split(':')[1] ?? '')
    await stage.settle()
    expect(texts().filter((text) => text.startsWith('re: '))).toEqual(['re: hello'])
    const signals = await stage.store.db.selectFrom('signals').select(['type', 'content']).execute()
    expect(signals).toEqual([{ type: 'edit', content: 'hello, in two words' }])
  })
})

test('openclaw#10837, #78505, #75969, #136566, #97168: a thread is one conversation, and is answered at its root', async () => {
  const id = await ask('hello')
  const thread = { ...stage.places.channel, thread: id }
  await stage.say(thread, stage.people.ann, 'and then?')
  await stage.settle()
  await stage.say(thread, stage.people.ann, 'and after that?')
  await stage.settle()
  expect(stage.shown(stage.places.channel).map(({ thread }) => thread)).toEqual([id, id, id])
  expect(stage.engine.prompts.at(-1)).toContain('hello')
  expect(stage.engine.prompts.at(-1)).toContain('and then?')
})

test('vercel/chat#171, spacebot#228: files and broadcasts are heard, and said to be unread', async () => {
  await stage.say(stage.places.channel, stage.people.ann, 'read this', { mention: true, files: ['plan.pdf'] })
  await stage.settle()
  expect(texts().join('\n')).toContain('plan.pdf')
  const { workspace, channel } = stage.places.channel
  const how = { mention: true, subtype: 'thread_broadcast' }
  await stage.fake.say(workspace, channel, stage.people.ann, 'to all', how)
  await stage.settle()
  expect(texts().at(-1)).toBe('re: to all')
})

test('botkit#1439: pins and huddles are not answered', async () => {
  const { workspace, channel } = stage.places.channel
  for (const subtype of ['pinned_item', 'huddle_thread', 'channel_topic', 'bot_add']) {
    await stage.fake.say(workspace, channel, stage.people.ann, 'pinned <@U0BOT>', { subtype })
  }
  await stage.settle()
  expect(asked()).toBe(0)
})

test('slackapi/bolt-js#2509: a reply of 13,500 characters arrives whole, in messages that Slack takes', async () => {
  const sentence = 'The quick brown fox jumps over the lazy dog again. '
  stage.engine.answer = () => sentence.repeat(Math.ceil(13_500 / sentence.length)).trim()
  await ask('a long one')
  const all = texts()
  expect(all.length).toBeGreaterThan(1)
  expect(all.join(' ').split('again.')).toHaveLength(Math.ceil(13_500 / sentence.length) + 1)
})

test('openclaw#55792, #77594: what was said while it was down is answered when it is back', async () => {
  const id = await ask('hello')
  await stage.restart(async () => {
    await stage.say(stage.places.channel, stage.people.ann, 'missed', { mention: true })
    await stage.say({ ...stage.places.channel, thread: id }, stage.people.ann, 'missed in the thread')
    await stage.say(stage.places.channel, stage.people.ben, 'not for you')
  })
  await expect.poll(() => texts()).toHaveLength(3)
  await stage.settle()
  expect(texts().toSorted()).toEqual(['re: hello', 're: missed', 're: missed in the thread'])
})

describe('streaming', () => {
  /** Tokens come slowly enough that Slack is shown them one after the other. */
  const slowly = () => {
    stage.engine.pace = () => new Promise((resolve) => setTimeout(resolve, 6))
    stage.engine.answer = () => 'One sentence first. '.repeat(6).trim()
  }

  test('a reply is streamed to who asked, and ends with thumbs', async () => {
    slowly()
    await ask('stream')
    const [start] = callsOf('chat.startStream')
    expect(start?.args).toMatchObject({ recipient_team_id: 'T0ONE', recipient_user_id: stage.people.ann })
    expect(callsOf('chat.stopStream')).toHaveLength(1)
    expect(callsOf('chat.postMessage')).toHaveLength(0)
    expect(stage.shown(stage.places.channel)).toMatchObject([
      { text: 'One sentence first. '.repeat(6).trim(), buttons: ['claw_thumbs=up', 'claw_thumbs=down'] },
    ])
  })

  test.each(['missing_recipient_team_id', 'user_not_found', 'unknown_method'])(
    'openclaw#21213, #20337, #70295, #41525: refused with %s, the reply comes otherwise, once',
    async (error) => {
      slowly()
      stage.fake.refuse('chat.startStream', error)
      await ask('stream')
      expect(texts()).toEqual(['One sentence first. '.repeat(6).trim()])
    },
  )

  test('openclaw#54469: no stream is begun only to be ended', async () => {
    await ask('quick')
    expect(callsOf('chat.startStream')).toHaveLength(0)
    expect(callsOf('chat.stopStream')).toHaveLength(0)
    expect(texts()).toEqual(['re: quick'])
  })

  test('openclaw#41525: a stream that cannot be ended leaves no ghost beside the reply', async () => {
    slowly()
    stage.fake.refuse('chat.stopStream', 'user_not_found')
    await ask('stream')
    expect(texts()).toEqual(['One sentence first. '.repeat(6).trim()])
    expect(stage.fake.shown('T0ONE', 'C0GENERAL').some(({ streaming }) => streaming)).toBe(false)
  })

  test('a beginning whose answer is lost is found, and written on', async () => {
    slowly()
    stage.fault({ type: 'lost' })
    await ask('stream')
    expect(texts()).toEqual(['One sentence first. '.repeat(6).trim()])
    expect(stage.fake.shown('T0ONE', 'C0GENERAL').some(({ streaming }) => streaming)).toBe(false)
  })

  test.each(['channel', 'direct'] as const)(
    'Stop in a thread (%s) ends the reply with what was shown',
    async (where) => {
      slowly()
      const place = stage.places[where]
      const root = await stage.fake.say('T0ONE', place.channel, 'U0ROBO', 'news')
      const thread = `${place.channel}:${root}`
      await stage.say({ ...place, thread }, stage.people.ann, 'stream', { mention: where === 'channel' })
      await expect.poll(() => callsOf('chat.startStream').length, { timeout: 5_000 }).toBe(1)
      await stage.fake.stopSession('T0ONE', place.channel, root, stage.people.ann)
      await stage.settle()
      const text = stage.shown({ ...place, thread }).at(-1)?.text ?? ''
      expect(text.length).toBeLessThan('One sentence first. '.repeat(6).length - 1)
      expect(stage.fake.shown('T0ONE', place.channel).some(({ streaming }) => streaming)).toBe(false)
    },
  )
})

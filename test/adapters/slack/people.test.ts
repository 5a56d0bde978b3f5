import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAdminUser } from '../../../adapters/slack/people.ts'
import { openSlack, type SlackStage } from '../../conformance/slack.ts'
import { ANN, BEN, DIRECT, EVA, GENERAL } from '../../fake-platforms/slack/world.ts'

const TEAM = 'T0ONE'

let stage: SlackStage

beforeEach(async () => {
  stage = await openSlack()
})

afterEach(async () => {
  expect(stage.fake.violations).toEqual([])
  await stage.close()
})

const here = { platform: 'slack', workspace: TEAM, conversation: '' }
const shown = (channel = GENERAL) => stage.fake.shown(TEAM, channel).filter(({ user }) => user === 'U0BOT')
const ask = async (text: string) => {
  const id = await stage.say(stage.places.channel, ANN, text, { mention: true })
  await stage.settle()
  return id
}
const signals = () => stage.store.db.selectFrom('signals').select(['type', 'person', 'content', 'turn']).execute()

describe('what people say about a reply', () => {
  test('a thumb under it, and the other one instead', async () => {
    await ask('hello')
    const [reply] = shown()
    await stage.press(stage.places.channel, BEN, `${GENERAL}:${reply?.ts}`, '👎')
    await stage.press(stage.places.channel, BEN, `${GENERAL}:${reply?.ts}`, '👍')
    await stage.settle()
    expect(await signals()).toMatchObject([{ type: 'button', person: BEN, content: '👍', turn: expect.any(String) }])
  })

  test.each(['+1', 'thumbsup', '+1::skin-tone-4'])('a reaction spelled %s, on and off', async (name) => {
    await ask('hello')
    const ts = shown()[0]?.ts ?? ''
    await stage.fake.react(TEAM, GENERAL, BEN, ts, name)
    await stage.settle()
    expect(await signals()).toHaveLength(1)
    await stage.fake.unreact(TEAM, GENERAL, BEN, ts, name.split('::')[0] ?? '')
    await stage.settle()
    const verdicts = await stage.store.db.selectFrom('verdicts').select('score').orderBy('revision').execute()
    expect(verdicts.at(-1)?.score ?? 0).toBe(0)
  })

  test('“What should it have been?” is asked of one person alone, and the form’s words are a correction', async () => {
    await ask('hello')
    const message = `${GENERAL}:${shown()[0]?.ts}`
    const conversation = `${GENERAL}:${shown()[0]?.thread}`
    await stage.adapter.ask?.({ ...here, conversation }, { person: BEN, message, text: 'What should it have been?' })
    expect(shown().at(-1)).toMatchObject({ only: BEN, buttons: ['claw_ask'] })
    await stage.answer(stage.places.channel, BEN, 'Good day.')
    await stage.settle()
    expect(await signals()).toMatchObject([{ person: BEN, content: 'Good day.', turn: expect.any(String) }])
    expect(shown().filter(({ only }) => only === null)).toHaveLength(1)
    // The thanks take the place of the question, which cannot be answered twice.
    const thanks = { text: 'Thank you. That is what I learn most from.', buttons: [] }
    await expect.poll(() => shown().filter(({ only }) => only === BEN)).toMatchObject([thanks])
  })
})

describe('an emoji of the workspace’s own', () => {
  const settings = { reactions: { '*': { lgtm: 1, shipit: -1 }, 'slack/T0ONE': { shipit: 1 } } } as const
  const scoreOf = async (workspace: string, name: string) => {
    const place = { ...stage.places.channel, workspace }
    await stage.say(place, ANN, 'hello', { mention: true })
    await stage.settle()
    const reply = stage.shown(place).at(-1)?.id.split(':')[1] ?? ''
    await stage.fake.react(workspace, GENERAL, BEN, reply, name)
    await stage.settle()
    const found = stage.store.db.selectFrom('verdicts as v').innerJoin('turns as t', 't.id', 'v.turn')
    const verdicts = await found.select('v.score').where('t.workspace', '=', workspace).execute()
    return verdicts.at(-1)?.score
  }

  test.each([
    ['T0ONE', 'shipit', 1],
    ['T0TWO', 'shipit', -1],
    ['T0TWO', 'lgtm', 1],
    ['T0ONE', 'party-parrot', 0],
  ])('in %s, :%s: is worth %s', async (workspace, name, score) => {
    await stage.close()
    stage = await openSlack({ config: settings })
    expect(await scoreOf(workspace, name)).toBe(score)
  })
})

describe('notices', () => {
  const conversation = `${GENERAL}`

  test('for one person are shown to nobody else', async () => {
    await stage.adapter.notify({ ...here, conversation }, { text: 'For you.', only: BEN })
    expect(shown()).toMatchObject([{ text: 'For you.', only: BEN }])
  })

  test('for one person who is not in the channel go to them directly', async () => {
    stage.fake.refuse('chat.postEphemeral', 'user_not_in_channel')
    await stage.adapter.notify({ ...here, conversation }, { text: 'For you.', only: ANN })
    expect(shown()).toEqual([])
    expect(shown(DIRECT)).toMatchObject([{ text: 'For you.' }])
  })

  test('answer a command also where the bot is not', async () => {
    await stage.fake.command(TEAM, 'C0ALONE', ANN, 'memory')
    await stage.settle()
    expect(shown('C0ALONE')).toMatchObject([{ only: ANN }])
  })

  test('a command by mention is answered in its thread', async () => {
    const id = await stage.say(stage.places.channel, BEN, 'status', { mention: true })
    await stage.settle()
    expect(shown()).toMatchObject([{ only: BEN, thread: id.split(':')[1] }])
    expect(stage.engine.prompts).toEqual([])
  })

  test('wait where Slack takes no more of them', async () => {
    stage.fault({ type: 'limited', seconds: 1 })
    await stage.adapter.notify({ ...here, conversation }, { text: 'For you.', only: BEN })
    expect(shown()).toMatchObject([{ text: 'For you.', only: BEN }])
  })

  test('that answer a command are not said again where nobody knows whether they arrived', async () => {
    stage.fault({ type: 'lost' })
    await stage.fake.command(TEAM, GENERAL, BEN, 'memory')
    await stage.settle()
    expect(shown()).toMatchObject([{ only: BEN }])
    expect(stage.faults).toMatchObject([{ code: 'PLATFORM_LOST' }])
  })

  test('nothing of them calls anybody', async () => {
    const text = 'Hey <!channel>, <@U0ANN> and @here: [click](https://example.com/evil)'
    await stage.adapter.notify({ ...here, conversation }, { text })
    expect(shown()[0]?.text).toContain('https://example.com/evil')
  })
})

test('who is the first to speak to the bot alone is told what it keeps, once and before the answer', async () => {
  const strangers = await openSlack({ strangers: true })
  try {
    const { direct } = strangers.places
    await strangers.say(direct, ANN, 'hello')
    await strangers.settle()
    await strangers.restart()
    await strangers.say(direct, ANN, 'hello again')
    await strangers.settle()
    const said = strangers.shown(direct).map(({ text }) => text)
    expect(said).toEqual([expect.stringContaining('/claw learn on'), 're: hello', 're: hello again'])
  } finally {
    await strangers.close()
  }
})

describe('/claw export', () => {
  const uploaded = () => [...(stage.fake.teams.get(TEAM)?.files.values() ?? [])]

  test('hands the person the file, where nobody else sees it', async () => {
    await ask('hello')
    await stage.fake.command(TEAM, GENERAL, ANN, 'export')
    await stage.settle()
    expect(uploaded()).toMatchObject([{ name: 'claw-export.json' }])
    expect(JSON.parse(uploaded()[0]?.text ?? '')).toMatchObject({ person: ANN, messages: [{ text: 'hello' }] })
    expect(stage.fake.teams.get(TEAM)?.channels.get(DIRECT)?.messages.size).toBe(1)
    expect(shown().at(-1)).toMatchObject({ only: ANN, text: expect.stringContaining('1 message') })
    expect(shown().at(-1)?.text).not.toContain('/')
  })

  test('says what is missing where it may not', async () => {
    await ask('hello')
    stage.fake.refuse('files.getUploadURLExternal', 'missing_scope')
    await stage.fake.command(TEAM, GENERAL, ANN, 'export')
    await stage.settle()
    expect(uploaded()).toEqual([])
    expect(shown().at(-1)).toMatchObject({ only: ANN, text: expect.stringContaining('files:write') })
  })
})

describe('admins', () => {
  test('are asked for once in five minutes', async () => {
    const { adapter, fake } = stage
    for (let i = 0; i < 3; i++) expect(await adapter.isAdmin(TEAM, ANN)).toBe(true)
    expect(await adapter.isAdmin(TEAM, BEN)).toBe(false)
    expect(fake.calls.filter(({ method }) => method === 'users.info')).toHaveLength(2)
  })

  test('of another organisation are answered, and are none here', async () => {
    expect(await stage.adapter.isAdmin(TEAM, EVA)).toBe(false)
    await stage.say(stage.places.channel, EVA, 'hello', { mention: true })
    await stage.settle()
    expect(shown()).toHaveLength(1)
  })

  test.each([
    ['an admin', { team_id: 'T1', is_admin: true }, true],
    ['the owner', { team_id: 'T1', is_primary_owner: true }, true],
    ['a member', { team_id: 'T1' }, false],
    ['a guest', { team_id: 'T1', is_admin: true, is_restricted: true }, false],
    ['a guest of one channel', { team_id: 'T1', is_admin: true, is_ultra_restricted: true }, false],
    ['a stranger', { team_id: 'T2', is_admin: true, is_stranger: true }, false],
    ['an admin of another workspace', { team_id: 'T2', is_admin: true }, false],
    [
      'one of the organisation who is in this one',
      { team_id: 'T2', is_admin: true, enterprise_user: { teams: ['T1'] } },
      true,
    ],
    ['who has left', { team_id: 'T1', is_admin: true, deleted: true }, false],
    ['a bot', { team_id: 'T1', is_admin: true, is_bot: true }, false],
  ])('%s', (_who, user, admin) => expect(isAdminUser(user, 'T1')).toBe(admin))
})

describe('that it is writing', () => {
  const reactions = (ts: string) => stage.fake.teams.get(TEAM)?.channels.get(DIRECT)?.messages.get(ts)?.reactions ?? []

  test('shows on the question in a direct conversation, until there is something to read', async () => {
    let release = () => {}
    stage.engine.pace = () => new Promise((resolve) => (release = resolve))
    const [, ts = ''] = (await stage.say(stage.places.direct, ANN, 'hello')).split(':')
    await expect.poll(() => reactions(ts)).toEqual([{ name: 'eyes', users: ['U0BOT'] }])
    stage.engine.pace = async () => {}
    release()
    await stage.settle()
    await expect.poll(() => reactions(ts).flatMap(({ users }) => users)).toEqual([])
    expect(await signals()).toEqual([])
  })

  test('shows in threads as Slack does', async () => {
    await ask('hello')
    const status = stage.fake.calls.filter(({ method }) => method === 'assistant.threads.setStatus')
    expect(status).toMatchObject([{ args: { status: 'is writing…' } }])
    expect(stage.fake.calls.filter(({ method }) => method.startsWith('reactions.'))).toEqual([])
  })
})

describe('sending', () => {
  const sent = () => stage.fake.calls.filter(({ method }) => method === 'chat.postMessage')

  test.each(['invalid_blocks', 'msg_blocks_too_long', 'msg_too_long'])(
    '%s: the words go without formatting, once',
    async (error) => {
      stage.fake.refuse('chat.postMessage', error)
      await ask('**hello**')
      expect(sent()).toHaveLength(2)
      expect(shown()).toMatchObject([{ text: 're: hello' }])
    },
  )

  test('an answer that is lost is looked for, and nothing is sent again', async () => {
    stage.fault({ type: 'lost' })
    await ask('hello')
    expect(sent()).toHaveLength(1)
    expect(shown()).toHaveLength(1)
    const outbound = await stage.store.db.selectFrom('outbound').select(['message', 'state']).execute()
    expect(outbound).toEqual([{ message: `${GENERAL}:${shown()[0]?.ts}`, state: 'sent' }])
  })

  test('only what Slack says it did not do is done again, when it says', async () => {
    stage.fault({ type: 'limited', seconds: 1 })
    await ask('hello')
    expect(sent().map(({ error }) => error)).toEqual(['ratelimited', null])
    expect((sent()[1]?.at ?? 0) - (sent()[0]?.at ?? 0)).toBeGreaterThan(950)
  })
})

test('where no workspace is any more nothing is sent', async () => {
  await stage.uninstall(stage.places.channel)
  await stage.store.db.deleteFrom('installations').execute()
  const said = stage.adapter.notify({ ...here, conversation: GENERAL }, { text: 'Hello?' })
  await expect(said).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' })
})

import { REST } from 'discord.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVerbs } from '../../../adapters/discord/verbs.ts'
import { type DiscordStage, discord } from '../../conformance/discord.ts'
import { PERMISSION } from '../../fake-platforms/discord/permissions.ts'
import { question } from '../scripted.ts'

let stage: DiscordStage

beforeEach(async () => {
  stage = await discord.open()
})

afterEach(async () => {
  expect(stage.fake.violations).toEqual([])
  expect(stage.fake.interactions.unanswered()).toEqual([])
  await stage.close()
})

const texts = (place = stage.places.channel) => stage.shown(place).map(({ text }) => text)
const replies = (place = stage.places.channel) => texts(place).filter((text) => text.startsWith('re: '))

describe('when it speaks', () => {
  test('a direct message is answered, as a reply with thumbs', async () => {
    const { direct } = stage.places
    const asked = await stage.say(direct, stage.people.ann, 'hello there')
    await stage.settle()
    expect(stage.shown(direct)[0]?.text).toContain('/claw forget me')
    expect(stage.shown(direct)[1]).toMatchObject({ text: 're: hello there', replyTo: asked, buttons: ['👍', '👎'] })
    expect(stage.faults).toEqual([])
  })

  test('in a channel it answers what mentions it, by name or by its own role, and nothing else', async () => {
    const { channel } = stage.places
    const role = stage.fake.guilds[0].roles.find(({ tags }) => tags !== undefined)?.id
    await stage.say(channel, stage.people.ben, 'nobody asks you')
    await stage.say(channel, stage.people.ben, 'by name', { mention: true })
    await stage.settle()
    await stage.say(channel, stage.people.ben, `<@&${role}> by role`)
    await stage.settle()
    expect(replies()).toEqual(['re: by name', 're: by role'])
  })

  test('in a thread that it is part of no mention is needed, and it answers there', async () => {
    const { channel, elsewhere } = stage.places
    const root = await stage.say(channel, stage.people.ann, 'a root', { mention: true })
    await stage.settle()
    const thread = { ...channel, thread: root }
    await stage.say(thread, stage.people.ann, 'first', { mention: true })
    await stage.settle()
    await stage.say(thread, stage.people.ben, 'second')
    await stage.settle()
    expect(replies(thread)).toEqual(['re: first', 're: second'])
    const outside = stage.shown(channel).filter((one) => one.thread === null)
    expect(outside.map(({ text }) => text).filter((text) => text.startsWith('re: '))).toEqual(['re: a root'])
    expect(texts(elsewhere).filter((text) => text.startsWith('re:'))).toEqual([])
  })

  test('an answer to its reply needs no mention', async () => {
    const { channel } = stage.places
    await stage.say(channel, stage.people.ann, 'one', { mention: true })
    await stage.settle()
    const [reply] = stage.shown(channel).filter(({ text }) => text === 're: one')
    await stage.say(channel, stage.people.ann, 'and two', { replyTo: reply!.id })
    await stage.settle()
    expect(replies()).toEqual(['re: one', 're: and two'])
  })

  test('where it may not write, it says so to the operator and to nobody else', async () => {
    const closed = stage.fake.addChannel(stage.places.channel.workspace, 'closed', PERMISSION.sendMessages)
    await stage.say({ ...stage.places.channel, channel: closed }, stage.people.ann, 'hello', { mention: true })
    await stage.settle()
    expect(stage.fake.shown(closed)).toEqual([])
    expect(stage.faults).toContainEqual(expect.objectContaining({ code: 'PLATFORM_REFUSED' }))
  })
})

test.each([
  ['the channel is closed to it', 'see that channel'],
  ['it may write there no more', 'do that in this channel'],
  ['the channel is deleted', 'no longer has that channel'],
])('where %s while it writes, it says so in a line to the operator, and goes on elsewhere', async (how, said) => {
  const { channel, elsewhere } = stage.places
  const { channels } = stage.fake.world
  const id = stage.fake.addChannel(channel.workspace, 'closing')
  const own = { id: stage.fake.world.bot.id, type: 1 as const, allow: '0' }
  const deny = (bits: bigint) => {
    channels.get(id)!.permission_overwrites = [{ ...own, deny: String(bits) }]
  }
  // What stands may be edited still; the second message is what it may not send.
  stage.engine.answer = () => 'word '.repeat(how === 'it may write there no more' ? 500 : 250)
  let closed = false
  stage.engine.pace = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    if (closed || stage.fake.shown(id).length === 0) return
    closed = true
    if (how === 'the channel is deleted') channels.delete(id)
    else deny(how === 'the channel is closed to it' ? PERMISSION.viewChannel : PERMISSION.sendMessages)
  }
  await stage.say({ ...channel, channel: id }, stage.people.ann, 'go on', { mention: true })
  await stage.settle()
  expect(closed).toBe(true)
  const faults = stage.faults.map(String)
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.length).toBeLessThanOrEqual(2)
  for (const fault of faults) expect(fault).toContain(said)
  expect(stage.adapter.health().state).toBe('connected')
  stage.engine.answer = () => 're: yes'
  await stage.say(elsewhere, stage.people.ann, 'still there?', { mention: true })
  await stage.settle()
  expect(replies(elsewhere)).toEqual(['re: yes'])
  await stage.restart()
  expect(stage.faults.map(String)).toEqual(faults)
})

describe('what is sent', () => {
  test('nothing pings, however the model writes it', async () => {
    stage.engine.answer = () => `@everyone @here <@${stage.people.ben}> <@&123456789012345678> hi`
    await stage.say(stage.places.channel, stage.people.ann, 'ping them', { mention: true })
    await stage.settle()
    const sent = stage.fake.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'))
    for (const { body } of sent) expect(body).toMatchObject({ allowed_mentions: { parse: [], replied_user: false } })
    const [message] = stage.fake.shown(stage.places.channel.channel).slice(-1)
    expect(message).toMatchObject({ mentions: [], mention_roles: [] })
  })

  test('a reply whose question was deleted is sent all the same', async () => {
    const { direct } = stage.places
    let asked = ''
    stage.engine.pace = async () => {
      if (asked !== '' && stage.fake.world.messages.get(direct.channel)?.some(({ id }) => id === asked)) {
        await stage.remove(direct, stage.people.ann, asked)
      }
    }
    asked = await stage.say(direct, stage.people.ann, 'gone soon')
    await stage.settle()
    expect(replies(direct)).toEqual(['re: gone soon'])
  })

  test.each([
    { fault: 'lost', statuses: [0], what: 'is known by its nonce when the gateway tells of it' },
    { fault: 'refused', statuses: [503, 200], what: 'and is not there is sent again under the same nonce' },
  ] as const)('what Discord does not answer $what: one message', async ({ fault, statuses }) => {
    await stage.say(stage.places.direct, stage.people.ann, 'hello')
    await stage.settle()
    const before = stage.fake.calls.length
    stage.fault({ type: fault, times: statuses.length - (fault === 'lost' ? 0 : 1) })
    await stage.say(stage.places.direct, stage.people.ann, 'once')
    await stage.settle()
    expect(replies(stage.places.direct)).toEqual(['re: hello', 're: once'])
    const path = `/channels/${stage.places.direct.channel}/messages`
    const sent = stage.fake.calls.slice(before).filter((call) => call.method === 'POST' && call.path === path)
    expect(sent.map(({ status }) => status)).toEqual(statuses)
    expect(new Set(sent.map(({ body }) => (body as { nonce: string }).nonce)).size).toBe(1)
  })

  test('the first part of a reply is found by its question after a restart, or is surely not there', async () => {
    const { channel } = stage.places
    const first = await stage.say(channel, stage.people.ann, 'answered', { mention: true })
    await stage.settle()
    const second = await stage.say(channel, stage.people.ann, 'not for the bot')
    const { find } = createVerbs(new REST({ api: stage.fake.url, retries: 0 }).setToken(stage.fake.token))
    const about = { ...question(), platform: 'discord', workspace: channel.workspace, conversation: channel.channel }
    const to = (message: string) => ({ ...about, turn: 'turn', message })
    expect(await find?.(to(first), 'turn.0')).toBe(stage.shown(channel).find(({ text }) => text === 're: answered')?.id)
    expect(await find?.(to(second), 'turn.0')).toBeNull()
    expect(await find?.(to(first), 'turn.1')).toBeUndefined()
    // A question that is not there proves nothing: the history may be closed to the bot.
    expect(await find?.(to(String(BigInt(second) + 1n)), 'turn.0')).toBeUndefined()
  })

  test('a refusal with a time is waited for, and sent then', async () => {
    stage.fault({ type: 'limited', seconds: 0.2 })
    await stage.say(stage.places.direct, stage.people.ann, 'later')
    await stage.settle()
    expect(replies(stage.places.direct)).toEqual(['re: later'])
  })
})

describe('commands', () => {
  test('/claw status is answered to its person alone', async () => {
    await stage.command(stage.places.channel, stage.people.ben, 'status')
    await stage.settle()
    const [shown] = stage.shown(stage.places.channel).slice(-1)
    expect(shown?.only).toBe(stage.people.ben)
    expect(shown?.text).toMatch(/learning/i)
  })

  test('what changes something for everybody is said to everybody; only an admin may', async () => {
    await stage.command(stage.places.channel, stage.people.ben, 'learn on')
    await stage.settle()
    await stage.command(stage.places.channel, stage.people.ann, 'learn on')
    await stage.settle()
    const said = stage.shown(stage.places.channel).filter(({ text }) => /admin|Learning is/.test(text))
    expect(said.map(({ only }) => only).slice(-1)).toEqual([null])
    expect(said.map(({ text }) => text).slice(-1)[0]).toMatch(/^Learning is on/)
  })

  test('who takes no direct messages is told once where to ask', async () => {
    const { channel } = stage.places
    stage.fake.direct(stage.people.ben)
    stage.fake.closed.add(stage.people.ben)
    await stage.say(channel, stage.people.ben, 'export', { mention: true })
    await stage.settle()
    expect(texts().filter((text) => text.includes('you take no direct messages'))).toHaveLength(1)
    expect(texts().filter((text) => text.includes('went wrong'))).toEqual([])
  })

  test('an export is a file that only its person sees', async () => {
    await stage.say(stage.places.channel, stage.people.ben, 'remember me', { mention: true })
    await stage.settle()
    await stage.command(stage.places.channel, stage.people.ben, 'export')
    await stage.settle()
    const own = stage.fake.shown(stage.places.channel.channel).filter(({ only }) => only === stage.people.ben)
    expect(own.flatMap(({ attachments }) => attachments.map(({ filename }) => filename))).toEqual(['claw-export.json'])
    expect(own).toHaveLength(2)
  })
})

describe('signals', () => {
  const asked = async (place = stage.places.channel) => {
    await stage.say(place, stage.people.ann, 'a question', { mention: place.channel !== stage.places.direct.channel })
    await stage.settle()
    return stage.shown(place).findLast(({ text }) => text === 're: a question')!.id
  }
  const votes = async () => {
    const rows = await stage.store.db.selectFrom('signals').select(['type', 'content', 'active']).execute()
    const given = rows.filter(({ type }) => type !== 'cleared')
    return given.map(({ type, content, active }) => `${type} ${content} ${active}`)
  }

  test('a reaction counts, taken off it does not, also after a restart', async () => {
    const reply = await asked()
    await stage.restart()
    await stage.react(stage.places.channel, stage.people.ann, reply, '👍🏽')
    await stage.settle()
    expect(await votes()).toEqual([expect.stringMatching(/^reaction 👍\S* 1$/)])
    await stage.restart()
    await stage.unreact(stage.places.channel, stage.people.ann, reply, '👍🏽')
    await stage.settle()
    expect(await votes()).toEqual([expect.stringMatching(/^reaction 👍\S* 0$/)])
  })

  test('a thumb counts, and pressed again is taken back', async () => {
    const reply = await asked()
    await stage.press(stage.places.channel, stage.people.ann, reply, '👍')
    await stage.settle()
    expect(await votes()).toEqual(['button 👍 1'])
    await stage.restart()
    await stage.press(stage.places.channel, stage.people.ann, reply, '👍')
    await stage.settle()
    expect(await votes()).toEqual(['button 👍 0'])
  })

  test('who pressed a thumb is told that it counts, and nobody else is', async () => {
    const reply = await asked()
    const { channel } = stage.places
    const told = () => stage.shown(channel).flatMap(({ only, text }) => (only === null ? [] : [`${only} ${text}`]))
    const everybody = () => stage.shown(channel).filter(({ only }) => only === null).length
    const before = everybody()
    await stage.press(channel, stage.people.ben, reply, '👍')
    await stage.settle()
    await stage.press(channel, stage.people.ben, reply, '👍')
    await stage.settle()
    expect(told()).toEqual([
      `${stage.people.ben} 👍 noted. Press it again to take it back.`,
      `${stage.people.ben} Taken back.`,
    ])
    await stage.command(channel, stage.people.ben, 'optout')
    await stage.settle()
    await stage.press(channel, stage.people.ben, reply, '👍')
    await stage.settle()
    expect(told().at(-1)).toContain('You have opted out')
    expect(everybody()).toBe(before)
  })

  test('a thumb pressed after everything was forgotten is a new one', async () => {
    const reply = await asked()
    const { channel } = stage.places
    await stage.press(channel, stage.people.ben, reply, '👍')
    await stage.settle()
    await stage.command(channel, stage.people.ben, 'forget me yes')
    await stage.settle()
    await stage.press(channel, stage.people.ben, reply, '👍')
    await stage.settle()
    expect(await votes()).toEqual(['button 👍 1'])
  })

  test('a thumb pressed twice at once is taken back', async () => {
    const reply = await asked()
    await stage.press(stage.places.channel, stage.people.ann, reply, '👎')
    await stage.press(stage.places.channel, stage.people.ann, reply, '👎')
    await stage.settle()
    expect(await votes()).toEqual([expect.stringMatching(/ 0$/)])
  })

  test('a thumbs-down without words is asked about where only its person sees it, and the answer is a correction', async () => {
    const reply = await asked()
    await stage.press(stage.places.channel, stage.people.ann, reply, '👎')
    await stage.settle()
    const question = stage.shown(stage.places.channel).findLast(({ buttons }) => buttons.includes('Answer'))
    expect(question).toMatchObject({ only: stage.people.ann, text: expect.stringContaining('should it have been') })
    await stage.answer(stage.places.channel, stage.people.ann, 'shorter please')
    await stage.settle()
    expect(await votes()).toContainEqual('message shorter please 1')
    // It takes the place of the question, which cannot be answered twice.
    const thanks = stage.shown(stage.places.channel).find(({ text }) => text.startsWith('Thank you'))
    expect(thanks).toMatchObject({ id: question?.id, only: stage.people.ann, buttons: [] })
  })

  test('who reacted is asked in a direct message, and the answer is about the reply in the guild', async () => {
    const reply = await asked()
    await stage.react(stage.places.channel, stage.people.ann, reply, '👎')
    await stage.settle()
    const question = stage.fake.shown(stage.places.direct.channel).at(-1)
    expect(question?.content).toContain(`/${stage.places.channel.channel}/${reply}`)
    await stage.answer(stage.places.channel, stage.people.ann, 'in one word')
    await stage.settle()
    const rows = await stage.store.db.selectFrom('signals').select(['workspace', 'content']).execute()
    expect(rows).toContainEqual({ workspace: stage.places.channel.workspace, content: 'in one word' })
  })

  test('all reactions taken off at once count no more', async () => {
    const reply = await asked()
    const { channel } = stage.places
    await stage.react(channel, stage.people.ann, reply, '🔥')
    stage.fake.react(channel.channel, stage.people.ben, reply, '👍', true)
    await stage.settle()
    expect((await votes()).toSorted()).toEqual(['reaction 👍 1', 'reaction 🔥 1'])
    stage.fake.clear(channel.channel, reply, '🔥')
    await stage.settle()
    expect((await votes()).toSorted()).toEqual(['reaction 👍 1', 'reaction 🔥 0'])
    stage.fake.clear(channel.channel, reply, null)
    await stage.settle()
    expect((await votes()).toSorted()).toEqual(['reaction 👍 0', 'reaction 🔥 0'])
  })

  test('Stop is for who asked, and another who presses it is told so alone', async () => {
    const { channel } = stage.places
    stage.engine.answer = () => 'word '.repeat(400)
    const shownStop = () => stage.shown(channel).findLast(({ buttons }) => buttons.includes('Stop'))
    let pressed = false
    stage.engine.pace = async () => {
      const writing = pressed ? undefined : shownStop()
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (writing === undefined) return
      pressed = true
      await stage.press(channel, stage.people.ben, writing.id, 'Stop')
    }
    await stage.say(channel, stage.people.ann, 'go on', { mention: true })
    await stage.settle()
    expect(pressed).toBe(true)
    const told = stage.shown(channel).filter(({ only }) => only === stage.people.ben)
    expect(told.map(({ text }) => text)).toEqual(['Only the person who asked can stop it.'])
    const written = stage.shown(channel).filter(({ text }) => text.startsWith('word'))
    expect(written.map(({ text }) => text.length).reduce((a, b) => a + b)).toBeGreaterThan(1_900)
  })

  test('Stop ends a reply that is being written', async () => {
    stage.engine.answer = () => 'word '.repeat(400)
    const shownStop = () => stage.shown(stage.places.direct).findLast(({ buttons }) => buttons.includes('Stop'))
    let stopped = false
    stage.engine.pace = async () => {
      const writing = stopped ? undefined : shownStop()
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (writing === undefined) return
      stopped = true
      await stage.press(stage.places.direct, stage.people.ann, writing.id, 'Stop')
    }
    await stage.say(stage.places.direct, stage.people.ann, 'go on')
    await stage.settle()
    expect(stopped).toBe(true)
    const [, ...written] = texts(stage.places.direct)
    expect(written).toHaveLength(1)
    expect(written[0]!.length).toBeLessThan(1_500)
  })
})

describe('guilds', () => {
  test('on joining it says once what it keeps, in a channel where it may', async () => {
    const notices = () => texts().filter((text) => text.includes('/claw'))
    expect(notices()).toHaveLength(1)
    await stage.restart()
    stage.fake.outage(stage.places.channel.workspace, true)
    stage.fake.outage(stage.places.channel.workspace, false)
    await stage.settle()
    expect(notices()).toHaveLength(1)
  })

  test('an outage is no leave: nothing is erased', async () => {
    await stage.say(stage.places.channel, stage.people.ann, 'keep me', { mention: true })
    await stage.settle()
    stage.fake.outage(stage.places.channel.workspace, true)
    await stage.settle()
    expect(await said()).toContain('keep me')
  })

  test('being taken out of a guild erases it, and leaves the others', async () => {
    await stage.say(stage.places.channel, stage.people.ann, 'goes', { mention: true })
    await stage.say(stage.places.elsewhere, stage.people.ann, 'stays', { mention: true })
    await stage.settle()
    await stage.uninstall(stage.places.channel)
    await stage.settle()
    expect(await said()).toEqual(['stays'])
  })

  test('being taken out of a guild while it was down erases it as well; another bot erases nothing', async () => {
    await stage.say(stage.places.channel, stage.people.ann, 'goes', { mention: true })
    await stage.say(stage.places.elsewhere, stage.people.ann, 'stays', { mention: true })
    await stage.settle()
    const rows = () => stage.store.db.selectFrom('inbox').select('event').where('type', '=', 'joined').execute()
    const [first] = (await rows()).map(({ event }) => event.split(':')[1])
    expect(first).toBe(stage.fake.world.bot.id)
    await stage.restart(() => stage.uninstall(stage.places.channel))
    expect(await said()).toEqual(['stays'])
    await stage.store.db
      .updateTable('inbox')
      .set((eb) => ({ event: eb.fn('replace', ['event', eb.val(first), eb.val('1')]) }))
      .execute()
    await stage.restart(() => stage.uninstall(stage.places.elsewhere))
    expect(await said()).toEqual(['stays'])
  })

  const said = async () => {
    const rows = await stage.store.db.selectFrom('messages').select('text').where('role', '=', 'user').execute()
    return rows.map(({ text }) => text)
  }
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTelegram } from '../../../adapters/telegram/telegram.ts'
import { loadConfig } from '../../../config/config.ts'
import { activeSignals } from '../../../core/store/signals.ts'
import { openTelegram, type TelegramStage } from '../../conformance/telegram.ts'

let stage: TelegramStage
let [ann, ben] = ['', '']
beforeEach(async () => {
  stage = await openTelegram()
  ;({ ann, ben } = stage.people)
})
afterEach(async () => {
  await stage.close()
})

const texts = (place: { workspace: string; channel: string; thread: string | null }) =>
  stage.shown(place).map(({ text }) => text)

const slowly = async () => {
  await new Promise((resolve) => setTimeout(resolve, 40))
}

async function signals(): Promise<{ type: string; content: string; person: string }[]> {
  const turns = await stage.store.db.selectFrom('turns').select('id').execute()
  return (await Promise.all(turns.map(({ id }) => activeSignals(stage.store.db, id)))).flat()
}

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    if (tries > 600) throw new Error('it never happens')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a private chat', () => {
  test('gets an answer with thumbs, which quotes nothing', async () => {
    const { direct } = stage.places
    await stage.say(direct, ann, 'hello there')
    await stage.settle()
    const reply = stage.shown(direct).find(({ text }) => text === 're: hello there')
    expect(reply).toMatchObject({ buttons: ['👍', '👎'], replyTo: null })
    expect(stage.faults).toEqual([])
  })

  test('shows a draft that can be stopped, and keeps what was written until then', async () => {
    const { direct } = stage.places
    stage.engine.answer = () => 'word '.repeat(200)
    stage.engine.pace = slowly
    await stage.say(direct, ann, 'go')
    await until(() => stage.fake.chat(Number(ann)).drafts.size > 0)
    const [draft] = stage.fake.chat(Number(ann)).drafts.keys()
    stage.fake.stop(Number(ann), draft!)
    await stage.settle()
    const said = texts(direct).find((text) => text.startsWith('word'))!
    expect(said.length).toBeGreaterThan(3)
    expect(said.length).toBeLessThan(600)
    const drafts = stage.fake.calls.filter(({ method }) => method === 'sendMessageDraft')
    expect(drafts[0]?.parameters).toMatchObject({ can_stop: true })
  })

  test('shows the end of a draft that has become too long for one', async () => {
    const { direct } = stage.places
    const words = `x${'🙂'.repeat(2_100)} ${'word '.repeat(20)}`.trim()
    let token = 0
    stage.engine.answer = () => words
    stage.engine.pace = () =>
      ++token === 2_110 ? new Promise((resolve) => setTimeout(resolve, 600)) : Promise.resolve()
    await stage.say(direct, ann, 'go')
    await stage.settle()
    const drafts = stage.fake.calls.flatMap(({ method, parameters: { text } }) =>
      method === 'sendMessageDraft' ? [`${text}`] : [],
    )
    expect(drafts.some((text) => /^…🙂/u.test(text))).toBe(true)
    expect(stage.fake.violations).toEqual([])
    expect(texts(direct).filter((text) => /🙂|word/u.test(text)).length).toBeGreaterThan(1)
  })

  test('shows which thumb was chosen, and a second press takes it back', async () => {
    const { direct } = stage.places
    await stage.say(direct, ann, 'hello')
    await stage.settle()
    const reply = stage.shown(direct).find(({ text }) => text === 're: hello')!
    await stage.press(direct, ann, reply.id, '👍')
    await stage.settle()
    const buttons = () => stage.shown(direct).find(({ id }) => id === reply.id)?.buttons
    expect(await signals()).toMatchObject([{ content: '👍' }])
    await until(() => buttons()?.[0] === '👍 ✓')
    await stage.press(direct, ann, reply.id, '👍 ✓')
    await stage.settle()
    expect(await signals()).toEqual([])
    await until(() => buttons()?.[0] === '👍')
    expect([...stage.fake.queries.values()]).toEqual(['👍 noted', 'Taken back.'])
  })

  test('does not say of a thumb that it is noted to who has opted out', async () => {
    const { direct } = stage.places
    await stage.command(direct, ann, 'optout')
    await stage.say(direct, ann, 'hello')
    await stage.settle()
    const reply = stage.shown(direct).find(({ text }) => text === 're: hello')!
    await stage.press(direct, ann, reply.id, '👍')
    await stage.settle()
    await until(() => stage.fake.queries.size > 0)
    expect([...stage.fake.queries.values()]).toEqual([
      expect.stringMatching(/^You have opted out, so this is not kept/),
    ])
    expect(await signals()).toEqual([])
    expect(stage.shown(direct).find(({ id }) => id === reply.id)?.buttons).toEqual(['👍', '👎'])
  })

  test('is where a reply without thumbs up is asked about; the answer is a correction', async () => {
    const { channel } = stage.places
    await stage.command(channel, ann, 'learn on')
    await stage.say(channel, ann, 'hello', { mention: true })
    await stage.settle()
    const reply = stage.shown(channel).find(({ text }) => text === 're: hello')!
    await stage.react(channel, ann, reply.id, '👎')
    await stage.settle()
    expect(stage.shown(channel)).toContainEqual(
      expect.objectContaining({ text: 'What should it have been?', only: ann }),
    )
    expect(stage.fake.messages(Number(ann)).at(-1)?.external_reply).toMatchObject({
      chat: { id: Number(channel.channel) },
      message_id: Number(reply.id.split(':')[1]),
    })
    await stage.restart()
    await stage.answer(channel, ann, 'Answer in French.')
    await stage.settle()
    expect(await signals()).toContainEqual(expect.objectContaining({ content: 'Answer in French.', person: ann }))
    const thanked = () => [...(stage.fake.chat(Number(ann)).reactions.values().next().value?.values() ?? [])].flat()
    await until(() => thanked().length > 0)
    expect(thanked()).toEqual([{ type: 'emoji', emoji: '🙏' }])
    expect(texts(stage.places.direct).filter((text) => text.startsWith('re:'))).toEqual([])
  })

  test('with several files at once, and with a long text in parts, is answered once', async () => {
    const { direct } = stage.places
    await stage.say(direct, ann, 'look', { files: ['a.pdf', 'b.pdf', 'c.pdf'] })
    await stage.settle()
    const first = stage.shown(direct).filter(({ buttons }) => buttons.length > 0)
    expect(first).toHaveLength(1)
    await stage.say(direct, ann, `${'long '.repeat(819)}!`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await stage.say(direct, ann, 'and its end')
    await stage.settle()
    expect(stage.engine.prompts).toHaveLength(2)
    expect(stage.engine.prompts.at(-1)).toMatch(/!\nand its end$/)
  }, 30_000)
})

test('over a webhook as well, what is sent together is answered once', async () => {
  await stage.close()
  stage = await openTelegram({}, 'webhook')
  const { channel, direct } = stage.places
  await stage.say(direct, ann, `${'long '.repeat(819)}!`)
  await stage.say(direct, ann, 'and its end')
  const album = { media_group_id: 'g' }
  stage.fake.show(Number(ben), Number(ben), { ...album, photo: [{}] })
  stage.fake.show(Number(ben), Number(ben), { ...album, photo: [{}], caption: 'what is it?' })
  await stage.say(channel, ann, `${'text '.repeat(819)}!`)
  await stage.say(channel, ann, 'what about it?', { mention: true })
  await stage.settle()
  const asked = stage.engine.prompts
  expect(asked).toHaveLength(3)
  for (const end of [/!\nand its end$/, /<user>what is it\?$/, /!\nwhat about it\?$/]) {
    expect(asked).toContainEqual(expect.stringMatching(end))
  }
  const shown = texts({ ...direct, channel: ben }).filter((text) => text.startsWith('re:'))
  expect(shown).toEqual([expect.stringContaining('I have not read photo and the rest of the album')])
  expect(await signals()).toEqual([])
  await stage.say(direct, ann, 'thanks')
  await stage.settle()
  expect(stage.engine.prompts.at(-1)).toContain('and its end')
}, 30_000)

describe('what is for one person', () => {
  test('is a file in the private chat, or a line that says how to get it', async () => {
    const { channel, direct } = stage.places
    const to = { platform: 'telegram', workspace: channel.workspace, conversation: channel.channel }
    const file = { name: 'export.json', text: '{"all":"of it"}' }
    await stage.adapter.sendFile?.(to, ann, file)
    expect(texts(direct)).toEqual(['export.json'])
    expect(stage.fake.messages(Number(ann)).at(-1)?.document).toMatchObject({ content: file.text })
    stage.bot.started.delete(Number(ben))
    await expect(stage.adapter.sendFile?.(to, ben, file)).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' })
  })

  test('begins with a notice of what is kept, at Start', async () => {
    stage.fake.say(Number(ann), Number(ann), '/start')
    await stage.settle()
    const [notice = '', help = ''] = texts(stage.places.direct)
    expect(notice).toMatch(/off until an admin turns it on/)
    expect(help).toContain('\n/claw status — what answers, and what waits to be learned\n')
    stage.fake.say(Number(ann), Number(ann), '/start')
    await stage.settle()
    expect(texts(stage.places.direct)).toHaveLength(3)
  })

  test('cut into messages where it is long', async () => {
    const { channel } = stage.places
    const to = { platform: 'telegram', workspace: channel.workspace, conversation: channel.channel }
    const text = Array.from({ length: 600 }, (_, line) => `line ${line} for @everyone`).join('\n')
    await stage.adapter.notify(to, { text })
    const shown = texts(channel)
    expect(shown.length).toBeGreaterThan(3)
    expect(shown.join('\n').replaceAll('\u200B', '')).toBe(text)
  })

  test('and cut between characters where it has no lines', async () => {
    const { channel } = stage.places
    const to = { platform: 'telegram', workspace: channel.workspace, conversation: channel.channel }
    await stage.adapter.notify(to, { text: `x${'🙂'.repeat(3_000)}` })
    expect(texts(channel).map((text) => text.length)).toEqual([4_095, 1_906])
  })
})

describe('a group', () => {
  test('gets an answer to who mentions the bot, quoting the question', async () => {
    const { channel } = stage.places
    const asked = await stage.say(channel, ben, 'hello', { mention: true })
    await stage.say(channel, ben, 'not you')
    await stage.settle()
    const replies = stage.shown(channel).filter(({ text }) => text.startsWith('re:'))
    expect(replies).toMatchObject([{ text: 're: hello', replyTo: asked, buttons: [] }])
  })

  test('sees a reply grow, and only who asked may stop it', async () => {
    const { channel } = stage.places
    stage.engine.answer = () => 'word '.repeat(200)
    stage.engine.pace = slowly
    await stage.say(channel, ann, 'go', { mention: true })
    const written = () => stage.shown(channel).find(({ buttons }) => buttons.includes('⏹ Stop'))
    await until(() => written() !== undefined)
    await stage.press(channel, ben, written()!.id, '⏹ Stop')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(written()).toBeDefined()
    expect([...stage.fake.queries.values()]).toEqual(['Only the person who asked can stop it.'])
    await stage.press(channel, ann, written()!.id, '⏹ Stop')
    await stage.settle()
    expect(stage.shown(channel).at(-1)?.buttons).toEqual([])
    expect(stage.shown(channel).at(-1)!.text.length).toBeLessThan(600)
  })

  test('may take a thumb back, also after a restart', async () => {
    await stage.close()
    stage = await openTelegram({ config: { telegram: { thumbs: true } } })
    const { channel } = stage.places
    await stage.say(channel, ann, 'hello', { mention: true })
    await stage.settle()
    const reply = stage.shown(channel).find(({ text }) => text === 're: hello')!
    const press = async (person: string, thumb: string) => {
      await stage.press(channel, person, reply.id, thumb)
      await stage.settle()
    }
    await press(ann, '👍')
    await press(ben, '👎')
    await stage.restart()
    await press(ann, '👍')
    expect(await signals()).toMatchObject([{ content: '👎', person: ben }])
    await press(ben, '👍')
    expect(await signals()).toMatchObject([{ content: '👍', person: ben }])
    expect([...stage.fake.queries.values()]).toEqual(['👍 noted', '👎 noted', 'Taken back.', '👍 noted'])
  })

  test('keeps the thumbs under a reply that has just ended when somebody presses Stop', async () => {
    await stage.close()
    stage = await openTelegram({ config: { telegram: { thumbs: true } } })
    const { channel } = stage.places
    await stage.say(channel, ann, 'hello', { mention: true })
    await stage.settle()
    const reply = stage.shown(channel).find(({ text }) => text === 're: hello')!
    const number = Number(reply.id.split(':')[1])
    const message = stage.fake.chat(Number(channel.channel)).messages.get(number)!
    const thumbs = message.reply_markup!
    message.reply_markup = { inline_keyboard: [[{ text: '⏹ Stop', callback_data: 'stop:a-turn-that-ended.0' }]] }
    stage.fake.press(Number(channel.channel), Number(ann), number, '⏹ Stop')
    message.reply_markup = thumbs
    await until(() => ![...stage.fake.queries.values()].includes(null))
    expect(stage.fake.calls.filter(({ method }) => method === 'editMessageReplyMarkup')).toEqual([])
  })

  test('has its answers to commands told privately, or in place to who never opened the chat', async () => {
    const { channel } = stage.places
    await stage.command(channel, ann, 'status')
    await stage.settle()
    expect(stage.shown(channel)).toMatchObject([{ only: ann }])
    stage.bot.started.delete(Number(ben))
    await stage.command(channel, ben, 'status')
    await stage.settle()
    expect(stage.shown(channel).filter(({ only }) => only === null)).toHaveLength(1)
  })

  test('lets its admins decide, also those who hide behind it', async () => {
    const chat = Number(stage.places.channel.channel)
    expect(await stage.adapter.isAdmin(`${chat}`, ann)).toBe(true)
    expect(await stage.adapter.isAdmin(`${chat}`, ben)).toBe(false)
    expect(await stage.adapter.isAdmin(`${chat}`, `${chat}`)).toBe(true)
    expect(await stage.adapter.isAdmin(ann, ann)).toBe(true)
    expect(await stage.adapter.isAdmin(ann, ben)).toBe(false)
    stage.fake.sayAnonymously(chat, '/claw@claw_bot learn on')
    await stage.settle()
    const known = await stage.store.db
      .selectFrom('workspaces')
      .select('learning')
      .where('workspace', '=', `${chat}`)
      .execute()
    expect(known).toEqual([{ learning: 1 }])
  })

  test('has topics, and is answered in the one where it asks', async () => {
    const { channel } = stage.places
    const topic = stage.fake.openTopic(Number(channel.channel), Number(ann), 'Boats')
    const there = { ...channel, thread: `${topic}` }
    await stage.say(there, ann, 'hello', { mention: true })
    await stage.settle()
    expect(stage.shown(there)).toMatchObject([{ text: 're: hello', thread: `${topic}` }])
  })

  test('may say for each topic when the bot speaks there; asked once, it does not stay', async () => {
    const { channel } = stage.places
    const [boats, cars] = ['Boats', 'Cars'].map((name) => ({
      ...channel,
      thread: `${stage.fake.openTopic(Number(channel.channel), Number(ann), name)}`,
    })) as [typeof channel, typeof channel]
    const replies = () => [boats, cars].map((topic) => texts(topic).filter((text) => text.startsWith('re:')))
    for (const topic of [boats, cars]) {
      await stage.say(topic, ann, 'hello', { mention: true })
      await stage.say(topic, ben, 'among ourselves')
    }
    await stage.settle()
    expect(replies()).toEqual([['re: hello'], ['re: hello']])
    await stage.command(boats, ann, 'channel all')
    await stage.settle()
    for (const topic of [boats, cars]) await stage.say(topic, ben, 'and now')
    await stage.settle()
    expect(replies()).toEqual([['re: hello', 're: and now'], ['re: hello']])
  })
})

describe('the connection', () => {
  test('confirms only what is durable', async () => {
    const { channel } = stage.places
    await stage.adapter.stop()
    const refusing = stage.fake.calls.length
    const { telegram: config } = loadConfig({ dataDir: 'nowhere', telegram: { apiUrl: stage.fake.url } }, {})
    const { db } = stage.store
    const adapter = createTelegram({ token: stage.bot.token, webhookSecret: null, config, db, report() {} })
    let refusals = 2
    const taken: string[] = []
    await adapter.start(async (event) => {
      if (refusals-- > 0) throw new Error('the disk is full')
      taken.push(event.id)
    })
    await stage.say(channel, ann, 'hello', { mention: true })
    await until(() => taken.length > 0)
    await until(() => stage.fake.pending() === 0)
    expect(adapter.health().state).toBe('connected')
    const offsets = stage.fake.calls.slice(refusing).filter(({ method }) => method === 'getUpdates')
    expect(offsets.filter(({ parameters }) => parameters.offset === 0).length).toBeGreaterThan(2)
    await adapter.stop()
  })

  test('comes back after it broke', async () => {
    const { direct } = stage.places
    stage.fault({ type: 'disconnect' })
    await until(() => stage.adapter.health().state === 'connecting')
    await stage.say(direct, ann, 'hello')
    await stage.settle()
    expect(stage.adapter.health()).toMatchObject({ state: 'connected', detail: null })
    expect(texts(direct)).toContain('re: hello')
  })

  test('offers what admins may do to admins alone', () => {
    const menus = [...stage.bot.commands].map(([scope, commands]) => [scope, JSON.stringify(commands)] as const)
    expect(menus).toHaveLength(3)
    for (const [scope, commands] of menus) {
      expect(commands.includes('learn_on')).toBe(!scope.includes('all_group_chats'))
    }
  })
})

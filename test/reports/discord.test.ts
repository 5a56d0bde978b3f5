import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Listening, listen } from '../adapters/discord/heard.ts'
import { type DiscordStage, discord } from '../conformance/discord.ts'

let stage: DiscordStage

const texts = (place = stage.places.channel) => stage.shown(place).map(({ text }) => text)
const replies = (place = stage.places.channel) => texts(place).filter((text) => text.startsWith('re: '))
const edits = () => stage.fake.calls.filter(({ method, path }) => method === 'PATCH' && path.startsWith('/channels/'))
const signals = async () => {
  const rows = await stage.store.db.selectFrom('signals').select(['content', 'active']).execute()
  return rows.map(({ content, active }) => `${content} ${active}`)
}

async function ask(text: string, place = stage.places.channel): Promise<string> {
  await stage.say(place, stage.people.ann, text, { mention: place.channel !== stage.places.direct.channel })
  await stage.settle()
  return stage.shown(place).findLast((shown) => shown.text === `re: ${text}`)!.id
}

describe('with the loop behind it', () => {
  beforeEach(async () => {
    stage = await discord.open()
  })

  afterEach(async () => {
    expect(stage.fake.violations).toEqual([])
    await stage.close()
  })

  test('discord.js#4321, discord.js#6662, discord.js#3232, discord.js#4921: reactions on messages that no cache knows are heard, added and removed', async () => {
    const reply = await ask('before the restart')
    await stage.restart()
    await stage.react(stage.places.channel, stage.people.ben, reply, '👍')
    await stage.settle()
    expect(await signals()).toEqual(['👍 1'])
    await stage.restart()
    await stage.unreact(stage.places.channel, stage.people.ben, reply, '👍')
    await stage.settle()
    expect(await signals()).toEqual(['👍 0'])
  })

  test('openclaw#62165, OpenTag#29, discourse-ai#507: it never answers itself, its own edits, or another bot', async () => {
    await ask('hello')
    const own = stage.shown(stage.places.channel).findLast(({ text }) => text === 're: hello')!
    stage.fake.edit(stage.places.channel.channel, own.id, `<@${stage.fake.world.bot.id}> edited`)
    for (let round = 0; round < 30; round += 1) {
      await stage.say(stage.places.channel, '', `round ${round}`, { bot: true, mention: true })
    }
    await stage.settle()
    expect(replies()).toEqual([])
    expect(stage.engine.prompts).toHaveLength(1)
  })

  test('yetibot#952, openclaw#136674, openclaw#38505, openclaw#20173: an edit before the answer changes the question, one after it is evidence, the same words are nothing', async () => {
    const { direct } = stage.places
    let asked = ''
    let held = true
    stage.engine.pace = async () => {
      while (held) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await stage.say(direct, stage.people.ann, 'first')
    asked = await stage.say(direct, stage.people.ann, 'secnd')
    await stage.edit(direct, stage.people.ann, asked, 'second')
    await stage.fake.gateway.flush()
    await new Promise((resolve) => setTimeout(resolve, 100))
    held = false
    await stage.settle()
    expect(replies(direct)).toEqual(['re: first', 're: second'])
    await stage.edit(direct, stage.people.ann, asked, 'second')
    await stage.settle()
    expect((await signals()).filter((signal) => signal === 'second 1')).toEqual([])
    await stage.edit(direct, stage.people.ann, asked, 'second, and shorter')
    await stage.settle()
    expect(await signals()).toContain('second, and shorter 1')
    expect(stage.engine.prompts.length).toBeLessThanOrEqual(3)
  })

  test('use-agent-os/agent-os#2282, use-agent-os/agent-os#1659, use-agent-os/agent-os#2075, openclaw#110148: long code is split within 2,000 characters, every fence closed and opened again', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `const line${at} = ${at} // and some more of it`)
    stage.engine.answer = () => `\`\`\`${'x'.repeat(1_900)}\n${lines.join('\n')}\n\`\`\``
    await stage.say(stage.places.direct, stage.people.ann, 'code please')
    await stage.settle()
    const shown = texts(stage.places.direct).slice(1)
    expect(shown.length).toBeGreaterThan(5)
    for (const text of shown) {
      expect(text.length).toBeLessThanOrEqual(2_000)
      expect(text.split('```').length % 2).toBe(1)
    }
    for (const line of lines) expect(shown.some((text) => text.includes(line))).toBe(true)
    expect(stage.shown(stage.places.direct).map(({ buttons }) => buttons.length)).toEqual([
      0,
      ...shown.slice(1).map(() => 0),
      2,
    ])
  })

  test('agno#7360, lettabot#433, anything-llm#5447, chatgpt-telegram#22: edits are paced, wait as long as they are told to, and the whole text always gets there', async () => {
    const words = Array.from({ length: 120 }, (_, at) => `word${at} `).join('')
    stage.engine.answer = () => words
    stage.engine.pace = () => new Promise((resolve) => setTimeout(resolve, 3))
    let limited = false
    const watch = setInterval(() => {
      if (limited || edits().length === 0) return
      limited = true
      stage.fault({ type: 'limited', seconds: 1.5 })
    }, 5)
    await stage.say(stage.places.direct, stage.people.ann, 'at length')
    await stage.settle()
    clearInterval(watch)
    expect(texts(stage.places.direct).slice(1)).toEqual([words.trim()])
    const times = edits().map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - times[index]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_100)
    const refused = edits().findIndex(({ status }) => status === 429)
    expect(refused).toBeGreaterThan(0)
    expect(gaps[refused]).toBeGreaterThanOrEqual(1_450)
  })

  test('openclaw#55792, openclaw#77594: what was said while it was down is answered, once', async () => {
    await ask('before', stage.places.direct)
    await ask('in the channel')
    await stage.restart(async () => {
      await stage.say(stage.places.direct, stage.people.ann, 'missed one')
      await stage.say(stage.places.direct, stage.people.ann, 'missed two')
      await stage.say(stage.places.channel, stage.people.ben, 'not for you')
      await stage.say(stage.places.channel, stage.people.ben, 'missed three', { mention: true })
    })
    await stage.settle()
    expect(replies(stage.places.direct)).toEqual(['re: before', 're: missed one', 're: missed two'])
    expect(replies()).toEqual(['re: in the channel', 're: missed three'])
    await stage.restart()
    expect(replies(stage.places.direct)).toHaveLength(3)
  })
})

describe('the adapter alone', () => {
  let open: Listening | null = null

  afterEach(async () => {
    await open?.close()
    open = null
  })

  test('openclaw#55240, openclaw#77923, openclaw#56455, discord.js#7005, discord.js#8789: a command is acknowledged first, and may take its time after that', async () => {
    open = await listen({
      deliver: async ({ type }) => {
        if (type === 'command') await new Promise((resolve) => setTimeout(resolve, 3_200))
      },
    })
    const { fake, adapter, general, until, events } = open
    await until(() => fake.commands.size > 0)
    const begun = Date.now()
    fake.command(general, fake.people.ann.id, 'status')
    // The event loop is busy for a second.
    while (Date.now() - begun < 1_000);
    await until(() => events.some(({ type }) => type === 'command'))
    const callback = fake.calls.find(({ path }) => path.endsWith('/callback'))
    expect(callback).toMatchObject({ status: 204, body: { type: 5, data: { flags: 64 } } })
    expect(callback!.at - begun).toBeLessThan(2_500)
    const command = events.find(({ type }) => type === 'command')!
    await adapter.notify(command, { text: 'done', only: fake.people.ann.id, command: command.id })
    expect(fake.shown(general).at(-1)).toMatchObject({ content: 'done', only: fake.people.ann.id })
    expect(fake.interactions.unanswered()).toEqual([])
    expect(open.faults).toEqual([])
  })

  test('discord-api-docs#1669, discord-api-docs#5406, discord.py#2476, Discord4J#260: a preview that loads is no edit', async () => {
    open = await listen()
    const { fake, general, heard, until } = open
    const message = fake.say(general, fake.people.ann.id, 'see https://example.com')
    fake.unfurl(general, message)
    fake.edit(general, message, 'look at https://example.com')
    fake.unfurl(general, message)
    fake.say(general, fake.people.ann.id, 'last')
    await until(() => heard().some((event) => event.type === 'message' && event.text === 'last'))
    const edited = heard().filter(({ type }) => type === 'edit')
    // Loading after an edit repeats the edit's own id, and ends at the inbox.
    expect(new Set(edited.map(({ id }) => id)).size).toBe(1)
    expect(heard().map(({ type }) => type)).toEqual(['message', 'edit', 'edit', 'message'])
  })

  test('hermes-agent#58893, opensre#6048, smithers#812, lingtai#199: however Discord fails, the token is in no error and in no status', async () => {
    open = await listen()
    const { fake, adapter, general, faults } = open
    const to = { platform: 'discord', workspace: fake.guilds[0].id, conversation: general }
    const say = () => adapter.notify(to, { text: 'hello' })
    const failures: unknown[] = []
    const keep = (error: unknown) => failures.push(error)
    fake.fault({ type: 'refused', times: 2 })
    await say().catch(keep)
    fake.fault({ type: 'lost', times: 2 })
    await say().catch(keep)
    await adapter.notify({ ...to, conversation: '1' }, { text: 'hello' }).catch(keep)
    fake.portal.token = 'another'
    await say().catch(keep)
    await fake.close()
    await say().catch(keep)
    expect(failures).toHaveLength(5)
    const said = [...failures, ...faults].map((error) => deepText(error)).join('\n')
    expect(said).toContain('PLATFORM_LOST')
    expect(said).not.toContain(fake.token)
    expect(JSON.stringify(adapter.health())).not.toContain(fake.token)
  })
})

/** Everything that a careless log line could show of an error. */
function deepText(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return JSON.stringify(error) ?? String(error)
  const own = Object.getOwnPropertyNames(error).map((name) => {
    const value: unknown = Reflect.get(error, name)
    return `${name}: ${value instanceof Error ? deepText(value, depth + 1) : JSON.stringify(value)}`
  })
  return own.join('\n')
}

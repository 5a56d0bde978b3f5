import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkTelegram } from '../../adapters/telegram/checklist.ts'
import { createTelegram } from '../../adapters/telegram/telegram.ts'
import { loadConfig } from '../../config/config.ts'
import { activeSignals } from '../../core/store/signals.ts'
import type { Store } from '../../core/store/store.ts'
import type { Event } from '../../core/types.ts'
import type { Shown } from '../conformance/stage.ts'
import { openTelegram, type TelegramStage } from '../conformance/telegram.ts'
import { type FakeTelegram, fakeToken, startFakeTelegram } from '../fake-platforms/telegram/fake.ts'
import { newPlace, type Place } from '../stores.ts'

let place: Place
let store: Store
beforeAll(async () => {
  place = await newPlace()
  store = await place.open()
})
afterAll(async () => {
  await store.close()
  place.remove()
})

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(...options: Parameters<typeof openTelegram>): Promise<TelegramStage> {
  const stage = await openTelegram(...options)
  closing.push(stage.close)
  return stage
}

async function server(): Promise<FakeTelegram> {
  const fake = await startFakeTelegram()
  closing.push(fake.close)
  return fake
}

/** The adapter alone, with what it delivers and reports. */
function adapterOf(apiUrl: string, token: string, settings: object = {}) {
  const events: Event[] = []
  const reports: unknown[] = []
  const { telegram: config } = loadConfig({ dataDir: 'nowhere', telegram: { apiUrl, ...settings } }, {})
  const report = (error: unknown) => reports.push(error)
  const adapter = createTelegram({ token, webhookSecret: null, config, db: store.db, report })
  closing.push(adapter.stop)
  const start = () =>
    adapter.start(async (event) => {
      events.push(event)
    })
  return { adapter, events, reports, start }
}

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    if (tries > 800) throw new Error('it never happens')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const replies = (shown: readonly Shown[]) => shown.filter(({ text }) => text.startsWith('re: '))

/** Asks in the channel; returns the reply. */
async function ask(stage: TelegramStage, text: string): Promise<Shown> {
  const { channel } = stage.places
  await stage.say(channel, stage.people.ann, text, { mention: true })
  await stage.settle()
  return replies(stage.shown(channel)).at(-1)!
}

async function votes(stage: TelegramStage): Promise<string[]> {
  const turns = await stage.store.db.selectFrom('turns').select('id').execute()
  const signals = await Promise.all(turns.map(({ id }) => activeSignals(stage.store.db, id)))
  return signals.flat().flatMap(({ type, content }) => (type === 'reaction' ? [content] : []))
}

describe('reports of Telegram', () => {
  test('openclaw#45289, #59207: after a restart reactions still find their reply, in whatever order they come', async () => {
    const stage = await open()
    const { channel } = stage.places
    const { ann, ben } = stage.people
    const first = await ask(stage, 'one')
    await ask(stage, 'two')
    await stage.restart()
    stage.fault({ type: 'reorder', count: 2 })
    await stage.react(channel, ann, first.id, '👍')
    await stage.react(channel, ben, first.id, '🔥')
    await stage.settle()
    expect((await votes(stage)).sort()).toEqual(['👍', '🔥'])
    await stage.unreact(channel, ann, first.id, '👍')
    await stage.settle()
    expect(await votes(stage)).toEqual(['🔥'])
  })

  test('openclaw#20176, #43730: reactions are asked for by name, a bot that cannot get them is said to, buttons do it as well', async () => {
    const stage = await open()
    const asked = stage.fake.calls.find(({ method }) => method === 'getUpdates')
    expect(asked?.parameters.allowed_updates).toEqual(expect.arrayContaining(['message_reaction', 'callback_query']))
    const { direct } = stage.places
    await stage.say(direct, stage.people.ann, 'hi')
    await stage.settle()
    const reply = stage.shown(direct).find(({ text }) => text === 're: hi')!
    await stage.press(direct, stage.people.ann, reply.id, '👎')
    await stage.settle()
    expect(await votes(stage)).toEqual(['👎'])
    const group = stage.fake.addChat({ id: -77, type: 'group', title: 'Team' }, { [stage.bot.user.id]: 'member' })
    const found = await checkTelegram(stage.bot.token, stage.fake.url, { chats: [group], polling: true })
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['privacy mode', 'not an admin']))
  })

  test.each(['immich_server', 'v1.2 (a-b)!', 'a lone * star', 'https://example.org/a_b_c_d', '**bold** and `code`'])(
    'crewly#697, eliza#12037: %s is sent whatever Telegram thinks of the formatting',
    async (text) => {
      const stage = await open()
      stage.engine.answer = () => text
      stage.fake.refuseFormatting(10)
      const { direct } = stage.places
      await stage.say(direct, stage.people.ann, 'go')
      await stage.settle()
      const said = stage.shown(direct).filter(({ buttons }) => buttons.length > 0)
      expect(said.map((shown) => shown.text)).toEqual([text.replace(/\*\*|`/g, '')])
    },
  )

  test('agno#7360, lettabot#433: a limit on edits is kept to, and the whole reply gets there', async () => {
    const stage = await open()
    const { channel } = stage.places
    let token = 0
    stage.engine.answer = () => 'word '.repeat(24).trim()
    stage.engine.pace = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      token += 1
      if (token === 60) stage.fault({ type: 'limited', seconds: 3 })
    }
    await stage.say(channel, stage.people.ann, 'go', { mention: true })
    await stage.settle()
    expect(stage.shown(channel).at(-1)?.text).toBe('word '.repeat(24).trim())
    const shown = stage.fake.calls.filter(({ method }) => ['sendMessage', 'editMessageText'].includes(method))
    const gaps = shown.slice(1).map(({ at }, index) => at - shown[index]!.at)
    expect(gaps.length).toBeGreaterThan(2)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_450)
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(2_900)
  }, 30_000)

  test('openclaw#739, #46674: what is not confirmed comes again after a restart, and is answered once', async () => {
    const stage = await open()
    await ask(stage, 'one')
    await ask(stage, 'two')
    await stage.restart(async () => stage.bot.queue.replay(10))
    await stage.settle()
    expect(replies(stage.shown(stage.places.channel))).toHaveLength(2)
  })

  test('openclaw#39010, #122886: another token with smaller update ids is not taken for old news', async () => {
    const fake = await server()
    fake.addUser({ id: 42, first_name: 'Ann' })
    fake.addChat({ id: 42, type: 'private', first_name: 'Ann' })
    const ids: string[] = []
    for (const [id, nextUpdate] of [
      [7_000_000_001, 5_000],
      [7_000_000_002, 1],
    ] as const) {
      const bot = fake.addBot({ id, nextUpdate })
      const { adapter, events, start } = adapterOf(fake.url, bot.token)
      await start()
      fake.say(42, 42, 'hi')
      await until(() => events.length > 0)
      await adapter.stop()
      ids.push(
        ...events.map((event) => event.id),
        ...events.map((event) => 'message' in event && event.message).map(String),
      )
      bot.started.clear()
    }
    expect(new Set(ids).size).toBe(4)
  })

  test('openclaw#69304: a second poller is said to be one, waited for, and no error ends the bot', async () => {
    const fake = await server()
    const bot = fake.addBot()
    const [first, second] = [adapterOf(fake.url, bot.token), adapterOf(fake.url, bot.token)]
    await first.start()
    await until(() => bot.queue.polled)
    await second.start()
    await until(() => first.adapter.health().state === 'connecting')
    expect(first.adapter.health().detail).toMatch(/Another program asks for updates with the same token/)
    expect(first.reports).toHaveLength(1)
    await second.adapter.stop()
    await until(() => bot.queue.polled)
    const asked = fake.calls.filter(({ method }) => method === 'getUpdates')
    expect(asked.length).toBeLessThan(12)
  }, 20_000)

  test('hermes-agent#58893, opensre#6048: however Telegram fails, the token is in nothing that anybody sees', async () => {
    const fake = await server()
    const token = fakeToken(7_000_000_001)
    const seen: unknown[] = []
    const to = { platform: 'telegram', workspace: '42', conversation: '42' }
    const trials: [url: string, token: string][] = [
      ['http://127.0.0.1:9', token],
      ['http://name.invalid', token],
      [fake.url, token],
      [`${fake.url}/nowhere`, token],
    ]
    for (const [url, secret] of trials) {
      const { adapter, reports, start } = adapterOf(url, secret)
      const thrown = await adapter.isAdmin('-77', '42').catch((error: unknown) => error)
      const told = adapter.ask?.(to, { person: '42', message: '42:1', text: 'What?' }).catch((error: unknown) => error)
      await start()
      seen.push(thrown, await told, reports, adapter.health())
      await adapter.stop()
    }
    const all = seen
      .map((one) => `${inspect(one, { depth: 20, showHidden: true })} ${(one as Error)?.stack}`)
      .join('\n')
    expect(all).toContain('ECONNREFUSED')
    expect(all).not.toContain('A'.repeat(35))
    expect(all).not.toContain('/bot')
  }, 20_000)

  test('telegraph#692, openclaw#906: a group that becomes a supergroup keeps everything', async () => {
    const stage = await open()
    const { fake, bot } = stage
    const members = { 42: 'creator', [bot.user.id]: 'administrator' } as const
    const group = fake.addChat({ id: -500, type: 'group', title: 'Team' }, members)
    const old = { workspace: `${group}`, channel: `${group}`, thread: null }
    await stage.command(old, stage.people.ann, 'learn on')
    await stage.say(old, stage.people.ann, 'before', { mention: true })
    await stage.settle()
    const moved = `${fake.migrate(group)}`
    // Whatever becomes of the old group, nothing of it goes.
    fake.setStatus(group, bot.user.id, 'left', 42)
    const next = { workspace: moved, channel: moved, thread: null }
    await stage.settle()
    await stage.say(next, stage.people.ann, 'after', { mention: true })
    await stage.settle()
    expect(replies(stage.shown(next)).map(({ text }) => text)).toEqual(['re: after'])
    expect(stage.engine.prompts.at(-1)).toContain('before')
    const kept = await stage.store.db.selectFrom('workspaces').select(['workspace', 'learning']).execute()
    expect(kept.filter(({ workspace }) => workspace === moved)).toMatchObject([{ learning: 1 }])
    expect(kept.some(({ workspace }) => workspace === old.workspace)).toBe(false)
  })

  test('gatus#179: what is sent to a group that has moved goes to where it is now', async () => {
    const fake = await server()
    fake.addUser({ id: 42, first_name: 'Ann' })
    const bot = fake.addBot()
    const group = fake.addChat({ id: -500, type: 'group', title: 'Team' }, { 42: 'creator', [bot.user.id]: 'member' })
    const { adapter, events, start } = adapterOf(fake.url, bot.token)
    const moved = fake.migrate(group)
    await adapter.notify({ platform: 'telegram', workspace: `${group}`, conversation: `${group}` }, { text: 'news' })
    expect(fake.messages(moved).at(-1)?.text).toBe('news')
    await start()
    await until(() => events.length > 1)
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([`moved:${moved}`]))
  })

  test('openclaw#62165, OpenTag#29: the bot answers neither itself nor other bots', async () => {
    const stage = await open()
    const { channel } = stage.places
    for (let round = 0; round < 30; round++) {
      await stage.say(channel, stage.people.ann, 'hello you', { mention: true, bot: true })
    }
    const reply = await ask(stage, 'me')
    await stage.settle()
    expect(replies(stage.shown(channel)).map(({ id }) => id)).toEqual([reply.id])
  })

  test('yetibot#952, openclaw#136674: an edit before the answer is the question; the same words again are nothing', async () => {
    const stage = await open()
    const { channel } = stage.places
    const { ann } = stage.people
    stage.fault({ type: 'slow', ms: 100, times: 3 })
    const asked = await stage.say(channel, ann, 'helo', { mention: true })
    await stage.edit(channel, ann, asked, '@claw_bot hello')
    await stage.settle()
    await stage.edit(channel, ann, asked, '@claw_bot hello')
    await stage.settle()
    expect(replies(stage.shown(channel))).toHaveLength(1)
    expect(await votes(stage)).toEqual([])
  })

  test('openclaw#55792, #77594: what was said while the bot was down is answered when it is back', async () => {
    const stage = await open()
    const { channel } = stage.places
    await stage.restart(async () => {
      await stage.say(channel, stage.people.ann, 'first', { mention: true })
      await stage.say(channel, stage.people.ben, 'second', { mention: true })
    })
    await stage.settle()
    expect(replies(stage.shown(channel)).map(({ text }) => text)).toEqual(['re: first', 're: second'])
  })
})

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Known } from '../../../core/store/known.ts'
import type { Tables } from '../../../core/store/schema.ts'
import { admits } from '../../../core/stream/admission.ts'
import { mayGoOn } from '../../../core/stream/loop-guard.ts'
import { turnId } from '../../../core/stream/turns.ts'
import type { Event } from '../../../core/types.ts'
import { home, type Loop, type LoopOptions, startLoop } from '../loop.ts'

let loop: Loop

async function open(options: LoopOptions = {}): Promise<void> {
  loop = await startLoop(options)
}

afterEach(() => loop?.close())

const ann = { id: 'ann', kind: 'human' } as const
const robot = { id: 'robot', kind: 'bot' } as const
const self = { id: 'claw', kind: 'self' } as const
const heard = { channel: 'c', conversation: 'c', overheard: true } as const

describe('what is the bot’s business', () => {
  const base = { ...home, conversation: 'c:1', channel: 'c', id: 'e', at: 1, person: ann }
  const nothing: Known = { speak: 'mention', thread: false, reply: false, sending: false, said: false }
  const kinds = {
    message: { ...base, type: 'message', message: 'm', text: 'hello' },
    edit: { ...base, type: 'edit', message: 'm', text: 'hello' },
    deletion: { ...base, type: 'deletion', message: 'm' },
    reaction: { ...base, type: 'reaction', message: 'm', emoji: '👍' },
    removed: { ...base, type: 'reaction_removed', message: 'm', emoji: '👍' },
    cleared: { ...base, type: 'reactions_cleared', message: 'm', emoji: null },
    button: { ...base, type: 'button', message: 'm', value: 'up' },
    correction: { ...base, type: 'correction', message: 'm', text: 'shorter' },
    command: { ...base, type: 'command', text: 'status' },
    joined: { ...base, type: 'joined' },
    left: { ...base, type: 'left' },
    moved: { ...base, type: 'moved', to: 'b' },
  } satisfies Record<string, Event>
  type Kind = keyof typeof kinds
  const all = Object.keys(kinds) as Kind[]
  const aboutReplies: Kind[] = ['deletion', 'reaction', 'removed', 'cleared', 'button', 'correction', 'edit']
  const always: Kind[] = ['command', 'joined', 'left', 'moved']
  const notMessage = all.filter((kind) => kind !== 'message')
  const facts: Kind[] = ['deletion', 'cleared', 'joined', 'left', 'moved']

  test.each<[string, Partial<Event>, Partial<Known>, boolean, Kind[]]>([
    ['addressed', {}, {}, false, all],
    ['overheard', { overheard: true }, {}, false, always],
    ['overheard in a thread of its own', { overheard: true }, { thread: true }, false, ['message', ...always]],
    ['overheard where it hears everything', { overheard: true }, { speak: 'all' }, false, ['message', ...always]],
    ['overheard about a reply', { overheard: true }, { reply: true }, false, ['message', ...aboutReplies, ...always]],
    [
      'overheard while a reply is sent',
      { overheard: true },
      { sending: true },
      false,
      ['reaction', 'removed', 'cleared', 'button', 'correction', ...always],
    ],
    ['overheard about what was said', { overheard: true }, { said: true }, false, ['edit', 'deletion', ...always]],
    [
      'addressed where it is kept out',
      ...([{}, { speak: 'off' }, false] as const),
      all.filter((kind) => kind !== 'message' && kind !== 'edit'),
    ],
    ['reworded for it where it was kept out later', {}, { speak: 'off', said: true }, false, notMessage],
    ['in its thread where it is kept out', { overheard: true }, { speak: 'off', thread: true }, false, always],
    ['of another bot', { person: robot }, {}, false, facts],
    ['of another bot that may speak', { person: robot }, {}, true, ['message', ...facts]],
    ['overheard of another bot', { person: robot, overheard: true }, {}, true, ['joined', 'left', 'moved']],
    ['of itself', { person: self }, { speak: 'all', thread: true, reply: true }, true, facts],
  ])('%s', (_name, event, known, bots, taken) => {
    const found = all.filter((kind) => admits({ ...kinds[kind], ...event } as Event, { ...nothing, ...known }, bots))
    expect(found.sort()).toEqual([...new Set(taken)].sort())
  })

  test('without a channel nobody can keep it out of one', () => {
    const { channel: _, ...direct } = kinds.message
    expect(admits(direct, { ...nothing, speak: 'off' }, false)).toBe(true)
  })
})

/** Every row of every table that anything of people can stand in. */
async function rows(): Promise<unknown[]> {
  const found: unknown[] = []
  for (const { name } of await loop.store.db.introspection.getTables()) {
    if (name === 'migrations' || name === 'commits') continue
    found.push(
      ...(await loop.store.db
        .selectFrom(name as keyof Tables)
        .selectAll()
        .execute()),
    )
  }
  return found
}

describe('overheard', () => {
  test('what is not taken is stored nowhere', async () => {
    await open()
    await loop.say({ text: 'between us', ...heard })
    await loop.send('reaction', { message: 'theirs', emoji: '👍', ...heard })
    await loop.send('edit', { message: 'theirs', text: 'us two', ...heard })
    await loop.send('deletion', { message: 'theirs', ...heard })
    await loop.say({ text: 'buy', person: robot })
    await loop.say({ text: 'me', person: self })
    await loop.runtime.idle()
    expect(await rows()).toEqual([])
  })

  test('a thread that it was mentioned in goes on without mentions, the channel does not', async () => {
    await open()
    await loop.ask('hello', { channel: 'c', conversation: 'c:1' })
    await loop.ask('and more', { channel: 'c', conversation: 'c:1', overheard: true })
    await loop.say({ text: 'not you', channel: 'c', conversation: 'c:2', overheard: true })
    await loop.ask('hello', { channel: 'd', conversation: 'd' })
    await loop.say({ text: 'nor you', channel: 'd', conversation: 'd', overheard: true })
    await loop.runtime.idle()
    expect([...loop.platform.replies.values()]).toEqual(['re: hello', 're: and more', 're: hello'])
  })

  test('a thread that began with a file, or whose reply failed, goes on as well', async () => {
    await open()
    await loop.say({ text: '', unread: ['a.pdf'], channel: 'c', conversation: 'c:1' })
    await loop.ask('in words then', { channel: 'c', conversation: 'c:1', overheard: true })
    loop.engine.answer = () => {
      throw new Error('no')
    }
    await loop.say({ text: 'hello', channel: 'c', conversation: 'c:2' })
    await loop.runtime.idle()
    loop.engine.answer = () => 'yes'
    await loop.ask('once more', { channel: 'c', conversation: 'c:2', overheard: true })
    expect([...loop.platform.replies.values()]).toEqual(['re: in words then', 'yes'])
  })

  test('a reaction while a reply is handed over waits for it in its channel, and is stored nowhere in another', async () => {
    await open()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { reply } = loop.platform
    loop.platform.reply = (to) => {
      const stream = reply(to)
      return {
        ...stream,
        async finish(text) {
          await to.delivery.sending(0)
          await held
          return stream.finish(text)
        },
      }
    }
    const waiting = () => loop.store.db.selectFrom('signals').select(['message', 'turn']).execute()
    await loop.say({ text: 'hello', channel: 'c', conversation: 'c:1' })
    await expect.poll(() => loop.store.db.selectFrom('deliveries').selectAll().execute()).toHaveLength(1)
    loop.platform.named = () => ['c:7']
    for (const channel of ['c', 'd']) {
      const message = `${channel}:7`
      const place = { ...home, channel, conversation: message, overheard: true } as const
      const about = { id: message, person: ann, at: loop.now(), type: 'reaction', message, emoji: '👍' } as const
      await loop.runtime.deliver({ ...place, ...about })
    }
    release()
    await loop.runtime.idle()
    expect(await waiting()).toMatchObject([{ message: 'c:7', turn: expect.any(String) }])
  })

  test('both at once are both taken, in one transaction', async () => {
    await open()
    const mention = loop.say({ text: 'hello', channel: 'c', conversation: 'c:1' })
    const next = loop.say({ text: 'and more', channel: 'c', conversation: 'c:1', overheard: true })
    await Promise.all([mention, next])
    await loop.runtime.idle()
    expect(loop.platform.replies.size).toBe(2)
  })

  test('openclaw#45289: a reaction, its removal and a quote find the reply, also after a restart', async () => {
    await open()
    const message = await loop.ask('hello', { channel: 'c' })
    await loop.restart()
    await loop.send('reaction', { message, emoji: '👍', ...heard })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toMatchObject([{ reward: 1 }])
    await loop.send('reaction_removed', { message, emoji: '👍', ...heard })
    await loop.say({ text: 'and why?', replyTo: message, ...heard })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toEqual([])
    expect(loop.platform.replies.size).toBe(2)
  })

  test('an edit and a deletion find what was said to it', async () => {
    await open()
    const { message } = await loop.say({ text: 'hello', channel: 'c' })
    await loop.runtime.idle()
    await loop.send('deletion', { message, ...heard })
    await loop.ask('next', { channel: 'c' })
    expect(loop.engine.prompts.at(-1)).not.toContain('<user>hello')
  })

  test('channels are the operator’s choice and then their admins’', async () => {
    await open({ channels: { speak: 'all' } })
    await loop.ask('one', heard)
    const row = { platform: home.platform, workspace: home.workspace, channel: 'c' }
    await loop.store.db
      .insertInto('channels')
      .values({ ...row, speak: 'off' })
      .execute()
    await loop.say({ text: 'two', channel: 'c' })
    await loop.store.db.updateTable('channels').set({ speak: 'mention' }).execute()
    await loop.say({ text: 'three', ...heard })
    await loop.ask('four', { ...heard, channel: 'd', conversation: 'd' })
    expect([...loop.platform.replies.values()]).toEqual(['re: one', 're: four'])
  })
})

test('openclaw#23103, openclaw#34833: one post that comes as message and as mention, in any order and however often, is one turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ post: fc.nat(3), mention: fc.boolean(), together: fc.boolean() }), { maxLength: 16 }),
      async (arrivals) => {
        await open()
        const waiting: Promise<void>[] = []
        for (const { post, mention, together } of arrivals) {
          const about = { ...home, channel: 'c', conversation: `c:${post}`, id: `message:c:${post}`, at: post + 1 }
          const event: Event = { ...about, type: 'message', message: `c:${post}`, text: `${post}`, person: ann }
          waiting.push(loop.runtime.deliver(mention ? event : { ...event, overheard: true }))
          if (!together) await Promise.all(waiting)
        }
        await Promise.all(waiting)
        await loop.runtime.idle()
        const mentioned = new Set(arrivals.filter(({ mention }) => mention).map(({ post }) => post))
        const turns = [...mentioned].map((post) => turnId({ ...home, id: `message:c:${post}` }))
        expect([...loop.platform.replies.keys()].sort()).toEqual(turns.sort())
        expect(loop.engine.prompts).toHaveLength(mentioned.size)
        await loop.close()
      },
    ),
    { numRuns: 15, interruptAfterTimeLimit: 10_000 },
  )
  await open()
}, 30_000)

describe('other bots', () => {
  test('are left alone once they talk too much, until they have been quiet', () => {
    const times: number[] = []
    const answered: boolean[] = []
    for (let i = 0; i < 30; i++) {
      answered.push(mayGoOn(times, i * 1_000))
      times.push(i * 1_000)
    }
    expect(answered.filter(Boolean)).toHaveLength(20)
    expect(mayGoOn(times, 45_000)).toBe(false)
    expect(mayGoOn(times, 95_000)).toBe(true)
    const slow = Array.from({ length: 100 }, (_, i) => i * 30_000)
    expect(mayGoOn(slow, 3_000_000)).toBe(false)
  })

  test('openclaw#62165: are answered where the operator lets them, at most twenty times, and nothing is learned from them', async () => {
    await open({ channels: { bots: true } })
    for (let i = 0; i < 30; i++) {
      await loop.runtime.deliver({
        ...home,
        ...{ id: `b${i}`, at: loop.now(), person: robot, type: 'message', message: `b${i}`, text: 'you are wrong' },
      })
    }
    await loop.runtime.idle()
    expect(loop.platform.replies.size).toBe(20)
    const turns = await loop.store.db.selectFrom('turns').select('kind').execute()
    expect(new Set(turns.map(({ kind }) => kind))).toEqual(new Set(['side']))
    expect(await loop.store.db.selectFrom('signals').selectAll().execute()).toEqual([])
    expect(await loop.store.db.selectFrom('people').selectAll().execute()).toEqual([])
  })
})

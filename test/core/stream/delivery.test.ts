import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDelivery } from '../../../core/store/deliveries.ts'
import type { ReplyTo } from '../../../core/stream/outlet.ts'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

/** What a platform shows, by message. */
let shown: Map<string, string>
/** Called when a part is sent, before and after it is there. */
let fault: (when: 'before' | 'after', part: number) => void

beforeEach(async () => {
  loop = await startLoop()
  shown = new Map()
  fault = () => {}
  loop.platform.reply = (to) => replyStream(to)
})

afterEach(() => loop.close())

/** Two messages a reply, the second once it is finished; what was handed over before is edited, or left alone. */
function replyStream({ turn, delivery }: ReplyTo) {
  const messages = [...delivery.parts]
  const show = async (part: number, text: string) => {
    const known = messages[part]
    if (known === null) return
    if (known !== undefined) return void shown.set(known, text)
    await delivery.sending(part)
    fault('before', part)
    const message = `${turn}#${shown.size}`
    shown.set(message, text)
    fault('after', part)
    await delivery.sent(part, message)
    messages[part] = message
  }
  return {
    write() {},
    async finish(text: string) {
      await show(0, text)
      await show(1, 'the end')
      return messages.filter((message) => message != null)
    },
    fail: (notice: string) => show(0, notice),
  }
}

const log = () => loop.store.db.selectFrom('deliveries').select(['part', 'message']).orderBy('part').execute()

describe('a reply is sent at most once', () => {
  test('and the log of it ends with it', async () => {
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect([...shown.values()]).toEqual(['re: hello', 'the end'])
    expect(await log()).toEqual([])
    const sent = await loop.store.db.selectFrom('outbound').select('message').orderBy('chunk').execute()
    expect(sent.map(({ message }) => message)).toEqual([...shown.keys()])
  })

  test.each([
    ['before the first part was shown', 'before', 0, ['the end']],
    ['after it was shown and before its name was known', 'after', 0, ['re: hello', 'the end']],
    ['before the second', 'before', 1, ['re: hello']],
    ['after the second', 'after', 1, ['re: hello', 'the end']],
  ] as const)('when the answer is lost %s', async (_name, when, part, texts) => {
    fault = (...at) => {
      if (at[0] !== when || at[1] !== part) return
      fault = () => {}
      throw new Error('lost')
    }
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect([...shown.values()]).toEqual(texts)
    expect(await log()).toEqual([])
    expect(loop.engine.prompts).toHaveLength(1)
  })

  test('and its person is told where nobody knows of any of it whether it was shown', async () => {
    const finish = async () => []
    loop.platform.reply = () => ({ write() {}, finish, fail: async () => {} })
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect(loop.platform.notices.at(-1)).toMatch(/may not have reached you/)
    loop.platform.notify = () => Promise.reject(new Error('nor this'))
    await loop.say({ text: 'hello?' })
    await loop.runtime.idle()
    expect(loop.faults).toEqual([new Error('nor this')])
    const failed = await loop.store.db.selectFrom('inbox').select('error').where('error', 'is not', null).execute()
    expect(failed).toEqual([])
  })

  test.each([0, 1] as const)(
    'when the rest of it will not come, what is shown is spoken of: opted out %d',
    async (out) => {
      await loop.ask('before')
      await loop.store.db.updateTable('people').set({ opted_out: out }).execute()
      fault = (when, part) => {
        if (when === 'before' && part === 1) throw new Error('refused')
      }
      const show = loop.platform.reply
      loop.platform.reply = (to) => {
        const delivery = { ...to.delivery, parts: to.delivery.parts.slice(0, 1) }
        return show({ ...to, delivery })
      }
      await loop.say({ text: 'hello' })
      await loop.runtime.idle()
      const message = [...shown.keys()].at(-1)!
      await loop.send('reaction', { message, emoji: '👍' })
      await loop.runtime.idle()
      expect(await loop.store.batch(home, 9)).toMatchObject(out === 0 ? [{ reward: 1 }] : [])
      const turn = await loop.store.db
        .selectFrom('turns')
        .select(['text'])
        .orderBy('position', 'desc')
        .executeTakeFirst()
      expect(turn?.text).toBe(out === 0 ? 're: hello' : '')
      const failed = await loop.store.db.selectFrom('inbox').select('error').where('error', 'is not', null).execute()
      expect(failed).toEqual([{ error: 'refused' }])
      expect(await log()).toEqual([])
    },
  )

  test('unless the platform has refused it: then it is handed over once more', async () => {
    let refusals = 1
    loop.platform.reply = (to) => ({
      write() {},
      async finish(text) {
        if (to.delivery.parts.length > 0) return []
        await to.delivery.sending(0)
        if (refusals-- > 0) {
          await to.delivery.refused(0)
          throw new Error('refused')
        }
        shown.set('one', text)
        await to.delivery.sent(0, 'one')
        return ['one']
      },
      fail: async () => {},
    })
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect([...shown]).toEqual([['one', 're: hello']])
    expect(await log()).toEqual([])
  })

  test('when the program is killed after the first part, the next life edits it', async () => {
    let died = () => {}
    const dead = new Promise<void>((resolve) => (died = resolve))
    loop.platform.reply = (to) => ({
      ...replyStream(to),
      async finish(text) {
        await to.delivery.sending(0)
        shown.set('first', text.slice(0, 2))
        await to.delivery.sent(0, 'first')
        died()
        throw new Error('killed')
      },
      fail: async () => {},
    })
    await loop.say({ text: 'hello' })
    await dead
    loop.platform.reply = (to) => replyStream(to)
    await loop.restart()
    await loop.runtime.idle()
    expect(shown.get('first')).toBe('re: hello')
    expect([...shown.values()]).toEqual(['re: hello', 'the end'])
  })

  test('when it was being written, the reply that is made anew takes the place of what was shown', async () => {
    let stuck = false
    const { pace } = loop.engine
    loop.platform.reply = (to) => ({
      ...replyStream(to),
      write() {
        if (stuck) return
        stuck = true
        void to.delivery.sending(0).then(() => {
          shown.set('first', 're')
          return to.delivery.sent(0, 'first')
        })
      },
    })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    loop.engine.pace = () => (stuck ? held : Promise.resolve())
    await loop.say({ text: 'hello' })
    await expect.poll(log).toEqual([{ part: 0, message: 'first' }])
    loop.platform.reply = (to) => replyStream(to)
    loop.engine.pace = pace
    loop.runtime.stop()
    release()
    await loop.restart()
    await loop.runtime.idle()
    expect([...shown]).toEqual([
      ['first', 're: hello'],
      [expect.any(String), 'the end'],
    ])
  })

  test('and a reaction on it while it is under way is taken and finds it', async () => {
    let turn = ''
    const react = async (to: ReplyTo, message: string) => {
      const overheard = { channel: 'c', conversation: 'c', overheard: true } as const
      await loop.send('reaction', { message, emoji: '👍', ...overheard, conversation: 'elsewhere' })
      turn = to.turn
    }
    loop.platform.reply = (to) => {
      const stream = replyStream(to)
      return {
        ...stream,
        async finish(text) {
          const messages = await stream.finish(text)
          await react(to, messages[1]!)
          return messages
        },
      }
    }
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect(await loop.store.batch(home, 9)).toMatchObject([{ turn, reward: 1 }])
  })

  test('as is the line that says why there is none', async () => {
    fault = (when) => {
      if (when === 'after') throw new Error('lost')
    }
    loop.engine.answer = () => {
      throw new Error('no memory')
    }
    await loop.say({ text: 'hello' })
    await loop.runtime.idle()
    expect([...shown.values()]).toEqual(['Sorry, I could not answer: something inside went wrong.'])
    expect(await log()).toEqual([])
  })

  test('and forgetting while it is under way leaves nothing of it', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    loop.platform.reply = (to) => {
      const stream = replyStream(to)
      return {
        ...stream,
        async finish(text) {
          await to.delivery.sending(0)
          await held
          return stream.finish(text)
        },
      }
    }
    await loop.say({ text: 'hello' })
    await expect.poll(log).toHaveLength(1)
    await loop.send('command', { text: '/claw forget me yes', conversation: 'elsewhere' })
    await expect.poll(() => loop.platform.notices.length).toBe(1)
    expect(await log()).toEqual([])
    release()
    await loop.runtime.idle()
    await loop.restart()
    expect(await log()).toEqual([])
  })
})

test('a part that was refused is on record as not handed over, whatever follows it', async () => {
  const open = () => openDelivery(loop.store.db, home, 1, Date.now)
  const { parts, ...delivery } = await open()
  expect(parts).toEqual([])
  for (const part of [0, 1, 2]) await delivery.sending(part)
  await delivery.sent(1, 'm1')
  await delivery.refused(0)
  await delivery.refused(1)
  expect((await open()).parts).toEqual([undefined, 'm1', null])
})

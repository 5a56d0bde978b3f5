import { afterEach, describe, expect, test } from 'vitest'
import { checkDiscord } from '../../../adapters/discord/invite.ts'
import { type Listening, type ListeningOptions, listen } from './heard.ts'

let open: Listening | null = null

const start = async (options: ListeningOptions = {}) => {
  open = await listen(options)
  return open
}

afterEach(async () => {
  await open?.close()
  open = null
})

const texts = ({ heard }: Listening) => heard().flatMap((event) => ('text' in event ? [event.text] : []))

describe('refused', () => {
  test('an unknown token is said to be one, with what to do, and is nowhere in it', async () => {
    const { adapter, fake, faults } = await start({ given: ['no', 'such', 'token'].join('.') })
    expect(adapter.health()).toMatchObject({ state: 'refused', detail: expect.stringContaining('Reset Token') })
    expect(JSON.stringify([adapter.health(), faults.map(String)])).not.toContain('no.such.token')
    expect(fake.gateway.counts.identified).toBe(0)
  })

  test('close code 4014 names the switch in the developer portal', async () => {
    const { adapter } = await start({ messageContent: false })
    expect(adapter.health()).toMatchObject({ state: 'refused', detail: expect.stringContaining('4014') })
    expect(adapter.health().detail).toContain('"Message Content Intent"')
  })

  test('a token that is taken back later ends in refused, not in an endless loop', async () => {
    const { adapter, fake, until } = await start()
    fake.portal.token = 'another'
    fake.gateway.drop(4004)
    await until(() => adapter.health().state === 'refused')
    expect(adapter.health().detail).toContain('Reset Token')
  })
})

describe('a connection that breaks', () => {
  test('is resumed, and what was missed is replayed once', async () => {
    const listening = await start()
    const { fake, general, until } = listening
    const say = (text: string) => fake.say(general, fake.people.ann.id, text)
    say('before')
    await until(() => texts(listening).length === 1)
    fake.gateway.drop()
    say('between one')
    say('between two')
    await until(() => texts(listening).length === 3)
    say('after')
    await until(() => texts(listening).length === 4)
    expect(texts(listening)).toEqual(['before', 'between one', 'between two', 'after'])
    expect(fake.gateway.counts).toEqual({ identified: 1, resumed: 1 })
    expect(listening.adapter.health().state).toBe('connected')
  })

  test('that cannot be made yet is made as soon as it can', async () => {
    const { adapter, until, faults } = await start({ late: true })
    expect(faults).toContainEqual(expect.objectContaining({ state: 'connecting', detail: 'Discord cannot be reached' }))
    await until(() => adapter.health().state === 'connected')
    expect(adapter.health().detail).toBeNull()
  })

  test('op 7 is followed, and the session goes on', async () => {
    const listening = await start()
    const { fake, general, until } = listening
    fake.gateway.reconnect()
    await until(() => fake.gateway.counts.resumed === 1)
    fake.say(general, fake.people.ann.id, 'still there')
    await until(() => texts(listening).length === 1)
  })

  test('a gateway that answers with an error is asked again until it takes the connection', async () => {
    const listening = await start()
    const { fake, general, until, adapter } = listening
    fake.gateway.admit('refused')
    fake.gateway.drop()
    await until(() => adapter.health().state === 'connecting')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    fake.say(general, fake.people.ann.id, 'meanwhile')
    fake.gateway.admit('taken')
    await until(() => texts(listening).includes('meanwhile'))
    expect(adapter.health().state).toBe('connected')
  })

  test('a connection that was given up before it stood may fail afterwards', async () => {
    const listening = await start({ silenceMs: 400, heartbeatMs: 100 })
    const { fake, general, until, adapter } = listening
    fake.gateway.admit('left waiting')
    fake.gateway.drop()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    fake.gateway.admit('taken')
    await until(() => adapter.health().state === 'connected' && fake.gateway.listening())
    fake.say(general, fake.people.ann.id, 'there again')
    await until(() => texts(listening).includes('there again'))
  })

  test('what discord.js cannot read does not end the process, and the rest is heard', async () => {
    const listening = await start()
    const { fake, general, until, faults } = listening
    fake.gateway.dispatch({ type: 'CHANNEL_CREATE', intent: 1, guild: null, data: () => null as never })
    fake.say(general, fake.people.ann.id, 'go on')
    await until(() => texts(listening).includes('go on'))
    expect(faults).not.toEqual([])
  })

  test('replayed reactions carry the same ids', async () => {
    const { fake, general, until, heard } = await start()
    const message = fake.say(general, fake.people.ann.id, 'hello')
    fake.fault({ type: 'duplicate', copies: 2 })
    fake.react(general, fake.people.ben.id, message, '👍')
    fake.react(general, fake.people.ben.id, message, '🔥')
    await until(() => heard().length === 4)
    const ids = heard().map(({ id }) => id)
    expect(ids[1]).toBe(ids[2])
    expect(new Set(ids).size).toBe(3)
  })

  test('a socket that is dead without knowing it is replaced by another', async () => {
    const listening = await start({ silenceMs: 400, heartbeatMs: 100 })
    const { fake, general, until, adapter } = listening
    fake.gateway.mute(true)
    await until(() => adapter.health().state !== 'connected')
    fake.gateway.mute(false)
    await until(() => adapter.health().state === 'connected' && fake.gateway.listening())
    fake.say(general, fake.people.ann.id, 'awake again')
    await until(() => texts(listening).includes('awake again'))
  })

  test('what cannot be written down yet is kept, in order, until it can', async () => {
    let broken = 3
    const listening = await start({
      deliver: async ({ type }) => {
        const { ClawError } = await import('../../../core/errors.ts')
        if (type === 'message' && broken-- > 0) throw new ClawError('STORE_UNREACHABLE', 'not now')
      },
    })
    const { fake, general, until } = listening
    for (const text of ['one', 'two', 'three']) fake.say(general, fake.people.ann.id, text)
    await until(() => texts(listening).length === 3)
    expect(texts(listening)).toEqual(['one', 'two', 'three'])
  })
})

test('a press whose writing down has to be tried again is not taken for a second press', async () => {
  let broken = 1
  const { fake, general, until, events, adapter } = await start({
    deliver: async ({ type }) => {
      const { ClawError } = await import('../../../core/errors.ts')
      if (type === 'button' && broken-- > 0) throw new ClawError('STORE_UNREACHABLE', 'not now')
    },
  })
  const to = { platform: 'discord', workspace: fake.guilds[0].id, conversation: general }
  const delivery = { parts: [], sending: async () => {}, sent: async () => {}, refused: async () => {} }
  const reply = adapter.reply({
    ...to,
    turn: 'abcdefghijklmnop',
    message: general,
    person: fake.people.ann.id,
    delivery,
  })
  const [message = ''] = await reply.finish('an answer')
  fake.press(general, fake.people.ann.id, message, '👍')
  await until(() => events.some(({ type }) => type === 'button'))
  expect(events.filter(({ type }) => type === 'button')).toMatchObject([{ value: 'up' }])
})

test('a direct message is of one person, also where Discord does not say of whom', async () => {
  const { fake, events, faults, until } = await start()
  const conversation = fake.direct(fake.people.ann.id)
  fake.portal.token = 'another'
  fake.say(conversation, fake.people.ann.id, 'between us')
  await until(() => faults.length > 0)
  expect(events.filter(({ type }) => type === 'message')).toEqual([])
})

test('it stops soon, also where the other end has vanished', async () => {
  const { fake, adapter } = await start()
  fake.gateway.mute(true)
  const begun = Date.now()
  await adapter.stop()
  expect(Date.now() - begun).toBeLessThan(5_000)
})

test('it stops at once, also while something cannot be written down', async () => {
  const { fake, general, until, adapter, faults } = await start({
    deliver: async ({ type }) => {
      const { ClawError } = await import('../../../core/errors.ts')
      if (type === 'message') throw new ClawError('STORE_UNREACHABLE', 'not now')
    },
  })
  fake.say(general, fake.people.ann.id, 'hello')
  await until(() => faults.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(faults).toHaveLength(1)
  const begun = Date.now()
  await adapter.stop()
  expect(Date.now() - begun).toBeLessThan(500)
})

test('commands are registered where they differ from what is registered, and else left alone', async () => {
  const { fake, until } = await start()
  const puts = () => fake.calls.filter(({ method }) => method === 'PUT').length
  await until(() => puts() === 1)
  fake.gateway.expire()
  fake.gateway.drop()
  await until(() => fake.gateway.counts.identified === 2)
  await until(() => fake.calls.filter(({ path }) => path.endsWith('/commands')).length === 3)
  expect(puts()).toBe(1)
  expect(fake.violations).toEqual([])
})

describe('doctor', () => {
  test('finds nothing wrong where nothing is, and names the servers', async () => {
    const { fake } = await start()
    expect(await checkDiscord(fake.token, fake.url)).toEqual({
      application: { id: fake.world.applicationId, name: 'claw' },
      servers: ['Harbour', 'Meadow'],
      findings: [],
    })
  })

  test('tells the switch that is off, the missing server, the wrong token and silence apart', async () => {
    const { fake } = await start({ messageContent: false })
    for (const { id } of fake.guilds) fake.kick(id)
    const names = async (token = fake.token, url = fake.url) => {
      const { findings } = await checkDiscord(token, url)
      return findings.map(({ name }) => name)
    }
    expect(await names()).toEqual(['intent off', 'in no server'])
    expect(await names('another')).toEqual(['token'])
    expect(await names(fake.token, 'http://127.0.0.1:1')).toEqual(['unreachable'])
  })
})

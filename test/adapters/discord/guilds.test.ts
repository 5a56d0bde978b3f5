import { REST } from 'discord.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isGone, shardOf } from '../../../adapters/discord/guilds.ts'
import { type DiscordStage, discord } from '../../conformance/discord.ts'
import { type FakeDiscord, startFakeDiscord } from '../../fake-platforms/discord/discord.ts'
import { PERMISSION } from '../../fake-platforms/discord/permissions.ts'
import { type Listening, listen } from './heard.ts'

describe('whether a guild was left', () => {
  let fake: FakeDiscord
  const ask = (token = fake.token) => isGone(new REST({ api: fake.url, retries: 0 }).setToken(token), fake.guilds[0].id)

  beforeEach(async () => {
    fake = await startFakeDiscord()
  })

  test('is what Discord says of it', async () => {
    expect(await ask()).toBe(false)
    fake.kick(fake.guilds[0].id)
    expect(await ask()).toBe(true)
    await fake.close()
  })

  test('is not said by a failure', async () => {
    await expect(ask('another')).rejects.toMatchObject({ message: 'Discord does not know the token' })
    await fake.close()
    // Whether a kept connection was cut or a new one was refused.
    await expect(ask()).rejects.toThrow(/^Discord (did not answer|cannot be reached)/)
  })
})

describe('with the loop behind it', () => {
  let stage: DiscordStage
  const replies = (place = stage.places.channel) =>
    stage.shown(place).flatMap(({ text }) => (text.startsWith('re: ') ? [text] : []))

  beforeEach(async () => {
    stage = await discord.open()
  })

  afterEach(async () => {
    expect(stage.fake.violations).toEqual([])
    await stage.close()
  })

  test('a mention while it was down is answered also where it has never spoken', async () => {
    const { channel, elsewhere } = stage.places
    await stage.say(channel, stage.people.ann, 'before', { mention: true })
    await stage.settle()
    const fresh = { ...channel, channel: stage.fake.addChannel(channel.workspace, 'fresh') }
    const closed = stage.fake.addChannel(channel.workspace, 'closed', PERMISSION.viewChannel)
    await stage.restart(async () => {
      await stage.say(fresh, stage.people.ben, 'not for you')
      await stage.say(fresh, stage.people.ben, 'for you', { mention: true })
      await stage.say(elsewhere, stage.people.ben, 'there too', { mention: true })
      await stage.say({ ...channel, channel: closed }, stage.people.ben, 'unseen', { mention: true })
    })
    await stage.settle()
    expect(replies(fresh)).toEqual(['re: for you'])
    expect(replies(elsewhere)).toEqual(['re: there too'])
    expect(stage.faults).toEqual([])
  })

  test('a guild that was left while it was down keeps nothing of another from being heard', async () => {
    const { channel, elsewhere } = stage.places
    await stage.say(channel, stage.people.ann, 'before', { mention: true })
    await stage.settle()
    const { db } = stage.store
    const long = Date.now() - 3_600_000
    await db.updateTable('inbox').set({ received_at: long }).execute()
    stage.fake.say(elsewhere.channel, stage.people.ben, 'just talk')
    const message = stage.fake.world.messages.get(elsewhere.channel)!
    await stage.restart(async () => {
      await stage.say(elsewhere, stage.people.ben, 'half an hour ago', { mention: true })
      const said = message.pop()!
      const id = String(((BigInt(Date.now() - 1_800_000) - 1_420_070_400_000n) << 22n) + 1n)
      message.push({ ...said, id, timestamp: new Date(Date.now() - 1_800_000).toISOString() })
      stage.fake.guilds[1].joined_at = new Date(long).toISOString()
      stage.fake.kick(channel.workspace)
    })
    await stage.settle()
    expect(replies(elsewhere)).toEqual(['re: half an hour ago'])
  })

  test('of more than it catches up with, the newest is what it hears', async () => {
    const { channel } = stage.places
    await stage.say(channel, stage.people.ann, 'before', { mention: true })
    await stage.settle()
    await stage.restart(async () => {
      await stage.say(channel, stage.people.ben, 'too long ago', { mention: true })
      for (let at = 0; at < 520; at += 1) stage.fake.say(channel.channel, stage.people.ben, `talk ${at}`)
      await stage.say(channel, stage.people.ben, 'just now', { mention: true })
    })
    await stage.settle()
    expect(replies()).toEqual(['re: before', 're: just now'])
  })

  test('what it joined after is none of its business', async () => {
    const { channel, elsewhere } = stage.places
    await stage.say(channel, stage.people.ann, 'before', { mention: true })
    await stage.settle()
    await stage.restart(async () => {
      stage.fake.kick(elsewhere.workspace)
      await stage.say(elsewhere, stage.people.ben, 'long ago', { mention: true })
      await new Promise((resolve) => setTimeout(resolve, 5))
      stage.fake.invite(elsewhere.workspace)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await stage.say(elsewhere, stage.people.ben, 'welcome', { mention: true })
    })
    await stage.settle()
    expect(replies(elsewhere)).toEqual(['re: welcome'])
  })

  test('what was not for it when it was said is not for it after a restart either', async () => {
    const { channel } = stage.places
    const root = await stage.say(channel, stage.people.ann, 'a root')
    const thread = { ...channel, thread: root }
    await stage.say(thread, stage.people.ben, 'among ourselves')
    await stage.say(thread, stage.people.ann, 'now you', { mention: true })
    await stage.settle()
    await stage.restart()
    await stage.settle()
    expect(replies(thread)).toEqual(['re: now you'])
  })

  test('where it could speak nowhere when it joined, its notice comes when it can', async () => {
    const { elsewhere } = stage.places
    const at = stage.fake.world.channels.get(elsewhere.channel)!
    const notices = () => stage.shown(elsewhere).filter(({ text }) => text.includes('/claw forget me')).length
    stage.fake.kick(elsewhere.workspace)
    await stage.settle()
    const before = notices()
    const own = { id: stage.fake.world.bot.id, type: 1 as const, allow: '0' }
    at.permission_overwrites = [{ ...own, deny: String(PERMISSION.sendMessages) }]
    stage.fake.invite(elsewhere.workspace)
    await stage.settle()
    expect(notices()).toBe(before)
    at.permission_overwrites = []
    await stage.restart()
    await stage.restart()
    expect(notices()).toBe(before + 1)
  })
})

describe('several shards', () => {
  let open: Listening | null = null

  afterEach(async () => {
    await open?.close()
    open = null
  })

  test('all of them are heard, each is watched, and each tells of its own guilds', async () => {
    // Ids are of one time each, so that the guilds are on two shards.
    let clock = Date.now()
    open = await listen({ shards: 4, now: () => clock++ })
    const { fake, until, heard, adapter, events, faults } = open
    const [one, other] = fake.guilds
    expect(shardOf(one.id, 4)).not.toBe(shardOf(other.id, 4))
    await until(() => adapter.health().state === 'connected')
    expect(fake.gateway.counts.identified).toBe(4)
    for (const guild of fake.guilds) fake.say(guild.system_channel_id ?? '', fake.people.ann.id, guild.name)
    fake.say(fake.direct(fake.people.ben.id), fake.people.ben.id, 'direct')
    await until(() => heard().length === 3)
    expect(
      heard()
        .map(({ workspace }) => workspace)
        .toSorted(),
    ).toEqual([one.id, other.id, `dm:${fake.people.ben.id}`].toSorted())
    expect(events.filter(({ type }) => type === 'left')).toEqual([])
    expect(fake.commands.size).toBe(1)
    expect(faults).toEqual([])
  })
})

import { afterEach, describe, expect, test } from 'vitest'
import { home, type Loop, type LoopOptions, startLoop } from '../loop.ts'

let loop: Loop

const open = async (options: LoopOptions = {}) => {
  loop = await startLoop(options)
}

afterEach(() => loop.close())

const ann = { id: 'ann', kind: 'human' } as const
const bob = { id: 'bob', kind: 'human' } as const

async function command(text: string, over: object = {}): Promise<string> {
  await loop.send('command', { text, channel: 'c', ...over })
  await loop.runtime.idle()
  return loop.platform.notices.at(-1) ?? ''
}

describe('channel', () => {
  test('is for admins, in a channel, and holds for all conversations there and for no other channel', async () => {
    await open()
    expect(await command('channel off', { person: bob })).toMatch('Only an admin')
    expect(await command('channel off', { channel: undefined })).toMatch('Say that in the channel')
    expect(await command('channel off')).toBe('From now on I am silent in this channel.')
    await loop.say({ text: 'one', channel: 'c' })
    expect(await command('status')).toMatch('In this channel I am silent.')
    expect(await command('channel all')).toMatch('answer everything')
    await loop.ask('two', { channel: 'c', overheard: true, conversation: 'c:2' })
    await loop.say({ text: 'three', channel: 'd', overheard: true })
    expect(await command('channel mention')).toMatch('when I am addressed')
    await loop.say({ text: 'four', channel: 'c', overheard: true, conversation: 'c:4' })
    await loop.runtime.idle()
    expect([...loop.platform.replies.values()]).toEqual(['re: two'])
  })
})

describe('retention', () => {
  const DAY = 24 * 3_600_000
  let count = 0
  const play = (at: number, over: object = {}) =>
    loop.play({
      ...{ ...home, id: `p${count++}`, at, person: ann, type: 'message', message: `p${count}`, text: 'hello' },
      ...over,
    } as never)
  const texts = async () => {
    const found: string[] = []
    for (const { name } of await loop.store.db.introspection.getTables()) {
      found.push(
        JSON.stringify(
          await loop.store.db
            .selectFrom(name as 'turns')
            .selectAll()
            .execute(),
        ),
      )
    }
    return found.join('\n')
  }

  test('deletes what was said, with all that hangs on it, and leaves notes, versions and what is younger', async () => {
    await open()
    const start = loop.now()
    await play(start, { text: 'What is xylophonic tea?' })
    await play(start + 60_000, { text: 'shorter please' })
    const samples = (await loop.store.batch(home, 9)).map(({ id }) => id)
    const made = { ref: home, version: 1, parent: 0, reason: null, directory: '/v1', metrics: {}, samples }
    await loop.store.recordVersion({ ...made, state: 'served' })
    expect(await command('retention 7')).toMatch('deleted after 7 days')
    await play(start + 5 * DAY, { text: 'Quoting what came before' })
    await play(start + 5 * DAY, { text: 'Elsewhere', conversation: 'd' })
    await loop.restart()
    expect(await texts()).toContain('xylophonic')
    await play(start + 8 * DAY, { text: 'Later', conversation: 'd' })
    await loop.restart()
    expect(await texts()).not.toContain('xylophonic')
    const turns = await loop.store.db.selectFrom('turns').select('asked').where('asked', '<>', '').execute()
    expect(turns.map(({ asked }) => asked).sort()).toEqual(['Elsewhere', 'Later'])
    expect(await loop.store.workspaceNotes(home)).toMatchObject([{ person: 'ann' }])
    expect(await loop.store.servingVersion(home)).toBe(1)
    expect(await command('status')).toMatch('kept for 7 days')
    expect(await command('memory')).toMatch('Answer in one short sentence')
    const audited = await loop.store.db.selectFrom('audit').select('action').execute()
    expect(audited.map(({ action }) => action)).toEqual(expect.arrayContaining(['expired', 'scrubbed']))
    await play(start + 8 * DAY + 1, { text: 'And now?' })
    expect(loop.engine.prompts.at(-1)).toMatch(/^<user>Quoting what came before<user>And now/)
    expect(loop.faults).toEqual([])
  })

  test('is the operator’s where admins have not said, and theirs where they have', async () => {
    await open({ retentionDays: 3 })
    const start = loop.now()
    await play(start, { text: 'xylophonic' })
    expect(await command('retention off')).toMatch('until someone has it forgotten')
    await play(start + 9 * DAY)
    await loop.restart()
    expect(await texts()).toContain('xylophonic')
    expect(await command('retention default')).toMatch('after 3 days')
    await loop.restart()
    expect(await texts()).not.toContain('xylophonic')
  })
})

describe('on Discord', () => {
  test('nothing becomes a lesson without the operator’s word, and notes do', async () => {
    await open({ platform: 'discord' })
    expect(await command('learn on')).toMatch('Weights do not learn here')
    await loop.ask('How do I make tea?')
    await loop.ask('shorter please')
    const discord = { ...home, platform: 'discord' }
    expect(await loop.store.batch(discord, 9)).toEqual([])
    expect(await loop.store.workspaceNotes(discord)).toHaveLength(1)
    expect(await command('status')).toMatch('docs/privacy.md')
    await loop.send('joined', {})
    await loop.runtime.idle()
    expect(loop.platform.notices.at(-1)).toMatch('Weights do not learn here')
    // Lessons of a time when it was permitted are not trained.
    await loop.store.db.updateTable('workspaces').set({ learning: 1 }).execute()
    await loop.restart()
    expect(await loop.store.trainedPolicies()).toEqual([])
    expect(await command('learn off')).toMatch('off')
  })

  test('they do with it, once an admin turns it on', async () => {
    await open({ platform: 'discord', discord: { trainingPermission: true } })
    expect(await command('learn on')).toMatch('Learning is on')
    await loop.ask('How do I make tea?')
    await loop.ask('shorter please')
    expect(await loop.store.batch({ ...home, platform: 'discord' }, 9)).toHaveLength(1)
  })
})

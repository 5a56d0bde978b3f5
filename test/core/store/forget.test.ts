import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expire } from '../../../core/store/retention.ts'
import type { Tables } from '../../../core/store/schema.ts'
import { listVersions, recordVersion } from '../../../core/store/versions.ts'
import { onPostgres } from '../../stores.ts'
import { home, type Loop, startLoop } from '../loop.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

/** What must not be found again. */
const ID = 'U0PLANTED'
const WORD = 'xylophonic'
const ann = { id: ID, name: `Ann ${WORD}`, kind: 'human' } as const
const bob = { id: 'bob', name: 'Bob', kind: 'human' } as const

async function command(text: string, person: typeof ann | typeof bob = ann): Promise<string> {
  await loop.send('command', { text: `/claw ${text}`, person })
  await loop.runtime.idle()
  return loop.platform.notices.at(-1) ?? ''
}

/** A version of everything that waits, with a directory. */
async function train(number: number): Promise<string> {
  const directory = join(loop.dir, `v${number}`)
  mkdirSync(directory)
  writeFileSync(join(directory, 'weights'), 'weights')
  const samples = (await loop.store.batch(home, 99)).map(({ id }) => id)
  const parent = await loop.store.servingVersion(home)
  const made = { ref: home, version: number, parent, state: 'served', reason: null, directory, metrics: {} } as const
  await recordVersion(loop.store.db, { ...made, samples }, loop.now())
  return directory
}

const tables: readonly (keyof Tables)[] = [
  'workspaces',
  'people',
  'conversations',
  'inbox',
  'messages',
  'turns',
  'outbound',
  'signals',
  'verdicts',
  'judging',
  'samples',
  'versions',
  'notes',
  'audit',
]

/** Where a text still is, in whatever case: in a row, or anywhere in the files, as text or as token ids of the parrot's vocabulary. */
async function traces(text: string): Promise<string[]> {
  const found: string[] = []
  const wide = Buffer.from([...text].flatMap((c) => [c.charCodeAt(0), 0, 0, 0]))
  const lower = (bytes: Buffer) => bytes.toString('latin1').toLowerCase()
  const sought = [lower(Buffer.from(text)), lower(wide)]
  const holds = (bytes: Buffer) => sought.some((part) => lower(bytes).includes(part))
  for (const table of tables) {
    for (const row of await loop.store.db.selectFrom(table).selectAll().execute()) {
      const values = Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)),
      )
      if (values.some(holds)) found.push(`${table} ${JSON.stringify(row).slice(0, 300)}`)
    }
  }
  for (const entry of readdirSync(loop.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && holds(readFileSync(path))) found.push(path)
  }
  return found
}

async function untraceable(): Promise<void> {
  expect(await traces(ID)).toEqual([])
  expect(await traces(WORD)).toEqual([])
}

describe('forget me', () => {
  test('asks first', async () => {
    await loop.ask(`a ${WORD} question`, { person: ann })
    expect(await command('forget me')).toMatch('To do it: /claw forget me yes')
    expect(await traces(WORD)).not.toEqual([])
  })

  test('leaves no trace in tables, pages, logs and files, and others keep what is theirs', async () => {
    await loop.ask('What is tea?', { person: bob })
    await loop.ask(`And ${WORD} coffee?`, { person: ann })
    const message = await loop.ask(`call me ${WORD} please, and be brief`, { person: ann })
    await loop.say({ text: 'more friendly', person: bob, replyTo: message })
    await loop.ask('What is cocoa?', { person: bob })
    await loop.ask('shorter please', { person: bob })
    await command('export')
    expect(await command('forget me yes')).toMatch(/^Forgotten: 2 messages, \d+ replies, \d+ notes?, and all feedback/)
    await untraceable()
    expect(await loop.store.workspaceNotes(home)).toMatchObject([{ person: 'bob' }, { person: 'bob' }])
    expect((await loop.store.batch(home, 9)).map(({ people }) => people)).toEqual([['bob']])
    await loop.ask('Still there?', { person: bob })
    expect(loop.engine.prompts.at(-1)).toContain('What is cocoa?')
    expect(loop.faults).toEqual([])
  })

  test('drops the versions that may have learned from it, files and all, and learns the rest again', async () => {
    await loop.ask('What is tea?', { person: bob, conversation: 'theirs' })
    await loop.ask('shorter please', { person: bob, conversation: 'theirs' })
    const first = await train(1)
    await loop.ask(`And ${WORD} coffee?`, { person: ann })
    await loop.ask('more details please', { person: ann })
    await command('memory forget 1')
    await loop.ask('What is cocoa?', { person: bob, conversation: 'theirs' })
    await loop.ask('thanks, perfect', { person: bob, conversation: 'theirs' })
    const second = await train(2)
    const third = await train(3)
    const answer = await command('forget me yes')
    expect(answer).toMatch(
      'Versions 2 and 3 are dropped: they may have learned from what is forgotten. Version 1 answers from now on.',
    )
    expect(answer).toMatch('The other lesson learned there is trained again without it, by itself, from version 1 on.')
    expect([first, second, third].map((directory) => existsSync(directory))).toEqual([true, false, false])
    expect((await listVersions(loop.store.db, home)).map(({ version }) => version)).toEqual([1])
    expect(await loop.store.servingVersion(home)).toBe(1)
    expect(await loop.store.nextVersion(home)).toBe(4)
    expect((await loop.store.batch(home, 9)).map(({ people, reward }) => [people, reward])).toEqual([[['bob'], 1]])
    expect(await command('rollback 3', bob)).toMatch(/Only an admin/)
    await untraceable()
  })

  test.each([
    [{ learning: 0 as const }, 'The other lesson learned there is trained again without it, once learning is on again'],
    [{ paused: 1 as const }, 'The other lesson learned there is trained again without it, once training goes on'],
    [{ learning: 1 as const }, 'by itself, from the base model on.'],
  ])('says when the rest is trained again: %j', async (choice, said) => {
    for (const person of [ann, bob]) {
      const [about, conversation] = [{ person, conversation: person.id }, person.id]
      await loop.ask('What is tea?', about)
      await loop.ask('thanks, perfect', { ...about, conversation })
    }
    await train(1)
    await loop.store.db.updateTable('workspaces').set(choice).execute()
    expect(await command('forget me yes')).toMatch(said)
  })

  test('finds the versions that learned from what retention has deleted since, and says where nothing is left', async () => {
    const day = 24 * 3_600_000
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    await train(1)
    await loop.ask('and cocoa?', { person: bob })
    expect(await expire(loop.store.db, home, 1, loop.now() + 2 * day)).toMatchObject({ replies: 3 })
    expect(await loop.store.db.selectFrom('samples').selectAll().execute()).toEqual([])
    const answer = await command('forget me yes')
    expect(answer).toMatch(
      'Version 1 is dropped: it may have learned from what is forgotten. The base model answers from now on.',
    )
    expect(answer).toMatch('Nothing else was learned there')
    expect(await loop.store.servingVersion(home)).toBe(0)
    await untraceable()
  })

  test('spoils a version that was in training meanwhile', async () => {
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const [lesson] = await loop.store.batch(home, 9)
    const startedAt = loop.now()
    await command('forget me yes')
    const made = {
      ref: home,
      version: 1,
      parent: 0,
      state: 'served',
      reason: null,
      directory: '/v1',
      metrics: {},
    } as const
    expect(await loop.store.recordVersion({ ...made, samples: [lesson!.id], startedAt })).toBe('rejected')
    expect(await loop.store.servingVersion(home)).toBe(0)
  })

  test('of weights of one’s own takes them all', async () => {
    loop.platform.admins.add(ID)
    await command('scope person')
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const mine = { ...home, scope: ID }
    const made = {
      ref: mine,
      version: 1,
      parent: 0,
      state: 'served',
      reason: null,
      directory: join(loop.dir, 'v1'),
      metrics: {},
    } as const
    const samples = (await loop.store.batch(mine, 9)).map(({ id }) => id)
    await loop.store.recordVersion({ ...made, samples })
    expect(await command('forget me yes')).toMatch('Version 1 is dropped')
    await untraceable()
    await loop.ask('Who am I?', { person: ann })
    expect(loop.engine.policies.at(-1)).toBe('base')
  })

  test('takes a question that is being answered, and its answer is not kept', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    loop.engine.pace = () => held
    await loop.say({ text: `What is ${WORD}?`, person: ann })
    await expect.poll(() => loop.engine.prompts.length).toBe(1)
    await loop.send('command', { text: 'forget me yes', person: ann, conversation: 'elsewhere' })
    await expect.poll(() => loop.platform.notices.length).toBe(1)
    release()
    await loop.runtime.idle()
    expect(loop.platform.failures).toEqual(['This was forgotten before it was answered.'])
    await untraceable()
  })

  test('takes what is under way, at whatever point of its work that is', async () => {
    await loop.close()
    for (let at = 1; at <= 40; at += 3) {
      let [armed, left] = [false, at]
      loop = await startLoop({
        beforeStatement() {
          if (!armed || left-- !== 1) return
          void loop.send('command', { text: 'forget me yes', person: ann, conversation: 'elsewhere' })
        },
      })
      const message = await loop.ask('What is tea?', { person: bob })
      armed = true
      await loop.say({ text: `no, ${WORD}, and shorter please`, person: ann, replyTo: message })
      await loop.runtime.idle()
      await loop.runtime.idle()
      expect(loop.platform.notices.at(-1), `before statement ${at}`).toMatch('Forgotten')
      expect(await traces(WORD), `before statement ${at}`).toEqual([])
      if (at < 40) await loop.close()
    }
  })

  describe('takes what a note of theirs that was everybody’s has taught', () => {
    /** A wish of Ann's that is everybody's, that the weights have learned, and that no prompt says any more. */
    async function learnedByAll(): Promise<void> {
      loop.platform.admins.add(ID)
      await loop.ask('What is tea?', { person: ann })
      await loop.ask(`too long, call me ${WORD}`, { person: ann })
      await command('memory share 1')
      for (const version of [1, 2]) {
        await train(version)
        const [note] = await loop.store.workspaceNotes(home)
        await loop.store.recordCheck(home, note!.id, version, true)
      }
      expect(await loop.store.workspaceNotes(home)).toMatchObject([{ shared: true, retired: true }])
    }

    test('in lessons of others, which are made again without it', async () => {
      await learnedByAll()
      const message = await loop.ask('What is cocoa?', { person: bob, conversation: 'theirs' })
      await loop.send('reaction', { message, emoji: '👍', person: bob })
      await loop.runtime.idle()
      expect((await loop.store.batch(home, 9))[0]?.teacherPromptIds).not.toBeNull()
      await command('forget me yes')
      await untraceable()
      expect(await loop.store.batch(home, 9)).toMatchObject([{ people: ['bob'], teacherPromptIds: null, reward: 1 }])
    })

    test('in weights that have nothing else of theirs', async () => {
      loop.platform.admins.add(ID)
      await command('scope person')
      const message = await loop.ask('What is cocoa?', { person: bob, conversation: 'theirs' })
      await loop.send('reaction', { message, emoji: '👍', person: bob })
      await loop.ask('What is tea?', { person: ann })
      await loop.ask(`too long, call me ${WORD}`, { person: ann })
      await command('memory share 1')
      const ref = { ...home, scope: 'bob' }
      const made = { ref, parent: 0, state: 'served', reason: null, metrics: {}, samples: [] } as const
      await recordVersion(loop.store.db, { ...made, version: 1, directory: join(loop.dir, 'v1') }, loop.now())
      expect(await command('forget me yes')).toMatch('Version 1 is dropped')
      await untraceable()
      expect(await loop.store.batch(ref, 9)).toMatchObject([{ people: ['bob'], teacherPromptIds: null, reward: 1 }])
    })
  })

  test('finds the weights that a lesson was rehearsed in before the scope was changed', async () => {
    loop.platform.admins.add(ID)
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const made = { ref: home, parent: 0, state: 'served', reason: null, metrics: {}, samples: [] } as const
    await recordVersion(loop.store.db, { ...made, version: 1, directory: join(loop.dir, 'v1') }, loop.now())
    await command('scope person')
    expect(await command('forget me yes')).toMatch('Version 1 is dropped')
    expect(await loop.store.servingVersion(home)).toBe(0)
  })

  test('finds versions that rehearsed a question which retention has deleted before it was learned', async () => {
    const day = 24 * 3_600_000
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const made = { ref: home, parent: 0, state: 'served', reason: null, metrics: {}, samples: [] } as const
    await recordVersion(loop.store.db, { ...made, version: 1, directory: join(loop.dir, 'v1') }, loop.now())
    await expire(loop.store.db, home, 1, loop.now() + 2 * day)
    expect(await command('forget me yes')).toMatch('Version 1 is dropped')
  })

  test('is finished also where its answer cannot be shown', async () => {
    await loop.ask(`What is ${WORD}?`, { person: ann })
    await loop.ask('shorter please', { person: ann })
    const directory = await train(1)
    loop.platform.notify = () => Promise.reject(new Error('away'))
    await command('forget me yes')
    expect(existsSync(directory)).toBe(false)
    await untraceable()
  })

  test('keeps nothing but that someone opted out', async () => {
    await command('optout')
    await command('forget me yes')
    expect(await loop.store.db.selectFrom('people').select(['person', 'name', 'opted_out']).execute()).toEqual([
      { person: ID, name: null, opted_out: 1 },
    ])
  })

  test('that was interrupted before the files were gone is finished by the next start', async () => {
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const directory = await train(1)
    await loop.store.db.updateTable('versions').set({ state: 'dropped' }).execute()
    await loop.restart()
    expect(existsSync(directory)).toBe(false)
  })

  test('refused while it was trained leaves no weights where the program stopped just then', async () => {
    await loop.ask('What is tea?', { person: ann })
    await loop.ask('shorter please', { person: ann })
    const samples = (await loop.store.batch(home, 9)).map(({ id }) => id)
    const directory = join(loop.dir, 'v1')
    mkdirSync(directory)
    await command('forget me yes')
    const made = { ref: home, version: 1, parent: 0, state: 'served', reason: null, directory, metrics: {} } as const
    expect(await loop.store.recordVersion({ ...made, samples, startedAt: 0 })).toBe('rejected')
    await loop.restart()
    expect(existsSync(directory)).toBe(false)
  })
})

describe('forget last', () => {
  test('erases one exchange, what it said about the reply before it, and what was learned from that', async () => {
    await loop.ask('What is tea?', { person: ann })
    await loop.ask(`too long, call me ${WORD}`, { person: ann })
    expect(await loop.store.batch(home, 9)).toHaveLength(1)
    const { name: _, ...unnamed } = ann
    await loop.send('command', { text: '/claw forget last', person: unnamed })
    await loop.runtime.idle()
    expect(loop.platform.notices.at(-1)).toMatch(
      /^Your last question, answered at [\d:-]+, and its reply are forgotten/,
    )
    expect(await traces(WORD)).toEqual([])
    expect(await loop.store.batch(home, 9)).toEqual([])
    expect(await loop.store.workspaceNotes(home)).toEqual([])
    await loop.ask('And now?', { person: unnamed })
    expect(loop.engine.prompts.at(-1)).toMatch(/^<user>What is tea\?<assistant>re: What is tea\?<user>And now\?$/)
  })

  test('erases the wish that came from it, wherever else that was said and taught', async () => {
    await loop.ask('What is tea?', { person: ann })
    await loop.ask(`call me ${WORD} please`, { person: ann })
    const there = { person: ann, conversation: 'there' }
    const message = await loop.ask('What is cocoa?', there)
    await loop.send('reaction', { message, emoji: '👍', ...there })
    await loop.runtime.idle()
    expect(await traces(WORD)).not.toEqual([])
    await command('forget last')
    const { name: _, ...unnamed } = ann
    await loop.send('command', { text: '/claw forget last', person: unnamed })
    await loop.runtime.idle()
    expect(await traces(WORD)).toEqual([])
  })

  test('says so where there is nothing', async () => {
    expect(await command('forget last')).toMatch('There is no question of yours')
  })
})

test.skipIf(onPostgres)(
  'whatever was said, and in whatever order, forgetting leaves no trace',
  { timeout: 120_000 },
  async () => {
    const said = fc.record({
      who: fc.constantFrom('ann', 'ann', 'bob'),
      where: fc.constantFrom('c', 'd'),
      what: fc.constantFrom(
        { type: 'message', text: `What is ${WORD}?` },
        { type: 'message', text: 'shorter please' },
        { type: 'message', text: `call me ${WORD}` },
        { type: 'message', text: 'thanks, perfect' },
        { type: 'reaction', text: '👎' },
        { type: 'reply', text: `no, say ${WORD}` },
        { type: 'edit', text: `I meant ${WORD} tea` },
        { type: 'train', text: '' },
        { type: 'share', text: 'memory share 1' },
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 3, maxLength: 12 }), async (events) => {
        await loop.close()
        loop = await startLoop()
        let reply = 'none'
        let message = 'none'
        let version = 0
        for (const { who, where, what } of events) {
          const person = who === 'ann' ? ann : bob
          // What others say of a person's words is theirs.
          const text = who === 'ann' ? what.text : what.text.replaceAll(WORD, 'cocoa')
          const about = { person, conversation: where }
          if (what.type === 'message') {
            message = (await loop.say({ ...about, text })).message
            await loop.runtime.idle()
            reply = `${[...loop.platform.replies.keys()].at(-1)}/0`
          } else if (what.type === 'reply') await loop.say({ ...about, text, replyTo: reply })
          else if (what.type === 'reaction') await loop.send('reaction', { ...about, message: reply, emoji: text })
          else if (what.type === 'edit') await loop.send('edit', { ...about, message, text })
          else if (what.type === 'share') {
            loop.platform.admins.add(ID)
            await command(text)
          } else await train(++version)
          await loop.runtime.idle()
        }
        await command('forget me yes')
        await untraceable()
        expect(loop.faults).toEqual([])
      }),
      { numRuns: 25 },
    )
  },
)

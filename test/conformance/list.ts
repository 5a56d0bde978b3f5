import { expect } from 'vitest'
import { until } from './backstage.ts'
import type { Place, Shown, Stage, StageOptions } from './stage.ts'

/** One thing that every platform has to do. */
export interface Item {
  readonly number: number
  readonly name: string
  readonly config?: StageOptions['config']
  body(stage: Stage): Promise<void>
}

/** Replies of the parrot say back what they answer. */
const repliesIn = (stage: Stage, place: Place): Shown[] =>
  stage.shown(place).filter(({ text }) => text.startsWith('re'))

const said = (stage: Stage, place: Place): string[] => repliesIn(stage, place).map(({ text }) => plain(text))

/** As a reader sees it, without the platform's escapes. */
const plain = (text: string): string => text.replace(/\\(?=[^\w\s])|\u200B/g, '')

const signals = (stage: Stage) =>
  stage.store.db.selectFrom('signals').selectAll().where('type', '!=', 'cleared').execute()

async function ask(stage: Stage, place: Place, text: string, person = stage.people.ann): Promise<Shown> {
  await stage.say(place, person, text, { mention: place !== stage.places.direct })
  await stage.settle()
  const reply = repliesIn(stage, place).at(-1)
  if (reply === undefined) throw new Error('there is no reply')
  return reply
}

/** Whatever is asked now waits until the gate is opened. */
function gate(stage: Stage): () => void {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  stage.engine.pace = () => opened
  return open
}

const asked = (stage: Stage, times: number): Promise<void> =>
  until(() => stage.engine.prompts.length >= times, `the model is asked ${times} times`)

/** Beside events of joining. */
const received = (stage: Stage, events: number): Promise<void> =>
  until(async () => {
    const rows = await stage.store.db.selectFrom('inbox').select('seq').where('type', '!=', 'joined').execute()
    return rows.length >= events
  }, `${events} events come`)

const THREAD = (stage: Stage, root: string): Place => ({ ...stage.places.channel, thread: root })

type Body = (stage: Stage) => Promise<void>

const BODIES: readonly (readonly [name: string, body: Body, config?: StageOptions['config']])[] = [
  [
    'text',
    async (stage) => {
      await ask(stage, stage.places.direct, 'one *two* & <three>')
      expect(said(stage, stage.places.direct)).toHaveLength(1)
      expect(stage.engine.prompts).toHaveLength(1)
      expect(stage.engine.prompts[0]).toContain('one')
    },
  ],
  [
    'mention',
    async (stage) => {
      const { channel } = stage.places
      await stage.say(channel, stage.people.ben, 'not for you')
      await stage.settle()
      expect(said(stage, channel)).toEqual([])
      await ask(stage, channel, 'for you', stage.people.ben)
      expect(said(stage, channel)).toEqual(['re: for you'])
    },
  ],
  [
    'direct message',
    async (stage) => {
      const { direct } = stage.places
      await ask(stage, direct, 'first')
      await ask(stage, direct, 'second')
      expect(said(stage, direct)).toEqual(['re: first', 're: second'])
      expect(stage.engine.prompts[1]).toContain('first')
    },
  ],
  [
    'thread',
    async (stage) => {
      const root = await stage.say(stage.places.channel, stage.people.ben, 'a root')
      await stage.settle()
      const thread = THREAD(stage, root)
      await stage.say(thread, stage.people.ann, 'with a mention', { mention: true })
      await stage.settle()
      await stage.say(thread, stage.people.ann, 'and some more')
      await stage.settle()
      expect(said(stage, thread)).toEqual(['re: with a mention', 're: and some more'])
      expect(stage.engine.prompts[1]).toContain('with a mention')
    },
  ],
  [
    'edit before the answer',
    async (stage) => {
      const { direct } = stage.places
      const { ann } = stage.people
      const open = gate(stage)
      await stage.say(direct, ann, 'busy')
      await asked(stage, 1)
      const message = await stage.say(direct, ann, 'draft')
      await received(stage, 2)
      await stage.edit(direct, ann, message, 'better')
      await received(stage, 3)
      open()
      await stage.settle()
      expect(said(stage, direct)).toEqual(['re: busy', 're: better'])
    },
  ],
  [
    'edit after the answer',
    async (stage) => {
      const { direct } = stage.places
      const { ann } = stage.people
      const message = await stage.say(direct, ann, 'question')
      await stage.settle()
      // What was edited within the moment of the reply may have been so before.
      stage.tick()
      await stage.edit(direct, ann, message, 'question, but shorter please')
      await stage.settle()
      expect((await signals(stage)).map(({ type }) => type)).toEqual(['edit'])
      await stage.edit(direct, ann, message, 'question, but shorter please')
      await stage.settle()
      expect(await signals(stage)).toHaveLength(1)
      expect(said(stage, direct).length).toBeLessThanOrEqual(2)
    },
  ],
  [
    'deletion',
    async (stage) => {
      const { direct } = stage.places
      const { ann } = stage.people
      const open = gate(stage)
      await stage.say(direct, ann, 'busy')
      await asked(stage, 1)
      const message = await stage.say(direct, ann, 'never mind')
      await received(stage, 2)
      await stage.remove(direct, ann, message)
      await received(stage, 3)
      open()
      await stage.settle()
      expect(said(stage, direct)).toEqual(['re: busy'])
    },
  ],
  [
    'reaction on',
    async (stage) => {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      await stage.react(channel, stage.people.ben, reply.id, '👍')
      await stage.settle()
      const [signal, ...others] = await signals(stage)
      expect(others).toEqual([])
      expect(signal).toMatchObject({ type: 'reaction', active: 1 })
      expect(signal?.turn).not.toBe(null)
    },
  ],
  [
    'reaction off',
    async (stage) => {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      await stage.react(channel, stage.people.ben, reply.id, '👍')
      await stage.settle()
      await stage.unreact(channel, stage.people.ben, reply.id, '👍')
      await stage.settle()
      expect((await signals(stage)).filter(({ active }) => active === 1)).toEqual([])
    },
  ],
  [
    'reaction by a bot',
    async (stage) => {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      await stage.react(channel, stage.people.robot, reply.id, '👍')
      await stage.settle()
      expect(await signals(stage)).toEqual([])
    },
  ],
  [
    'reaction on a months-old message after a restart',
    async (stage) => {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      const months = 90 * 86_400_000
      const { created_at: at } = await stage.store.db.selectFrom('turns').select('created_at').executeTakeFirstOrThrow()
      const then = { created_at: at - months, visible_at: at - months, asked_at: at - months }
      await stage.store.db.updateTable('turns').set(then).execute()
      await stage.restart()
      await stage.react(channel, stage.people.ben, reply.id, '👍')
      await stage.settle()
      expect(await signals(stage)).toMatchObject([{ type: 'reaction', active: 1 }])
      expect((await signals(stage))[0]?.turn).not.toBe(null)
    },
  ],
  [
    'burst',
    async (stage) => {
      const { direct } = stage.places
      const texts = Array.from({ length: 10 }, (_, index) => `message ${index}`)
      for (const text of texts) await stage.say(direct, stage.people.ann, text)
      await stage.settle()
      expect(said(stage, direct)).toEqual(texts.map((text) => `re: ${text}`))
    },
  ],
  [
    'split of long replies',
    async (stage) => {
      const { channel } = stage.places
      const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`)
      stage.engine.answer = () => `re: ${words.join(' ')}`
      await stage.say(channel, stage.people.ann, 'tell me', { mention: true })
      await stage.settle()
      const parts = stage.shown(channel).filter(({ text }) => /word\d/.test(text))
      expect(parts.length).toBeGreaterThan(2)
      expect(
        parts
          .map(({ text }) => text)
          .join(' ')
          .match(/word\d+/g),
      ).toEqual(words)
      await stage.react(channel, stage.people.ben, parts[0]!.id, '👍')
      await stage.settle()
      expect((await signals(stage))[0]?.turn).not.toBe(null)
    },
  ],
  [
    'code fences',
    async (stage) => {
      const { channel } = stage.places
      const lines = Array.from({ length: 400 }, (_, index) => `const line${index} = ${index}`)
      stage.engine.answer = () => `re:\n\n\`\`\`${'x'.repeat(1_900)}\n${lines.join('\n')}\n\`\`\``
      await stage.say(channel, stage.people.ann, 'code please', { mention: true })
      await stage.settle()
      const texts = stage.shown(channel).map(({ text }) => text)
      for (const text of texts) expect(text.split('```').length % 2).toBe(1)
      for (const line of lines) expect(texts.filter((text) => text.split('\n').includes(line))).toHaveLength(1)
    },
  ],
  [
    'attachments',
    async (stage) => {
      const { direct } = stage.places
      await stage.say(direct, stage.people.ann, 'look at this', { files: ['report.pdf'] })
      await stage.settle()
      const [text = ''] = said(stage, direct)
      expect(text).toContain('re: look at this')
      expect(text).toContain('I have not read')
      expect(text).toContain('report.pdf')
    },
  ],
  [
    'rate limit',
    async (stage) => {
      stage.fault({ type: 'limited', seconds: 1 })
      await ask(stage, stage.places.direct, 'slowly')
      expect(said(stage, stage.places.direct)).toEqual(['re: slowly'])
    },
  ],
  [
    'reconnect',
    async (stage) => {
      const { direct } = stage.places
      await ask(stage, direct, 'before')
      stage.fault({ type: 'disconnect' })
      await stage.say(direct, stage.people.ann, 'after')
      await until(() => said(stage, direct).length === 2, 'the second is answered too')
      await stage.settle()
      expect(said(stage, direct)).toEqual(['re: before', 're: after'])
    },
  ],
  [
    'duplicate',
    async (stage) => {
      stage.fault({ type: 'duplicate', copies: 3 })
      await ask(stage, stage.places.direct, 'once')
      expect(said(stage, stage.places.direct)).toEqual(['re: once'])
      expect(stage.engine.prompts).toHaveLength(1)
    },
  ],
  [
    'own message',
    async (stage) => {
      await ask(stage, stage.places.direct, 'mirror')
      await ask(stage, stage.places.channel, 'mirror')
      await stage.settle()
      expect(stage.engine.prompts).toHaveLength(2)
      expect(await signals(stage)).toEqual([])
    },
  ],
  [
    'other bots',
    async (stage) => {
      await stage.say(stage.places.channel, stage.people.robot, 'hello, bot', { mention: true, bot: true })
      await stage.settle()
      expect(said(stage, stage.places.channel)).toEqual([])
    },
  ],
  [
    'other bots, where they are let in, until they go on and on',
    async (stage) => {
      for (let number = 0; number < 30; number++) {
        await stage.say(stage.places.channel, stage.people.robot, `round ${number}`, { mention: true, bot: true })
      }
      await stage.settle()
      expect(said(stage, stage.places.channel)).toHaveLength(20)
    },
    { channels: { bots: true } },
  ],
  [
    'command',
    async (stage) => {
      await stage.command(stage.places.direct, stage.people.ann, 'status')
      await stage.settle()
      expect(
        stage
          .shown(stage.places.direct)
          .map(({ text }) => text)
          .join('\n'),
      ).toContain('parrot')
      expect(stage.engine.prompts).toEqual([])
    },
  ],
  [
    'admin check',
    async (stage) => {
      const { channel } = stage.places
      const learning = async () =>
        (await stage.store.db.selectFrom('workspaces').selectAll().execute()).map(({ learning }) => learning)
      const before = await learning()
      await stage.command(channel, stage.people.ben, 'learn on')
      await stage.settle()
      expect((await learning()).filter((each) => each !== 0 && each !== null)).toEqual(
        before.filter((each) => each !== 0 && each !== null),
      )
      await stage.command(channel, stage.people.ann, 'learn on')
      await stage.settle()
      expect((await learning()).filter((each) => each === 1)).toHaveLength(1)
    },
  ],
  [
    'uninstall',
    async (stage) => {
      const { channel } = stage.places
      await ask(stage, channel, 'remember me')
      await stage.uninstall(channel)
      await stage.settle()
      for (const table of ['messages', 'turns', 'outbound', 'signals'] as const) {
        const rows = await stage.store.db
          .selectFrom(table)
          .selectAll()
          .where('workspace', '=', channel.workspace)
          .execute()
        expect(rows, table).toEqual([])
      }
    },
  ],
  [
    'two workspaces with the same ids',
    async (stage) => {
      const { channel, elsewhere } = stage.places
      await ask(stage, channel, 'here')
      await ask(stage, elsewhere, 'there')
      expect(said(stage, channel)).toEqual(['re: here'])
      expect(said(stage, elsewhere)).toEqual(['re: there'])
      expect(stage.engine.prompts[1]).not.toContain('here<')
      const reply = repliesIn(stage, elsewhere)[0]!
      await stage.react(elsewhere, stage.people.ben, reply.id, '👍')
      await stage.settle()
      const turns = await stage.store.db.selectFrom('turns').select(['id', 'workspace', 'text']).execute()
      const [signal] = await signals(stage)
      expect(turns.find(({ id }) => id === signal?.turn)).toMatchObject({
        workspace: elsewhere.workspace,
        text: 're: there',
      })
    },
  ],
]

/** Every behaviour that all platforms share, in the order of their numbers. */
export const CONFORMANCE: readonly Item[] = BODIES.map(([name, body, config], index) => ({
  number: index + 1,
  name,
  body,
  ...(config === undefined ? {} : { config }),
}))

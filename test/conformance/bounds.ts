import { expect } from 'vitest'
import { ask, type Behaviour, said, say, signals, thumb } from './acts.ts'
import { until } from './backstage.ts'

/** How much, how long, how often, and from whom: what a platform allows and what befalls it. */
export const BOUNDS: readonly Behaviour[] = [
  {
    name: 'burst',
    async body(stage) {
      const { direct } = stage.places
      const texts = Array.from({ length: 10 }, (_, index) => `message ${index}`)
      for (const text of texts) await stage.say(direct, stage.people.ann, text)
      await stage.settle()
      expect(said(stage, direct)).toEqual(texts.map((text) => `re: ${text}`))
    },
  },
  {
    name: 'split of long replies',
    async body(stage) {
      const { channel } = stage.places
      const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`)
      stage.engine.answer = () => `re: ${words.join(' ')}`
      await say(stage, channel, 'tell me', { mention: true })
      const parts = stage.shown(channel).filter(({ text }) => /word\d/.test(text))
      expect(parts.length).toBeGreaterThan(2)
      const whole = parts.map(({ text }) => text).join(' ')
      expect(whole.match(/word\d+/g)).toEqual(words)
      await thumb(stage, channel, parts[0]!)
      expect((await signals(stage))[0]?.turn).not.toBe(null)
    },
  },
  {
    name: 'code fences',
    async body(stage) {
      const { channel } = stage.places
      const lines = Array.from({ length: 400 }, (_, index) => `const line${index} = ${index}`)
      stage.engine.answer = () => `re:\n\n\`\`\`${'x'.repeat(1_900)}\n${lines.join('\n')}\n\`\`\``
      await say(stage, channel, 'code please', { mention: true })
      const texts = stage.shown(channel).map(({ text }) => text)
      for (const text of texts) expect(text.split('```').length % 2).toBe(1)
      for (const line of lines) expect(texts.filter((text) => text.split('\n').includes(line))).toHaveLength(1)
    },
  },
  {
    name: 'attachments',
    async body(stage) {
      const { direct } = stage.places
      await say(stage, direct, 'look at this', { files: ['report.pdf'] })
      const [text = ''] = said(stage, direct)
      expect(text).toContain('re: look at this')
      expect(text).toContain('I have not read')
      expect(text).toContain('report.pdf')
    },
  },
  {
    name: 'rate limit',
    async body(stage) {
      stage.fault({ type: 'limited', seconds: 1 })
      await ask(stage, stage.places.direct, 'slowly')
      expect(said(stage, stage.places.direct)).toEqual(['re: slowly'])
    },
  },
  {
    name: 'reconnect',
    async body(stage) {
      const { direct } = stage.places
      await ask(stage, direct, 'before')
      stage.fault({ type: 'disconnect' })
      await stage.say(direct, stage.people.ann, 'after')
      await until(() => said(stage, direct).length >= 2, 'the second is answered too')
      await stage.settle()
      expect(said(stage, direct)).toEqual(['re: before', 're: after'])
    },
  },
  {
    name: 'duplicate',
    async body(stage) {
      stage.fault({ type: 'duplicate', copies: 3 })
      await ask(stage, stage.places.direct, 'once')
      expect(said(stage, stage.places.direct)).toEqual(['re: once'])
      expect(stage.engine.prompts).toHaveLength(1)
    },
  },
  {
    name: 'own message',
    async body(stage) {
      await ask(stage, stage.places.direct, 'mirror')
      await ask(stage, stage.places.channel, 'mirror')
      expect(stage.engine.prompts).toHaveLength(2)
      expect(await signals(stage)).toEqual([])
    },
  },
  {
    name: 'other bots',
    async body(stage) {
      const { channel } = stage.places
      await say(stage, channel, 'hello, bot', { by: stage.people.robot, mention: true, bot: true })
      expect(said(stage, channel)).toEqual([])
    },
  },
  {
    name: 'other bots, where they are let in, until they go on and on',
    config: { channels: { bots: true } },
    async body(stage) {
      for (let number = 0; number < 30; number++) {
        await stage.say(stage.places.channel, stage.people.robot, `round ${number}`, { mention: true, bot: true })
      }
      await stage.settle()
      expect(said(stage, stage.places.channel)).toHaveLength(20)
    },
  },
  {
    name: 'command',
    async body(stage) {
      const { direct } = stage.places
      await stage.command(direct, stage.people.ann, 'status')
      await stage.settle()
      const texts = stage.shown(direct).map(({ text }) => text)
      expect(texts.join('\n')).toContain('parrot')
      expect(stage.engine.prompts).toEqual([])
    },
  },
  {
    name: 'admin check',
    async body(stage) {
      const { channel } = stage.places
      const { ann, ben } = stage.people
      /** What each workspace says of learning, where it says anything. */
      const learning = async () => {
        const rows = await stage.store.db.selectFrom('workspaces').select('learning').execute()
        return rows.map((row) => row.learning).filter((each) => each !== 0 && each !== null)
      }
      const before = await learning()
      await stage.command(channel, ben, 'learn on')
      await stage.settle()
      expect(await learning()).toEqual(before)
      await stage.command(channel, ann, 'learn on')
      await stage.settle()
      expect((await learning()).filter((each) => each === 1)).toHaveLength(1)
    },
  },
  {
    name: 'uninstall',
    async body(stage) {
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
  },
  {
    name: 'two workspaces with the same ids',
    async body(stage) {
      const { channel, elsewhere } = stage.places
      await ask(stage, channel, 'here')
      const reply = await ask(stage, elsewhere, 'there')
      expect(said(stage, channel)).toEqual(['re: here'])
      expect(said(stage, elsewhere)).toEqual(['re: there'])
      expect(stage.engine.prompts[1]).not.toContain('here<')
      await thumb(stage, elsewhere, reply)
      const turns = await stage.store.db.selectFrom('turns').select(['id', 'workspace', 'text']).execute()
      const [signal] = await signals(stage)
      expect(turns.find(({ id }) => id === signal?.turn)).toMatchObject({
        workspace: elsewhere.workspace,
        text: 're: there',
      })
    },
  },
]

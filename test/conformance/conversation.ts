import { expect } from 'vitest'
import { ask, type Behaviour, said, say, signals, thinkBetter, thumb } from './acts.ts'

/** What people say, take back and react to. */
export const CONVERSATION: readonly Behaviour[] = [
  {
    name: 'text',
    async body(stage) {
      await ask(stage, stage.places.direct, 'one *two* & <three>')
      expect(said(stage, stage.places.direct)).toHaveLength(1)
      expect(stage.engine.prompts).toHaveLength(1)
      expect(stage.engine.prompts[0]).toContain('one')
    },
  },
  {
    name: 'mention',
    async body(stage) {
      const { channel } = stage.places
      const { ben } = stage.people
      await say(stage, channel, 'not for you', { by: ben })
      expect(said(stage, channel)).toEqual([])
      await ask(stage, channel, 'for you', ben)
      expect(said(stage, channel)).toEqual(['re: for you'])
    },
  },
  {
    name: 'direct message',
    async body(stage) {
      const { direct } = stage.places
      await ask(stage, direct, 'first')
      await ask(stage, direct, 'second')
      expect(said(stage, direct)).toEqual(['re: first', 're: second'])
      expect(stage.engine.prompts[1]).toContain('first')
    },
  },
  {
    name: 'thread',
    async body(stage) {
      const { channel } = stage.places
      const root = await say(stage, channel, 'a root', { by: stage.people.ben })
      const thread = { ...channel, thread: root }
      await say(stage, thread, 'with a mention', { mention: true })
      await say(stage, thread, 'and some more')
      expect(said(stage, thread)).toEqual(['re: with a mention', 're: and some more'])
      expect(stage.engine.prompts[1]).toContain('with a mention')
    },
  },
  {
    name: 'edit before the answer',
    async body(stage) {
      await thinkBetter(stage, (place, person, message) => stage.edit(place, person, message, 'better'))
      expect(said(stage, stage.places.direct)).toEqual(['re: busy', 're: better'])
    },
  },
  {
    name: 'edit after the answer',
    async body(stage) {
      const { direct } = stage.places
      const message = await say(stage, direct, 'question')
      // What was edited within the moment of the reply may have been so before.
      stage.tick()
      const edit = async () => {
        await stage.edit(direct, stage.people.ann, message, 'question, but shorter please')
        await stage.settle()
      }
      await edit()
      expect((await signals(stage)).map(({ type }) => type)).toEqual(['edit'])
      await edit()
      expect(await signals(stage)).toHaveLength(1)
      expect(said(stage, direct).length).toBeLessThanOrEqual(2)
    },
  },
  {
    name: 'deletion',
    async body(stage) {
      await thinkBetter(stage, stage.remove)
      expect(said(stage, stage.places.direct)).toEqual(['re: busy'])
    },
  },
  {
    name: 'reaction on',
    async body(stage) {
      const { channel } = stage.places
      await thumb(stage, channel, await ask(stage, channel, 'good?'))
      const [signal, ...others] = await signals(stage)
      expect(others).toEqual([])
      expect(signal).toMatchObject({ type: 'reaction', active: 1 })
      expect(signal?.turn).not.toBe(null)
    },
  },
  {
    name: 'reaction off',
    async body(stage) {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      await thumb(stage, channel, reply)
      await stage.unreact(channel, stage.people.ben, reply.id, '👍')
      await stage.settle()
      expect((await signals(stage)).filter(({ active }) => active === 1)).toEqual([])
    },
  },
  {
    name: 'reaction by a bot',
    async body(stage) {
      const { channel } = stage.places
      await thumb(stage, channel, await ask(stage, channel, 'good?'), stage.people.robot)
      expect(await signals(stage)).toEqual([])
    },
  },
  {
    name: 'reaction on a months-old message after a restart',
    async body(stage) {
      const { channel } = stage.places
      const reply = await ask(stage, channel, 'good?')
      const months = 90 * 86_400_000
      const { created_at: at } = await stage.store.db.selectFrom('turns').select('created_at').executeTakeFirstOrThrow()
      const then = { created_at: at - months, visible_at: at - months, asked_at: at - months }
      await stage.store.db.updateTable('turns').set(then).execute()
      await stage.restart()
      await thumb(stage, channel, reply)
      expect(await signals(stage)).toMatchObject([{ type: 'reaction', active: 1 }])
      expect((await signals(stage))[0]?.turn).not.toBe(null)
    },
  },
]

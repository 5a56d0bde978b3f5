import { expect, test } from 'vitest'
import { turnId } from '../../../core/stream/turns.ts'
import type { Event } from '../../../core/types.ts'
import { onPostgres } from '../../stores.ts'
import { home, type Loop, startLoop } from '../loop.ts'

/** A version learns from all that waits, unless it did in an earlier life. */
interface Training {
  readonly version: number
}

async function tell(loop: Loop, part: Event | Training): Promise<void> {
  if (!('version' in part)) return loop.play(part)
  const { version } = part
  const { store, dir } = loop
  if ((await store.nextVersion(home)) > version) return
  const samples = (await store.batch(home, 100)).map(({ id }) => id)
  const parent = version - 1
  const made = { ref: home, version, parent, reason: null, directory: `${dir}/v${version}`, metrics: {}, samples }
  await store.recordVersion({ ...made, state: 'served' })
}

/** A story with everything in it. Its times are far enough apart for each reply to be read before the next event. */
function story(reply: (event: string) => string): (Event | Training)[] {
  const about = (minute: number) => ({
    ...home,
    person: { id: 'ann', kind: 'human' as const },
    id: `e${minute}`,
    at: minute * 60_000,
  })
  return [
    { ...about(1), type: 'message', message: 'ask', text: 'How do I make tea?' },
    { ...about(2), type: 'reaction', message: reply('e1'), emoji: '👎' },
    { version: 1 },
    { ...about(3), type: 'message', message: 'correct', text: 'way too long!' },
    { ...about(4), type: 'edit', message: 'ask', text: 'How do I make green tea?' },
    { ...about(5), type: 'reaction', message: reply('e3'), emoji: '👍' },
    { ...about(6), type: 'command', text: '/claw memory forget 1' },
    { ...about(7), type: 'message', message: 'more', text: 'be more friendly please' },
    { ...about(8), type: 'deletion', message: 'correct' },
    { version: 2 },
    { ...about(9), type: 'reaction_removed', message: reply('e3'), emoji: '👍' },
    { ...about(10), type: 'button', message: reply('e1'), value: 'up' },
  ]
}

/** What is on record and on the screen, without what may differ: times, and how often something was tried. */
async function record({ store: { db }, platform }: Loop) {
  const turns = await db.selectFrom('turns').selectAll().orderBy('position').execute()
  const verdicts = await db
    .selectFrom('verdicts')
    .select(['turn', 'revision', 'score', 'hint'])
    .orderBy('turn')
    .orderBy('revision')
    .execute()
  const samples = await db
    .selectFrom('samples')
    .select(['turn', 'state', 'reward', 'learned', 'version', 'teacher_prompt_ids'])
    .where('state', '<>', 'withdrawn')
    .orderBy('turn')
    .orderBy('revision')
    .execute()
  return {
    turns: turns.map(({ id, state, text, request, notes, evidence, judged }) => ({
      id,
      state,
      text,
      request,
      notes,
      judged: evidence === judged,
    })),
    verdicts: Object.fromEntries(verdicts.map(({ turn, score, hint }) => [turn, { score, hint }])),
    samples: samples.map((sample) => ({ ...sample, teacher_prompt_ids: String(sample.teacher_prompt_ids) })),
    notes: await db.selectFrom('notes').select(['text', 'state', 'turn']).orderBy('at').execute(),
    messages: await db.selectFrom('messages').select(['message', 'text']).orderBy('message').execute(),
    outbound: await db.selectFrom('outbound').select(['message', 'turn', 'state']).orderBy('message').execute(),
    inbox: await db.selectFrom('inbox').select(['event', 'state', 'error', 'body']).orderBy('event').execute(),
    audit: await db.selectFrom('audit').select('action').execute(),
    screen: [...platform.replies].sort(),
  }
}

/** Lives through the story; dies before the given statement, and lives again. Returns whether it died. */
async function live(death: number): Promise<{ died: boolean; loop: Loop }> {
  // Starting on an empty store is no part of the story.
  let statements = Number.NEGATIVE_INFINITY
  const dead = () => statements >= death
  const alive = () => {
    if (dead()) throw new Error('dead')
  }
  const loop = await startLoop({
    beforeStatement() {
      statements += 1
      alive()
    },
  })
  statements = 0
  const { reply, notify } = loop.platform
  loop.platform.sending = async () => alive()
  loop.platform.notify = async (to, notice) => {
    alive()
    await notify(to, notice)
  }
  // It can tell a message that it has from one that was never sent, where it is told that one may have been.
  const sent = new Map<string, number>()
  loop.platform.reply = (to) => ({
    ...reply(to),
    async finish(text) {
      const message = `${to.turn}/0`
      if (to.delivery.parts.length === 0) await to.delivery.sending(0)
      if (to.delivery.parts.length === 0 || !sent.has(message)) {
        alive()
        sent.set(message, (sent.get(message) ?? 0) + 1)
      }
      alive()
      await to.delivery.sent(0, message)
      return reply(to).finish(text)
    },
    fail: async () => alive(),
  })
  loop.engine.pace = async () => alive()
  const events = story((id) => `${turnId({ ...home, id })}/0`)
  try {
    for (const event of events) {
      await tell(loop, event)
      alive()
    }
  } catch (error) {
    expect(String(error)).toMatch('dead')
  }
  const died = dead()
  statements = Number.NEGATIVE_INFINITY
  await loop.restart()
  await loop.runtime.idle()
  for (const event of events) await tell(loop, event)
  expect([...sent.values()]).toEqual([1, 1, 1])
  expect(await loop.store.db.selectFrom('deliveries').selectAll().execute()).toEqual([])
  return { died, loop }
}

test('whichever statement the program dies before, the same is on record in the end', async () => {
  const undisturbed = await live(Number.POSITIVE_INFINITY)
  const expected = await record(undisturbed.loop)
  expect(expected.turns.map((turn) => turn.state)).toEqual(['amended', 'amended', 'open'])
  expect(expected.notes.map((note) => note.state)).toEqual(['removed', 'active'])
  const lessons = expected.samples.map(({ state, reward, learned }) => [state, reward, learned])
  expect(lessons).toEqual([
    ['trained', 1, 0],
    ['ready', -1, 1],
    ['trained', -1, 0],
    ['ready', 1, -1],
  ])
  await undisturbed.loop.close()
  // Some of them where each takes longer.
  const step = onPostgres ? 29 : 4
  for (let death = Math.ceil(Math.random() * step); ; death += step) {
    const { died, loop } = await live(death)
    expect(await record(loop), `dead before statement ${death}`).toEqual(expected)
    await loop.close()
    if (!died) break
  }
}, 120_000)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Evidence } from '../../../core/judge/judge.ts'
import type { Event, Verdict } from '../../../core/types.ts'
import { onPostgres } from '../../stores.ts'
import { type Loop, startLoop } from '../loop.ts'

/** What people may do, in any order. `back` counts from the last message or reply. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('say' as const), who: fc.nat(1), burst: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      who: fc.constantFrom(0, 0, 0, 0, 1, 2),
      back: fc.constantFrom(0, 0, 0, 1, 3),
      emoji: fc.constantFrom('👍', '👍', '👎'),
      remove: fc.boolean(),
      late: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('press' as const),
      who: fc.constantFrom(0, 0, 1, 2),
      back: fc.constantFrom(0, 0, 1),
      value: fc.constantFrom('up' as const, 'down' as const, null),
      late: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('quote' as const), who: fc.nat(1), back: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), back: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), back: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'restart' as const, 'repeat' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const PEOPLE = ['ann', 'bob', 'robot'] as const

/** Says as its basis exactly what it was shown. */
function witness({ asker, signals }: Evidence): Verdict {
  const seen = signals.map(({ type, person, content }) => `${type} ${person} ${content}`).sort()
  return { score: 1, weight: 1, hint: null, basis: JSON.stringify({ asker, seen }), judge: 'witness' }
}

interface Said {
  readonly message: string
  readonly person: string
  readonly at: number
  readonly replyTo?: string
  text: string
  deleted: boolean
  /** What the reply was told, and when the reply could be read. */
  asked: string
  visibleAt: number
  rewritten?: string
}

/** The rules of attribution told once more, over everything that happened, whatever order it arrived in. */
function expected(said: readonly Said[], reactions: readonly Event[]): Map<string, string> {
  const carrier = (turn: Said) => `reply to ${turn.message}`
  const evidence = new Map(said.map((turn) => [turn.message, [] as string[]]))
  for (const { person, at, text, deleted, replyTo } of said) {
    const last = said.findLast((turn) => turn.visibleAt <= at)
    const follows =
      replyTo === undefined
        ? last?.person === person
          ? last
          : undefined
        : said.find((turn) => carrier(turn) === replyTo)
    if (follows !== undefined && !deleted) evidence.get(follows.message)?.push(`message ${person} ${text}`)
  }
  const states = new Map<string, Event>()
  for (const event of [...reactions].sort((a, b) => a.at - b.at)) {
    if (event.type !== 'reaction' && event.type !== 'reaction_removed') continue
    if (event.person.kind === 'human') states.set(`${event.message} ${event.person.id} ${event.emoji}`, event)
  }
  const given = [...states.values()].flatMap((event) =>
    event.type === 'reaction' ? [{ ...event, thumb: event.emoji, button: false }] : [],
  )
  const pressed = new Map<string, Event>()
  for (const event of [...reactions].sort((a, b) => a.at - b.at)) {
    if (event.type === 'button' && event.person.kind === 'human') {
      pressed.set(`${event.message} ${event.person.id}`, event)
    }
  }
  const buttons = [...pressed.values()].flatMap((event) =>
    event.type === 'button' && event.value !== null
      ? [{ ...event, thumb: event.value === 'up' ? '👍' : '👎', button: true }]
      : [],
  )
  // Of a button and reactions by one person on one reply only what came last counts.
  const votes = [...given, ...buttons].filter(
    (vote, _i, all) =>
      !all.some(
        (other) =>
          other.message === vote.message &&
          other.person.id === vote.person.id &&
          (other.button || vote.button) &&
          other.at > vote.at,
      ),
  )
  for (const { message, person, thumb } of votes) {
    const turn = said.find((each) => carrier(each) === message)
    evidence.get(turn?.message ?? '')?.push(`reaction ${person.id} ${thumb}`)
  }
  for (const { message, person, asked, rewritten, deleted } of said) {
    if (rewritten !== undefined && rewritten !== asked && !deleted) {
      evidence.get(message)?.push(`edit ${person} ${rewritten}`)
    }
  }
  return new Map(
    said.map((turn) => [
      turn.message,
      JSON.stringify({ asker: turn.person, seen: evidence.get(turn.message)?.sort() }),
    ]),
  )
}

async function play(loop: Loop, steps: readonly Step[]): Promise<{ said: Said[]; reactions: Event[] }> {
  const said: Said[] = []
  const reactions: Event[] = []
  const late: Event[] = []
  const delivered: Event[] = []
  loop.engine.answer = () => {
    loop.wait()
    return 'so'
  }
  loop.platform.reply = ({ turn }) => ({
    write() {},
    async finish() {
      const visibleAt = loop.now()
      const row = await loop.store.db
        .selectFrom('turns')
        .select('message')
        .where('id', '=', turn)
        .executeTakeFirstOrThrow()
      const about = said.find((each) => each.message === row.message)
      if (about !== undefined) about.visibleAt = visibleAt
      return [`reply to ${row.message}`]
    },
    async fail() {},
  })
  const person = (who: number) => ({ id: PEOPLE[who] ?? '', kind: who === 2 ? ('bot' as const) : ('human' as const) })
  const say = async (who: number, replyTo?: string) => {
    const text = `text ${said.length}`
    const event = await loop.say({ text, person: person(who), ...(replyTo === undefined ? {} : { replyTo }) })
    delivered.push(event)
    const { message, at } = event
    said.push({
      message,
      person: event.person.id,
      at,
      text,
      asked: text,
      deleted: false,
      visibleAt: Number.POSITIVE_INFINITY,
      ...(replyTo === undefined ? {} : { replyTo }),
    })
  }
  const flush = async () => {
    for (const event of late.splice(0).reverse()) await loop.runtime.deliver(event)
  }
  for (const each of steps) {
    const about = 'back' in each ? said.at(-1 - each.back) : undefined
    switch (each.do) {
      case 'say':
        for (let i = 0; i < each.burst; i += 1) await say(each.who)
        await loop.runtime.idle()
        break
      case 'quote':
        if (about === undefined) break
        await say(each.who, `reply to ${about.message}`)
        await loop.runtime.idle()
        break
      case 'react': {
        if (about === undefined) break
        loop.wait()
        const event = {
          platform: 'terminal',
          workspace: 'home',
          conversation: 'c',
          id: `r${reactions.length}`,
          at: loop.now(),
          person: person(each.who),
          type: each.remove ? ('reaction_removed' as const) : ('reaction' as const),
          message: `reply to ${about.message}`,
          emoji: each.emoji,
        }
        reactions.push(event)
        delivered.push(event)
        if (each.late) late.push(event)
        else await loop.runtime.deliver(event)
        await loop.runtime.idle()
        break
      }
      case 'press': {
        if (about === undefined) break
        loop.wait()
        const event = {
          platform: 'terminal',
          workspace: 'home',
          conversation: 'c',
          id: `r${reactions.length}`,
          at: loop.now(),
          person: person(each.who),
          type: 'button' as const,
          message: `reply to ${about.message}`,
          value: each.value,
        }
        reactions.push(event)
        delivered.push(event)
        if (each.late) late.push(event)
        else await loop.runtime.deliver(event)
        await loop.runtime.idle()
        break
      }
      case 'edit':
        if (about === undefined || about.deleted) break
        about.rewritten = `${about.asked} again ${loop.now()}`
        delivered.push(
          await loop.send('edit', {
            message: about.message,
            text: about.rewritten,
            person: { id: about.person, kind: 'human' },
          }),
        )
        await loop.runtime.idle()
        break
      case 'delete':
        if (about === undefined) break
        about.deleted = true
        delivered.push(
          await loop.send('deletion', { message: about.message, person: { id: about.person, kind: 'human' } }),
        )
        await loop.runtime.idle()
        break
      case 'flush':
        await flush()
        break
      case 'repeat':
        for (const event of delivered) if (!late.includes(event)) await loop.runtime.deliver(event)
        break
      case 'restart':
        await loop.restart()
        break
    }
  }
  await flush()
  await loop.runtime.idle()
  return { said, reactions }
}

test('whatever people do, in whatever order it arrives, each reply is judged once by what was said about it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
      const loop = await startLoop({ judge: witness })
      try {
        const { said, reactions } = await play(loop, steps)
        const turns = await loop.store.db
          .selectFrom('turns')
          .select(['id', 'message', 'state', 'evidence', 'judged'])
          .execute()
        expect(turns.map((turn) => turn.message).sort()).toEqual(said.map((each) => each.message).sort())
        const evidence = expected(said, reactions)
        for (const turn of turns) {
          const verdict = await loop.store.db
            .selectFrom('verdicts')
            .selectAll()
            .where('turn', '=', turn.id)
            .orderBy('revision', 'desc')
            .executeTakeFirst()
          const nothing = JSON.parse(evidence.get(turn.message) ?? '').seen.length === 0
          expect(verdict === undefined || verdict.basis === 'withdrawn').toBe(nothing)
          if (!nothing) expect(verdict?.basis).toBe(evidence.get(turn.message))
          expect(turn.judged).toBe(turn.evidence)
          const ready = await loop.store.db
            .selectFrom('samples')
            .select('id')
            .where('turn', '=', turn.id)
            .where('state', '=', 'ready')
            .execute()
          expect(ready).toHaveLength(nothing ? 0 : 1)
          expect(turn.state).toBe(verdict === undefined ? 'open' : nothing ? 'judged' : 'sampled')
        }
        expect(loop.faults).toEqual([])
      } finally {
        await loop.close()
      }
    }),
    { numRuns: onPostgres ? 30 : 120 },
  )
}, 60_000)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Evidence } from '../../../core/judge/judge.ts'
import { turnId } from '../../../core/stream/turns.ts'
import type { Event, EventOf, Verdict } from '../../../core/types.ts'
import { type Loop, startLoop } from '../loop.ts'

/**
 * What happened, in rounds: what is said in one round is answered before the next one begins, and everything of a round
 * happens before its answers can be read. `back` counts from the newest message, those of this round included where a
 * reply to it may be spoken of before it is there.
 */
const happening = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('say' as const) },
    { weight: 2, arbitrary: fc.constant('quote' as const) },
    { weight: 4, arbitrary: fc.constantFrom('react' as const, 'unreact' as const) },
    { weight: 2, arbitrary: fc.constantFrom('up' as const, 'down' as const, 'release' as const) },
    { weight: 2, arbitrary: fc.constant('edit' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
    { weight: 1, arbitrary: fc.constantFrom('clear' as const, 'clear one' as const) },
    { weight: 1, arbitrary: fc.constant('correct' as const) },
  ),
  where: fc.nat(3),
  who: fc.constantFrom(0, 0, 1, 2),
  back: fc.nat(4),
  emoji: fc.constantFrom('👍', '👎'),
  // Clocks tick once a second, so much has the same time.
  second: fc.nat(2),
})
type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never

/** The same facts arrive in two orders, some of them twice, with the program stopped and started in between. */
const story = fc.record({
  rounds: fc.array(fc.array(happening, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 }),
  orders: fc.tuple(fc.infiniteStream(fc.nat(1_000)), fc.infiniteStream(fc.nat(1_000))),
  restarts: fc.tuple(fc.array(fc.nat(20), { maxLength: 2 }), fc.array(fc.nat(20), { maxLength: 2 })),
})

const HOUR = 3_600_000
const WORKSPACES = ['home', 'away'] as const
const PEOPLE = [
  { id: 'ann', kind: 'human' },
  { id: 'bob', kind: 'human' },
  { id: 'robot', kind: 'bot' },
] as const

/** Says as its basis exactly what it was shown. */
function witness({ asker, signals }: Evidence): Verdict {
  const seen = signals.map(({ type, person, content }) => `${type} ${person} ${content}`).sort()
  return { score: 1, weight: 1, hint: null, basis: JSON.stringify({ asker, seen }), judge: 'witness' }
}

/** The events of each round. Ids are the same in both workspaces: nothing but the workspace tells them apart. */
function eventsOf(rounds: readonly (readonly Happening[])[]): Event[][] {
  const said = new Map<string, { round: number; event: EventOf<'message'> }[]>(WORKSPACES.map((name) => [name, []]))
  const counts = new Map<string, number>()
  return rounds.map((round, number) =>
    round.flatMap(({ what, where, who, back, emoji, second }): Event[] => {
      const workspace = WORKSPACES[where & 1]!
      const person = PEOPLE[who]!
      const count = (counts.get(workspace) ?? 0) + 1
      counts.set(workspace, count)
      const at = (number + 1) * HOUR + second * 1_000
      const base = { platform: 'terminal', workspace, conversation: `c${where >> 1}`, id: `e${count}`, at, person }
      const known = said.get(workspace)!
      const about = known.at(-1 - back)
      const carrier = about === undefined ? 'nothing' : `${turnId(about.event)}/0`
      const text = `text ${count} of ${workspace}`
      const mine = about && { ...base, message: about.event.message, person: about.event.person }
      switch (what) {
        case 'say':
        case 'quote': {
          const event = { ...base, type: 'message' as const, message: `m${count}`, text }
          const quoted = what === 'quote' ? { ...event, replyTo: carrier } : event
          if (person.kind === 'human') known.push({ round: number, event: quoted })
          return [quoted]
        }
        case 'react':
          return [{ ...base, type: 'reaction', message: carrier, emoji }]
        case 'unreact':
          return [{ ...base, type: 'reaction_removed', message: carrier, emoji }]
        case 'up':
        case 'down':
          return [{ ...base, type: 'button', message: carrier, value: what }]
        case 'release':
          return [{ ...base, type: 'button', message: carrier, value: null }]
        case 'clear':
        case 'clear one':
          return [{ ...base, type: 'reactions_cleared', message: carrier, emoji: what === 'clear' ? null : emoji }]
        case 'correct':
          return [{ ...base, type: 'correction', message: carrier, text }]
        case 'edit':
          return mine === undefined ? [] : [{ ...mine, type: 'edit', text }]
        default:
          // Whether a message of this very round is answered before it is gone is up to the order.
          return mine === undefined || about?.round === number ? [] : [{ ...mine, type: 'deletion' }]
      }
    }),
  )
}

async function live(rounds: readonly (readonly Event[])[], order: Iterator<number>, restarts: readonly number[]) {
  const loop = await startLoop({ judge: witness })
  try {
    let delivered = 0
    for (const [number, events] of rounds.entries()) {
      // The clock of the round: everything in it has happened before.
      const tick = { platform: 'terminal', workspace: 'home', conversation: 'clock', person: PEOPLE[0] }
      await loop.play({
        ...{ ...tick, id: `tick${number}`, at: (number + 1) * HOUR + 5_000 },
        ...{ type: 'reaction', message: 'nothing', emoji: '👍' },
      })
      const drawn = events.flatMap((event) => {
        const lot = order.next().value as number
        const again = lot % 3 === 0 ? [{ event, lot: order.next().value as number }] : []
        return [{ event, lot }, ...again]
      })
      for (const { event } of drawn.sort((a, b) => a.lot - b.lot)) {
        await loop.runtime.deliver(event)
        if (restarts.includes(delivered++)) await loop.restart()
      }
      await loop.runtime.idle()
    }
    return await record(loop)
  } finally {
    await loop.close()
  }
}

/** What was made of it all: by workspace and question what its reply was judged by, in the end. */
async function record({ store: { db }, faults }: Loop) {
  expect(faults).toEqual([])
  const turns = await db.selectFrom('turns').selectAll().execute()
  const verdicts = await db.selectFrom('verdicts').selectAll().orderBy('revision').execute()
  const ready = await db.selectFrom('samples').select('turn').where('state', '=', 'ready').execute()
  const result: Record<string, unknown> = {}
  for (const turn of turns) {
    expect(turn.judged).toBe(turn.evidence)
    const own = verdicts.filter((verdict) => verdict.turn === turn.id)
    expect(new Set(own.map((verdict) => verdict.revision)).size).toBe(own.length)
    expect(own.at(-1)?.revision ?? 0).toBe(turn.evidence)
    const basis = own.at(-1)?.basis ?? 'withdrawn'
    const other = WORKSPACES.find((name) => name !== turn.workspace)!
    expect(basis).not.toContain(`of ${other}`)
    expect(basis).not.toContain('robot')
    const samples = ready.filter((sample) => sample.turn === turn.id).length
    expect(samples).toBe(basis === 'withdrawn' ? 0 : 1)
    result[`${turn.workspace} ${turn.message}`] = basis
  }
  return result
}

test('the same facts lead to the same verdicts, in whatever order and however often they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ rounds, orders: [first, second], restarts }) => {
      const events = eventsOf(rounds)
      const one = await live(events, first, restarts[0])
      const other = await live(events, second, restarts[1])
      expect(other).toEqual(one)
    }),
    { numRuns: 40, interruptAfterTimeLimit: 15_000 },
  )
}, 60_000)

test.each([
  { name: 'before the message', conversation: 'c', order: ['edit', 'message'] },
  { name: 'after it', conversation: 'c', order: ['message', 'settle', 'edit'] },
  { name: 'in another conversation while it is taken up', conversation: 'thread', order: ['message', 'edit'] },
] as const)('an edit is later than its message by whatever clock, also one that comes $name', async (story) => {
  const loop = await startLoop({ judge: witness })
  try {
    const carrier = await loop.ask('Why?')
    const at = loop.now() + 10_000
    for (const what of story.order) {
      const { conversation } = story
      if (what === 'settle') await loop.runtime.idle()
      else if (what === 'edit')
        await loop.send('edit', { message: 'm9', at: at - 1_000, text: 'amended', conversation })
      else await loop.say({ message: 'm9', at, text: 'as it was', replyTo: carrier })
    }
    await loop.runtime.idle()
    const { content } = await loop.store.db.selectFrom('signals').select('content').executeTakeFirstOrThrow()
    expect(content).toBe('amended')
  } finally {
    await loop.close()
  }
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Act, type Exchange, nextAct } from '../../../cli/demo/person.ts'
import { QUESTIONS } from '../../../cli/demo/questions.ts'
import { WISHES, type Wish } from '../../../cli/demo/wishes.ts'
import { HINTS } from '../../../config/hints.ts'
import { judge } from '../../../core/judge/judge.ts'

const GOOD: Readonly<Record<string, string>> = {
  short: 'Boil water and steep the leaves.',
  warm: 'Hi there! Boil water, then steep the leaves. Hope this helps!',
  'one-sentence': 'Boil water, then steep the leaves for four minutes.',
  bullets: '- Boil water\n- Steep the leaves',
  steps: '1. Boil water\n2. Steep the leaves',
  german: 'Das Wasser wird gekocht und der Tee mit dem Wasser übergossen.',
  emoji: 'Boil water and steep the leaves. 🍵',
  name: 'Sam, boil water and steep the leaves.',
}
const BAD = `First you need some water and leaves. ${'Then you wait for quite a while and look at it. '.repeat(8)}`

/** Plays a conversation; `complies` says whether the reply to the n-th message is as wished. */
function play(wish: Wish, seed: number, complies: (n: number) => boolean, replies = 36, kill = Infinity) {
  let exchanges: Exchange[] = []
  const acts: Act[] = []
  const persona = { wish, seed, first: 0 }
  for (let act = nextAct(persona, exchanges, replies); act.type !== 'leave'; ) {
    acts.push(act)
    if (act.type === 'react') {
      exchanges[exchanges.length - 1] = { ...exchanges.at(-1)!, reaction: act.emoji }
    } else {
      const reply = complies(exchanges.length) ? GOOD[wish.name]! : BAD
      const { kind, question, conversation } = act
      exchanges.push({ kind, question, conversation, reply, degenerate: false, reaction: null })
    }
    if (acts.length === kill) exchanges = JSON.parse(JSON.stringify(exchanges))
    act = nextAct(persona, exchanges, replies)
    expect(acts.length).toBeLessThan(200)
  }
  return { acts, exchanges }
}

const anyWish = fc.constantFrom(...Object.values(WISHES))

test('whatever the bot does, the person takes 36 replies and leaves nothing without an answer', () => {
  fc.assert(
    fc.property(anyWish, fc.nat(1000), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }), (wish, seed, ok) => {
      const { acts, exchanges } = play(wish, seed, (n) => ok[n] === true)
      expect(exchanges).toHaveLength(36)
      expect(exchanges.at(-1)?.reaction).not.toBeNull()
      const asked = exchanges.filter(({ kind }) => kind === 'question').map(({ question }) => question)
      expect(asked).toEqual(asked.map((_, i) => i))
      const says = acts.filter((act) => act.type === 'say')
      for (const { kind, question, text } of says) {
        if (kind === 'question') expect(text.endsWith(QUESTIONS[question]!)).toBe(true)
        else expect(wish.corrections).toContain(text)
      }
    }),
  )
})

test('a person who comes back does what they would have done', () => {
  fc.assert(
    fc.property(anyWish, fc.nat(1000), fc.integer({ min: 1, max: 60 }), (wish, seed, kill) => {
      const complies = (n: number) => n % 3 === 2
      expect(play(wish, seed, complies, 36, kill).acts).toEqual(play(wish, seed, complies).acts)
    }),
  )
})

test('another seed is another mood', () => {
  const moods = [1, 2, 3].map((seed) => JSON.stringify(play(WISHES['short']!, seed, (n) => n % 2 === 1).acts))
  expect(new Set(moods).size).toBe(3)
})

test('who gets what they want mostly gives thumbs; who never does speaks up, then only lowers the thumb', () => {
  const wish = WISHES['short']!
  const happy = play(wish, 1, () => true)
  expect(happy.exchanges.filter(({ reaction }) => reaction === '+').length).toBeGreaterThan(18)
  expect(happy.exchanges.some(({ reaction }) => reaction === '-')).toBe(false)
  const unhappy = play(wish, 1, () => false).exchanges
  expect(unhappy[1]?.kind).toBe('correction')
  expect(unhappy.filter(({ reaction }) => reaction === '+')).toEqual([])
  const thumbsOnly = unhappy.filter(({ kind, reaction }) => kind === 'question' && reaction === '-')
  expect(thumbsOnly.length).toBeGreaterThan(2)
})

test('a reply that repeats itself pleases nobody', () => {
  const exchange = { kind: 'question', question: 0, conversation: 0, reaction: null } as const
  const act = nextAct(
    { wish: WISHES['short']!, seed: 1, first: 0 },
    [{ ...exchange, reply: GOOD['short']!, degenerate: true }],
    36,
  )
  expect(act).not.toMatchObject({ type: 'react', emoji: '+' })
})

describe.each(Object.values(WISHES))('the judge hears what the person means ($name)', (wish) => {
  const hear = (content: string, reply: string) => {
    const signal = { id: 's', turn: 't', type: 'message', person: 'p', content, at: 0 } as const
    return judge({ request: QUESTIONS[0]!, reply, asker: 'p', signals: [signal] })
  }

  test.each([BAD, GOOD[wish.name]!, `${BAD} What would you like to know?`])('after: %s', (reply) => {
    for (const correction of wish.corrections) {
      const text = HINTS[wish.name as keyof typeof HINTS].hint.replace('$1', 'Sam')
      const hint = { wish: wish.name, text }
      expect({ correction, ...hear(correction, reply) }).toMatchObject({ correction, score: -1, hint })
    }
    for (const praise of wish.praise) {
      for (const question of QUESTIONS) {
        expect(hear(`${praise} ${question}`, reply)).toMatchObject({ score: 1, hint: null })
      }
    }
    for (const question of QUESTIONS.slice(1)) expect(hear(question, reply)).toMatchObject({ score: 0, hint: null })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HINTS } from '../../../config/hints.ts'
import { HINT_LIMIT } from '../../../core/judge/hint.ts'
import { type Evidence, JUDGE_VERSION, judge } from '../../../core/judge/judge.ts'
import type { Signal } from '../../../core/types.ts'

type Said = Partial<Omit<Signal, 'content'>>

/** Signals from shorthands: emoji and words by `ana`, the asker, unless said otherwise. */
const reaction = (content: string, more: Said = {}) => ({ type: 'reaction' as const, content, ...more })
const message = (content: string, more: Said = {}) => ({ type: 'message' as const, content, ...more })
const edit = (content: string, more: Said = {}) => ({ type: 'edit' as const, content, ...more })

function following(
  signals: readonly (Said & { type: Signal['type']; content: string })[],
  { request = 'How do I make tea?', reply = 'Boil water, then steep the leaves for four minutes.' } = {},
): Evidence {
  return {
    request,
    reply,
    asker: 'ana',
    signals: signals.map((signal, i) => ({ id: `s${i}`, turn: 't', person: 'ana', at: i, ...signal })),
  }
}

describe('votes', () => {
  test.each([
    [[reaction('👍')], 1, 1],
    [[reaction(':-1:')], -1, 1],
    [[reaction('👀')], 0, 0],
    [[reaction('👍'), reaction('❤️')], 1, 1],
    [[reaction('👍'), reaction('👎')], 0, 0],
    [[reaction('👍'), reaction('👎', { person: 'ben' })], 0, 0],
    [[reaction('👍'), reaction('👎', { person: 'ben' }), reaction('🎉', { person: 'cem' })], 1, 1 / 3],
    // One person's ten thumbs are one vote.
    [[...Array.from({ length: 10 }, () => reaction('👍')), reaction('👎', { person: 'ben' })], 0, 0],
  ])('%j', (signals, score, weight) => {
    expect(judge(following(signals))).toMatchObject({ score, weight, hint: null, judge: JUDGE_VERSION })
  })

  test.each([
    ['good bot', 1],
    ['Bad bot!', -1],
    ['guter Bot', 1],
    ['mauvais robot', -1],
    ['悪いボット', -1],
  ])('a vote in words counts as one: %s', (words, score) => {
    const verdict = judge(following([message(words), message('wrong, I mean the tea leaves', { person: 'ben' })]))
    expect(verdict).toMatchObject({ score, weight: 1, basis: 'said' })
  })

  test('who asks for another one has not quite said that this one is bad', () => {
    const turn = { request: 'Find me a tea.', reply: 'I recommend the green one.' }
    expect(judge(following([message('anything else?')], turn))).toMatchObject({ score: -1, weight: 0.5 })
  })

  test('the basis names the emoji that decided', () => {
    expect(judge(following([reaction('👎')])).basis).toBe('reaction:👎')
  })

  test('a workspace may see an emoji its own way', () => {
    expect(judge(following([reaction('👀')]), { '👀': 1 }).score).toBe(1)
  })
})

describe('votes and words together', () => {
  test('a thumb decides the score, the words still give the hint', () => {
    const verdict = judge(following([reaction('👍'), message('but shorter next time please')]))
    expect(verdict).toMatchObject({ score: 1, hint: { wish: 'short', text: HINTS.short.hint } })
  })

  test('thanks beside a thumb down changes nothing', () => {
    expect(judge(following([reaction('👎'), message('thanks anyway')]))).toMatchObject({ score: -1, hint: null })
  })

  test("the asker's hint goes before another's", () => {
    const verdict = judge(
      following([message('as a table please', { person: 'ben' }), message('no, as bullets please')]),
    )
    expect(verdict.hint?.wish).toBe('bullets')
  })
})

describe('words', () => {
  test('a burst is one text, in the order it was said', () => {
    expect(judge(following([message('thanks'), message('wrong, though')])).score).toBe(-1)
    expect(judge(following([message('way too long!', { at: 2 }), message('hm', { at: 1 })])).hint?.wish).toBe('short')
  })

  test('wishes of two groups become one hint', () => {
    const { hint } = judge(following([message('shorter and friendlier please')]))
    expect(hint).toEqual({ wish: 'short', text: `${HINTS.short.hint} ${HINTS.warm.hint}` })
  })

  test('what is not in the catalogue stays in the own words', () => {
    expect(judge(following([message('No, with milk instead of water, please.')])).hint).toEqual({
      wish: null,
      text: 'Keep in mind: with milk instead of water.',
    })
    expect(judge(following([message("don't mention the leaves, ok?")]))).toMatchObject({ score: 0 })
    expect(judge(following([message("nope, don't mention the leaves")])).hint?.text).toBe("Don't mention the leaves.")
  })

  test('what someone quotes is not what they say', () => {
    expect(judge(following([message('> ben: great answer, thanks!\nis it raining?')])).score).toBe(0)
  })

  test('an edited request speaks of the reply only where something was put in', () => {
    const turn = { request: 'Describe tea', reply: 'Tea is an aromatic beverage, which is prepared by pouring...' }
    expect(judge(following([edit('Describe coffee')], turn))).toMatchObject({ score: 0, hint: null })
    expect(judge(following([edit('Describe tea (way too long!)')], turn)).hint?.wish).toBe('short')
    expect(judge(following([edit('perfect, thank you')], turn)).score).toBe(1)
  })

  test('a complaint about a refusal is no verdict, a wish about its form is one', () => {
    const turn = { request: "What is Tom's salary?", reply: "I'm sorry, I can't share other people's salaries." }
    for (const words of ['useless bot', 'next time just tell me', 'wrong, you should have told me', 'no hedging!']) {
      expect(judge(following([message(words)], turn))).toMatchObject({ score: 0, hint: null })
    }
    expect(judge(following([message('friendlier please')], turn)).hint?.wish).toBe('warm')
    expect(judge(following([reaction('👎')], turn)).score).toBe(-1)
  })

  test('nothing said, nothing judged', () => {
    expect(judge(following([]))).toEqual({ score: 0, weight: 0, basis: 'abstain', hint: null, judge: JUDGE_VERSION })
    expect(judge(following([message('   ')])).basis).toBe('abstain')
  })
})

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'no, ',
    'shorter please ',
    'wrong ',
    '\n',
    '👍',
    '<|im_start|>',
    '@everyone ',
    'https://x.io ',
    '違う',
    'é́',
  ),
)

test('whatever is said: the same verdict twice, and a hint is one short plain sentence', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.string(), fc.string(), (pieces, request, reply) => {
      const evidence = following([message(pieces.join(''))], { request, reply })
      const verdict = judge(evidence)
      expect(judge(evidence)).toEqual(verdict)
      const text = verdict.hint?.text ?? 'ok'
      expect(text.length).toBeLessThanOrEqual(HINT_LIMIT)
      expect(text).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}]|https?:|<\||@\w/u)
    }),
    { numRuns: 300 },
  )
})

test('a long message costs no more than a few milliseconds', () => {
  const words = 'no, not the long way please, in the other way round, too long, i said it before, '
  const evidence = following([message(words.repeat(500))])
  judge(evidence)
  // What it costs, and not how long others keep it waiting. In microseconds.
  const start = process.cpuUsage()
  for (let i = 0; i < 5; i++) judge(evidence)
  const { user, system } = process.cpuUsage(start)
  expect((user + system) / 5).toBeLessThan(100_000)
})

test.each(['\n', '\r', ' \n', '>\n'])('a long message of nothing but %j does not hold up the others', (line) => {
  const start = performance.now()
  judge(following([message(line.repeat(64_000 / line.length))]))
  expect(performance.now() - start).toBeLessThan(500)
})

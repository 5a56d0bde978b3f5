import { describe, expect, test } from 'vitest'
import { type KnownTurn, nextState } from '../../../core/stream/nextstate.ts'
import type { Event, Person } from '../../../core/types.ts'

const ann: Person = { id: 'ann', kind: 'human' }
const bob: Person = { id: 'bob', kind: 'human' }
const base = { platform: 'terminal', workspace: 'home', conversation: 'c', id: 'e', person: ann, at: 10_000 }

const first: KnownTurn = {
  id: 'first',
  kind: 'main',
  person: 'ann',
  message: 'q1',
  asked: 'What is tea?',
  visibleAt: 1_000,
  messages: ['r1', 'r1b'],
}
const second: KnownTurn = {
  ...first,
  id: 'second',
  message: 'q2',
  asked: 'And coffee?',
  visibleAt: 5_000,
  messages: ['r2'],
}
const unread: KnownTurn = { ...first, id: 'unread', message: 'q3', asked: 'Cocoa?', visibleAt: null, messages: [] }
/** It was handed over, and nobody knows whether it was ever shown. */
const lost: KnownTurn = { ...second, id: 'lost', messages: [] }
const bobs: KnownTurn = { ...second, id: 'bobs', person: 'bob' }

const side: KnownTurn = { ...second, id: 'side', kind: 'side', asked: '' }

const message = (text: string, fields = {}): Event => ({ ...base, type: 'message', message: 'm', text, ...fields })
const edit = (message: string, fields = {}): Event => ({ ...base, type: 'edit', message, text: 'new words', ...fields })
const reaction = (message: string, fields = {}): Event => ({
  ...base,
  type: 'reaction',
  message,
  emoji: '👍',
  ...fields,
})

const button = (message: string, value: 'up' | 'down' | null, fields = {}): Event => ({
  ...base,
  type: 'button',
  message,
  value,
  ...fields,
})

const cases: [string, Event, KnownTurn[], string | null | undefined][] = [
  ['a message follows the last turn of its conversation', message('shorter'), [first, second], 'second'],
  ['the first message follows nothing', message('shorter'), [], undefined],
  ['a message of somebody else does not', message('shorter', { person: bob }), [first, second], undefined],
  ['nor one after somebody else was answered', message('shorter'), [first, bobs], undefined],
  ['nor one after a side turn', message('shorter'), [first, side], undefined],
  ['nor a reaction on one', reaction('r2'), [first, side], undefined],
  ['nor one of a bot', message('shorter', { person: { id: 'ann', kind: 'bot' } }), [first], undefined],
  ['nor one of ourselves', message('shorter', { person: { id: 'ann', kind: 'self' } }), [first], undefined],
  [
    'written before the reply could be read, it follows the one before',
    message('no', { at: 4_999 }),
    [first, second],
    'first',
  ],
  ['written before any reply could be read, it follows nothing', message('no', { at: 999 }), [first], undefined],
  ['a reply that is not delivered yet is passed over', message('no'), [first, unread], 'first'],
  ['nor one after a reply that may never have been shown', message('hello?'), [first, lost], undefined],
  ['nor new words for a question whose answer may never have been', edit('q2'), [first, lost], undefined],
  [
    'an explicit reply finds its turn, whoever writes it',
    message('no', { replyTo: 'r1b', person: bob }),
    [first, second],
    'first',
  ],
  ['an explicit reply to what is unknown may find its turn later', message('no', { replyTo: 'x' }), [first], null],
  ['the second message of a burst follows what the first one does', message('and', { at: 10_001 }), [second], 'second'],
  ['the same words after reading are meant', message('And coffee?', { at: 9_000 }), [first, second], 'second'],
  ['a reaction finds the message it stands on', reaction('r1b', { person: bob }), [first, second], 'first'],
  ['a reaction on what is unknown may find its turn later', reaction('later'), [first], null],
  ['a reaction of a bot counts for nothing', reaction('r1', { person: { id: 'b', kind: 'bot' } }), [first], undefined],
  ['a button finds the message it stands under', button('r1b', 'up', { person: bob }), [first, second], 'first'],
  [
    'a button of a bot counts for nothing',
    button('r1', 'up', { person: { id: 'b', kind: 'bot' } }),
    [first],
    undefined,
  ],
  ['a button under what is unknown may find its turn later', button('later', 'down'), [first], null],
  ['a rewritten reply speaks of that reply', edit('r1', { person: bob }), [first, second], 'first'],
  ['a question rewritten after its answer speaks of the answer', edit('q1'), [first, second], 'first'],
  ['rewritten by somebody else it does not', edit('q1', { person: bob }), [first, second], undefined],
  ['rewritten before the answer could be read it does not', edit('q2', { at: 4_000 }), [first, second], undefined],
  ['any other rewritten message says nothing', edit('x'), [first, second], undefined],
  ['a deletion says nothing', { ...base, type: 'deletion', message: 'q1' }, [first], undefined],
  ['a command says nothing', { ...base, type: 'command', text: 'why' }, [first], undefined],
]

test.each(cases)('%s', (_name, event, turns, expected) => {
  const found = nextState(event, turns)
  expect(found === null ? undefined : found.turn).toBe(expected)
})

describe('what is taken back', () => {
  test('is a removed reaction', () => {
    const removed: Event = { ...base, type: 'reaction_removed', message: 'r1', emoji: '👍' }
    expect(nextState(removed, [first])).toEqual({ turn: 'first', type: 'reaction', content: '👍', active: false })
  })

  test('is a button pressed once more', () => {
    expect(nextState(button('r1', null), [first])).toMatchObject({ turn: 'first', type: 'button', active: false })
  })

  test('is an edit that restores the question', () => {
    expect(nextState(edit('q1', { text: 'What is tea?' }), [first])).toMatchObject({ active: false })
  })
})

test('a button is a thumb', () => {
  expect(nextState(button('r1', 'up'), [first])).toMatchObject({ content: '👍', active: true })
  expect(nextState(button('r1', 'down'), [first])).toMatchObject({ content: '👎', active: true })
})

test('the same request at once is a retry and says nothing; after reading, the same words are meant', () => {
  expect(nextState(message(' And coffee? ', { at: 5_900 }), [first, second])).toMatchObject({ active: false })
  expect(nextState(message('And coffee?', { at: 9_000 }), [first, second])).toMatchObject({ active: true })
})

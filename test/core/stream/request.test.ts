import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildRequest } from '../../../core/stream/request.ts'
import type { ChatMessage } from '../../../core/types.ts'
import { prompter, readIds } from '../parrot.ts'

const talk: ChatMessage[] = [
  { role: 'assistant', content: 'hello' },
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'two' },
  { role: 'user', content: 'three' },
]

test('begins with a user message and ends with the notes of the last', () => {
  const request = buildRequest(null, talk, ['Be kind.', 'Be short.'], 1_000, prompter)
  expect(request?.messages).toEqual(talk.slice(1))
  expect(readIds(request!.promptIds)).toBe('<user>one<assistant>two<user>three\n\nBe kind.\n\nBe short.')
})

test('forgets the beginning first', () => {
  expect(buildRequest(null, talk, [], 20, prompter)?.messages).toEqual(talk.slice(3))
})

test('is none when the question alone is too long', () => {
  expect(buildRequest(null, talk, [], 10, prompter)).toBeNull()
})

test('a system prompt comes first, once, and counts', () => {
  const request = buildRequest('You are Claw.', talk, [], 1_000, prompter)
  expect(request?.messages).toEqual([{ role: 'system', content: 'You are Claw.' }, ...talk.slice(1)])
  const again = buildRequest('You are Claw.', request?.messages ?? [], [], 1_000, prompter)
  expect(again).toEqual(request)
  expect(buildRequest('You are Claw. '.repeat(30), talk, [], 20, prompter)).toBeNull()
})

test('is the longest that fits', () => {
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.string({ maxLength: 20 }),
  })
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.string({ maxLength: 9 }),
      fc.nat(150),
      (before, text, budget) => {
        const all: ChatMessage[] = [...before, { role: 'user', content: text }]
        const fits = all
          .map((_, at) => all.slice(at))
          .filter((part) => part[0]?.role === 'user' && prompter.prompt(part).length <= budget)
        expect(buildRequest(null, all, [], budget, prompter)?.messages ?? []).toEqual(fits[0] ?? [])
      },
    ),
  )
})

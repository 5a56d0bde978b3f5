import { expect, test } from 'vitest'
import { type Input, readLine } from '../../../cli/sandbox/line.ts'

test.each<[string, Input]>([
  ['  ', { type: 'nothing' }],
  ['hello there', { type: 'message', text: 'hello there' }],
  ['+1 for that', { type: 'message', text: '+1 for that' }],
  ['+', { type: 'reaction', emoji: '👍' }],
  ['-', { type: 'reaction', emoji: '👎' }],
  [':tada:', { type: 'reaction', emoji: '🎉' }],
  ['🔥', { type: 'reaction', emoji: '🔥' }],
  ['👍🏽', { type: 'reaction', emoji: '👍🏽' }],
  ['/telegram', { type: 'platform', platform: 'telegram' }],
  ['/thread', { type: 'thread' }],
  ['/as ben', { type: 'as', text: 'ben' }],
  ['/claw learn on', { type: 'command', text: 'learn on' }],
  ['/claw', { type: 'command', text: '' }],
  ['/edit no, shorter', { type: 'edit', text: 'no, shorter' }],
  ['/press up', { type: 'press', text: 'up' }],
  ['/fault limited 5', { type: 'fault', fault: { type: 'limited', seconds: 5 } }],
  ['/fault disconnect', { type: 'fault', fault: { type: 'disconnect' } }],
])('%s', (line, input) => {
  expect(readLine(line)).toEqual(input)
})

test.each(['/edit', '/fault', '/fault loud', '/fault slow fast', '/nowhere'])('%s is a mistake', (line) => {
  expect(readLine(line).type).toBe('mistake')
})

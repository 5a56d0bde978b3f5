import { expect, test } from 'vitest'
import { readLine } from '../../../../adapters/playground/terminal/line.ts'
import { reactionScore } from '../../../../config/reactions.ts'

const read = (line: string) => readLine(line, (emoji) => reactionScore(emoji) !== undefined)

test.each([
  ['', { type: 'nothing' }],
  ['   ', { type: 'nothing' }],
  ['+', { type: 'reaction', emoji: '👍' }],
  [' - ', { type: 'reaction', emoji: '👎' }],
  ['🎉', { type: 'reaction', emoji: '🎉' }],
  ['👍🏽', { type: 'reaction', emoji: '👍🏽' }],
  ['❤️', { type: 'reaction', emoji: '❤️' }],
  ['🤔', { type: 'reaction', emoji: '🤔' }],
  ['🦔', { type: 'message', text: '🦔' }],
  ['👍👍', { type: 'message', text: '👍👍' }],
  ['heart', { type: 'message', text: 'heart' }],
  ['100', { type: 'message', text: '100' }],
  ['x', { type: 'message', text: 'x' }],
  ['-1', { type: 'message', text: '-1' }],
  ['👍 great', { type: 'message', text: '👍 great' }],
  ['/claw status', { type: 'command', text: '/claw status' }],
  ['/claw', { type: 'command', text: '/claw' }],
  ['/clawing', { type: 'message', text: '/clawing' }],
  ['/new', { type: 'new' }],
  ['/new is what?', { type: 'message', text: '/new is what?' }],
  ['/as Ben B', { type: 'as', text: 'Ben B' }],
  ['/as', { type: 'as', text: '' }],
  ['/help', { type: 'help' }],
  ['/quit', { type: 'quit' }],
  ['/etc/hosts is what?', { type: 'message', text: '/etc/hosts is what?' }],
  ['shorter please', { type: 'message', text: 'shorter please' }],
])('%j', (line, input) => {
  expect(read(line)).toEqual(input)
})

import { expect, test } from 'vitest'
import { type Command, parseCommand } from '../../../core/commands/parse.ts'

test.each<[string, Command]>([
  ['/claw status', { name: 'status' }],
  ['  /CLAW   Why ', { name: 'why' }],
  ['status', { name: 'status' }],
  ['/claw', { name: 'help' }],
  ['', { name: 'help' }],
  ['/claw memory', { name: 'memory' }],
  ['/claw memory forget 2', { name: 'forget', note: 2 }],
  ['/claw memory forget', { name: 'unknown', text: 'memory forget' }],
  ['/claw memory forget two', { name: 'unknown', text: 'memory forget two' }],
  ['/claw rollback', { name: 'rollback', version: null }],
  ['/claw rollback 0', { name: 'rollback', version: 0 }],
  ['/claw rollback v12', { name: 'rollback', version: 12 }],
  ['/claw rollback -1', { name: 'unknown', text: 'rollback -1' }],
  ['/claw rollback 99999999999999999999', { name: 'unknown', text: 'rollback 99999999999999999999' }],
  ['/claw learn on', { name: 'learn', on: true }],
  ['/claw learn off', { name: 'learn', on: false }],
  ['/claw learn', { name: 'unknown', text: 'learn' }],
  ['/claw status now', { name: 'unknown', text: 'status now' }],
  ['/claw dance', { name: 'unknown', text: 'dance' }],
])('%j', (text, command) => {
  expect(parseCommand(text)).toEqual(command)
})

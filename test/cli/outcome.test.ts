import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { logFault } from '../../cli/log.ts'
import { outcome } from '../../cli/outcome.ts'
import { ClawError } from '../../core/errors.ts'

const data = mkdtempSync(join(tmpdir(), 'claw-outcome-'))
afterAll(() => rmSync(data, { recursive: true }))

/** The files that this process has open, where the system says so. */
const descriptors = ['/proc/self/fd', '/dev/fd'].find(existsSync) ?? '.'

test('an error with a code becomes one line, and one with the way out', () => {
  const error = new ClawError('MODEL_MISSING', 'The model is not here\nand more', { remedy: 'pull it' })
  expect(outcome(error, { data })).toEqual({
    exit: 1,
    text: 'claw: MODEL_MISSING The model is not here\n  what to do: pull it\n',
  })
})

test('a wrong setting is a mistake on the command line', () => {
  expect(outcome(new ClawError('CONFIG_INVALID', 'model: too short'), { data })).toEqual({
    exit: 2,
    text: 'claw: CONFIG_INVALID model: too short\n',
  })
})

test('a fault is one line and its place in the log, without the words it may quote', () => {
  const log = join(data, 'claw.log')
  const { exit, text } = outcome(new TypeError('cannot read "my secret words"\n    at my secret place'), { data })
  expect(exit).toBe(1)
  expect(text.split('\n')).toEqual([
    'claw: INTERNAL This is a fault in claw: cannot read "my secret words"',
    `  what to do: Report it with the last lines of ${log}.`,
    '',
  ])
  const entry = JSON.parse(readFileSync(log, 'utf8'))
  expect(entry).toMatchObject({ msg: 'fault', fault: 'TypeError' })
  expect(entry.frames[0]).toContain('outcome.test.ts')
  expect(JSON.stringify(entry)).not.toContain('secret')
  expect(statSync(log).mode & 0o777).toBe(0o600)
})

test('a thousand faults are no thousand open files', () => {
  const before = readdirSync(descriptors).length
  for (let i = 0; i < 50; i++) logFault(data, new Error('again'))
  expect(readdirSync(descriptors).length).toBeLessThan(before + 5)
})

test('a fault is told even where no log can be written', () => {
  const file = join(data, 'file')
  writeFileSync(file, '')
  expect(outcome(new Error('boom'), { data: file }).text).toContain('Report it; the log could not be written.')
})

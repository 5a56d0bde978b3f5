import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { prepareData } from '../../cli/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'claw-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

const refusal = { code: 'CONFIG_INVALID', message: expect.stringMatching(/^The data directory cannot be used: /) }

test('a data folder is made with those above it, for its owner alone', () => {
  const data = join(folder, 'a', 'b')
  prepareData(data)
  prepareData(data)
  expect(statSync(data).mode & 0o777).toBe(0o700)
})

test('a file is none, and nothing is made in one', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => prepareData(file)).toThrow(expect.objectContaining(refusal))
  expect(() => prepareData(join(file, 'data'))).toThrow(expect.objectContaining(refusal))
})

test.skipIf(!existsSync('/proc/self'))('where no folder can be made, the attempt ends', () => {
  expect(() => prepareData('/proc/claw/data')).toThrow(expect.objectContaining(refusal))
})

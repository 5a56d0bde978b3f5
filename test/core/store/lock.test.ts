import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { takeLock } from '../../../core/store/lock.ts'

const directory = mkdtempSync(join(tmpdir(), 'claw-lock-'))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('keeps a second process out until the first lets go', async () => {
  const first = await takeLock(directory, 'serve', 0)
  await expect(takeLock(directory, 'serve', 0)).rejects.toMatchObject({ code: 'STORE_UNUSABLE' })
  const other = await takeLock(directory, 'train', 0)
  const waiting = takeLock(directory, 'serve', 5_000)
  first.release()
  ;(await waiting).release()
  other.release()
})

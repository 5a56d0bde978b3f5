import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { ClawError } from '../errors.ts'

export interface Lock {
  release(): void
}

const RETRY_MS = 100

/**
 * Makes this process the only one of its kind on a data folder; the operating system takes the lock back when the
 * process dies, however it dies. Waits up to `patienceMs` for the one before to end. Throws STORE_UNUSABLE.
 */
export async function takeLock(dataDir: string, kind: 'serve' | 'train', patienceMs: number): Promise<Lock> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const file = new Database(join(dataDir, `${kind}.lock`), { timeout: 0 })
    try {
      file.pragma('locking_mode = EXCLUSIVE')
      file.exec('BEGIN EXCLUSIVE')
      return { release: () => file.close() }
    } catch (cause) {
      file.close()
      if (Date.now() < deadline) await sleep(RETRY_MS)
      else {
        throw new ClawError('STORE_UNUSABLE', 'Another claw is at work in this data folder', {
          remedy: 'End it first, or name another folder with --data.',
          cause,
        })
      }
    }
  }
}

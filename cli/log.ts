import { join } from 'node:path'
import pino from 'pino'
import { ClawError } from '../core/errors.ts'
import { mask } from '../core/mask.ts'

export const logFile = (dataDir: string): string => join(dataDir, 'claw.log')

const FRAME = /(?<=^\s+at ).+:\d+:\d+\)?$/gm

/** One open file a log, however many faults there are. */
const open = new Map<string, pino.Logger>()

/** The log of one process. It holds names, numbers and codes; never what people or the model said. */
export function openLog(dataDir: string): pino.Logger {
  const dest = logFile(dataDir)
  const known = open.get(dest)
  if (known !== undefined) return known
  const file = pino.destination({ dest, mode: 0o600, sync: true })
  const log = pino({ base: { pid: process.pid } }, { write: (line) => file.write(mask(line)) })
  open.set(dest, log)
  return log
}

/**
 * Logs a failure that no person was told of. A coded error says what it may; the message of any other may quote a
 * person, so only its name and its place in the code are kept.
 */
export function logFault(dataDir: string, error: unknown): void {
  const fault = error instanceof Error ? error : new Error(typeof error)
  const what =
    fault instanceof ClawError
      ? { code: fault.code, reason: fault.message }
      : { fault: fault.name, frames: (fault.stack ?? '').replace(fault.message, '').match(FRAME) ?? [] }
  openLog(dataDir).error(what, 'fault')
}

import { join } from 'node:path'
import pino from 'pino'

export const logFile = (dataDir: string): string => join(dataDir, 'claw.log')

const FRAME = /(?<=^\s+at ).+:\d+:\d+\)?$/gm

/** The log of one process. It holds names, numbers and codes; never what people or the model said. */
export function openLog(dataDir: string): pino.Logger {
  return pino({ base: { pid: process.pid } }, pino.destination({ dest: logFile(dataDir), mode: 0o600, sync: true }))
}

/** Logs something that should not have happened. Its message may quote a person, so only name and frames are kept. */
export function logFault(dataDir: string, error: unknown): void {
  const fault = error instanceof Error ? error : new Error(typeof error)
  const frames = (fault.stack ?? '').replace(fault.message, '').match(FRAME)
  openLog(dataDir).error({ fault: fault.name, frames: frames ?? [] }, 'fault')
}

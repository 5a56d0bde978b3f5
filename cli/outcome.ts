import { CommanderError } from 'commander'
import { ClawError, reason } from '../core/errors.ts'
import { mask } from '../core/mask.ts'
import { logFault, logFile } from './log.ts'
import { configure, prepareData, type Settings } from './settings.ts'

/** Exit codes, as `claw --help` lists them. */
const OK = 0
const FAILURE = 1
const USAGE = 2

interface Outcome {
  readonly exit: number
  /** For stderr; empty where there is nothing to say. */
  readonly text: string
}

/** What a command's end means for the shell and for the person: one line with a stable code, one with the way out. */
export function outcome(error: unknown, settings: Settings): Outcome {
  if (error instanceof CommanderError) return usage(error)
  if (error instanceof ClawError) {
    const exit = error.code === 'CONFIG_INVALID' || error.code === 'WISH_INVALID' ? USAGE : FAILURE
    return { exit, text: lines(error.code, error.message, error.remedy) }
  }
  return {
    exit: FAILURE,
    text: lines('INTERNAL', `This is a fault in claw: ${reason(error)}`, remember(error, settings)),
  }
}

function usage(error: CommanderError): Outcome {
  if (error.exitCode === 0) return { exit: OK, text: '' }
  // A command group without a subcommand: its help has been shown.
  if (error.code === 'commander.help') return { exit: USAGE, text: '' }
  const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  return { exit: USAGE, text: lines('USAGE', message, 'See `claw --help`, or `--help` behind any command.') }
}

function remember(error: unknown, settings: Settings): string {
  try {
    const { dataDir } = configure(settings)
    prepareData(dataDir)
    logFault(dataDir, error)
    return `Report it with the last lines of ${logFile(dataDir)}.`
  } catch {
    return 'Report it; the log could not be written.'
  }
}

function lines(code: string, message: string, remedy: string | undefined): string {
  const first = `claw: ${code} ${mask(message.split('\n', 1)[0] ?? '')}\n`
  return remedy === undefined ? first : `${first}  what to do: ${mask(remedy)}\n`
}

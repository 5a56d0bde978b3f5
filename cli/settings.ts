import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Option } from 'commander'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { ClawError, reason } from '../core/errors.ts'

/** The flags that override settings, as commander hands them over. */
export interface Settings {
  readonly data?: string
  readonly model?: string
  readonly memory?: 'on' | 'off'
  readonly host?: string
  readonly port?: number
}

export const dataOption = () =>
  new Option('--data <dir>', 'where models, database and versions live (default: CLAW_DATA_DIR, else ~/.claw)')
export const modelOption = () => new Option('--model <model>', 'a catalogue name, a Hugging Face folder or a GGUF file')
export const memoryOption = () =>
  new Option('--memory <on|off>', 'whether what you asked for stands as notes in the prompt').choices(['on', 'off'])

const REMEDY = 'Variables are listed by `claw --help`, the settings of config.json in config/config.ts.'

/** Environment and flags as one frozen object. Throws CONFIG_INVALID. */
export function configure({ data, model, memory, host, port }: Settings): Config {
  try {
    return loadConfig({
      ...(data === undefined ? {} : { dataDir: resolve(data) }),
      ...(model === undefined ? {} : { model }),
      ...(memory === undefined ? {} : { memory: { notes: memory === 'on' } }),
      http: { host, port },
    })
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new ClawError('CONFIG_INVALID', cause.message, { remedy: REMEDY, cause })
  }
}

/** Creates the data directory where it is missing. Throws CONFIG_INVALID. */
export function prepareData(dataDir: string): void {
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new ClawError('CONFIG_INVALID', `The data directory cannot be used: ${reason(cause)}`, {
      remedy: 'Name a folder you may write to with --data or CLAW_DATA_DIR.',
      cause,
    })
  }
}

/** As `mkdir -p`: Node's own never ends where a folder takes none, such as below /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  if (folder !== dirname(folder)) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

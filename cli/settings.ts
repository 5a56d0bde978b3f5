import { accessSync, constants, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
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
    throw new ClawError('CONFIG_INVALID', cause.message, { remedy: 'See `claw --help` for the settings.', cause })
  }
}

/** Creates the data directory where it is missing. Throws CONFIG_INVALID. */
export function prepareData(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new ClawError('CONFIG_INVALID', `The data directory cannot be used: ${reason(cause)}`, {
      remedy: 'Name a folder you may write to with --data or CLAW_DATA_DIR.',
      cause,
    })
  }
}

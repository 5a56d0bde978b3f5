import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const threads = z.coerce.number().int().min(1).default(2)

/** Every setting an operator may choose, with its default. Environment variables are read here and nowhere else. */
const schema = z.object({
  /** Models, database and policy versions live here. */
  dataDir: z.string().min(1),
  /** Weights converted for serving and training; may be deleted, and is made again. */
  cacheDir: z.string().min(1),
  /** A catalogue name, a Hugging Face folder or a GGUF file. */
  model: z.string().min(1).default('smollm2-135m-instruct'),
  serving: z
    .object({
      /** `auto` keeps the file's own quantisation, or 8 bits where it has none. */
      weights: z.enum(['auto', 'q4', 'q8', 'f32']).default('auto'),
      threads,
      /** Tokens of prompt and reply together. */
      context: z.int().min(128).default(2048),
      maxTokens: z.int().min(1).default(256),
      temperature: z.number().min(0).max(2).default(0.7),
      topP: z.number().gt(0).max(1).default(0.95),
    })
    .prefault({}),
  trainer: z
    .object({
      method: z.enum(['binary', 'opd', 'combined']).default('combined'),
      threads,
      /** Lessons that make a batch. */
      batch: z.int().min(1).default(4),
      /** A smaller batch is trained after this many seconds without another lesson. */
      waitSeconds: z.number().min(0).default(60),
      /** Rehearsal rounds after each batch, in idle time; 0 turns it off. */
      rehearsal: z.int().min(0).default(1),
    })
    .prefault({}),
  memory: z.object({ notes: z.boolean().default(true) }).prefault({}),
  http: z
    .object({
      /** Anything but a loopback address needs a token. */
      host: z.string().min(1).default('127.0.0.1'),
      /** 0 takes any that is free. */
      port: z.coerce.number().int().min(0).max(65_535).default(30_000),
      /** What a browser or program has to show; null lets in whoever is on this machine. */
      token: z.string().min(16, 'must have at least 16 characters').nullable().default(null),
    })
    .prefault({}),
})

export type Config = Readonly<z.output<typeof schema>>

/** Raised by `loadConfig`; the caller turns it into its own one-line error. */
export class ConfigError extends Error {}

type Layer = Readonly<Record<string, unknown>>

/**
 * Settings from `<dataDir>/config.json`, overridden by the environment, overridden by `overrides` (command-line flags).
 * Throws ConfigError naming the setting.
 */
export function loadConfig(
  overrides: Partial<z.input<typeof schema>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const dataDir = overrides.dataDir ?? env.CLAW_DATA_DIR ?? join(homedir(), '.claw')
  const layers = [{ cacheDir: join(dataDir, 'cache') }, readFile(dataDir), fromEnvironment(env), overrides, { dataDir }]
  const parsed = schema.safeParse(layers.reduce<Layer>(merge, {}))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`${issue?.path.join('.') || 'settings'}: ${issue?.message ?? 'invalid'}`)
  }
  return Object.freeze(parsed.data)
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Layer {
  const shared = { threads: env.CLAW_THREADS }
  return {
    model: env.CLAW_MODEL,
    serving: shared,
    trainer: shared,
    http: { host: env.CLAW_HTTP_HOST, port: env.CLAW_HTTP_PORT, token: env.CLAW_HTTP_TOKEN },
  }
}

/** An operator's own settings, in the shape of the schema. A name it does not know is a slip of the pen. */
function readFile(dataDir: string): Layer {
  const file = join(dataDir, 'config.json')
  let settings: unknown
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw new ConfigError(`${file} cannot be read as JSON`)
  }
  if (!isLayer(settings)) throw new ConfigError(`${file} is not one JSON object`)
  const unknown = Object.keys(settings).flatMap((name) => unknownNames(name, settings[name]))
  if (unknown.length > 0) throw new ConfigError(`${file}: there is no setting ${unknown.join(', ')}`)
  return settings
}

function unknownNames(name: string, value: unknown): string[] {
  const known: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  if (!Object.hasOwn(known, name) || name === 'dataDir') return [name]
  const group = known[name] instanceof z.ZodPrefault ? known[name].unwrap() : known[name]
  if (!(group instanceof z.ZodObject) || !isLayer(value)) return []
  return Object.keys(value).flatMap((key) => (Object.hasOwn(group.shape, key) ? [] : [`${name}.${key}`]))
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const silent = (value: unknown): boolean =>
  value === undefined || (isLayer(value) && Object.values(value).every((part) => part === undefined))

/** What `over` says wins, setting by setting; what it leaves undefined stays. */
function merge(under: Layer, over: Layer): Layer {
  const said = Object.entries(over).filter(([, value]) => !silent(value))
  return {
    ...under,
    ...Object.fromEntries(
      said.map(([name, value]) => [
        name,
        isLayer(value) ? merge(isLayer(under[name]) ? under[name] : {}, value) : value,
      ]),
    ),
  }
}

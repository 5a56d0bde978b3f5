import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { knowPassword, knowSecret } from './secrets.ts'

/** What answers where nobody has chosen. */
export const DEFAULT_MODEL = 'smollm2-135m-instruct'

const threads = z.coerce.number().int().min(1).default(2)

/** An address, which may hold a password: what is wrong with it is said without it, and without what looks like one. */
const url = (...schemes: string[]) =>
  z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
    error: `must be an address that begins with ${schemes[0]}://`,
  })

/** How lessons become gradients: the judge's ±1, the hinted teacher, or both as two losses. */
const method = z.enum(['binary', 'opd', 'combined'])
export type Method = z.output<typeof method>

const scope = z.enum(['workspace', 'person'])
export type Scope = z.output<typeof scope>

/** When the bot speaks in a channel: when addressed, always, or never. */
const speak = z.enum(['mention', 'all', 'off'])
export type Speak = z.output<typeof speak>

/** `22:00-06:00` */
const HOURS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/
const NO_TIME = 'must be always, idle, or hours such as 22:00-06:00'

const NO_JUDGE = 'must be off, base, or the http address of a chat-completions endpoint and the name of its model'

/** Every setting an operator may choose, with its default. Environment variables are read here and nowhere else. */
const schema = z.object({
  /** Models, database and policy versions live here. */
  dataDir: z.string().min(1),
  /** Weights converted for serving and training; may be deleted, and is made again. */
  cacheDir: z.string().min(1),
  /** A PostgreSQL database instead of the file in the data folder, for several processes or machines. */
  databaseUrl: url('postgres', 'postgresql').nullable().default(null),
  /** The Redis that wakes the parts of one bot in several processes. */
  redisUrl: url('redis', 'rediss').nullable().default(null),
  /** A catalogue name, a Hugging Face folder or a GGUF file. */
  model: z.string().min(1).default(DEFAULT_MODEL),
  serving: z
    .object({
      /** `auto` keeps the file's own quantisation, or 8 bits where it has none. */
      weights: z.enum(['auto', 'q4', 'q8', 'f32']).default('auto'),
      threads,
      /** Tokens of prompt and reply together. */
      context: z.int().min(128).default(2048),
      maxTokens: z.int().min(1).default(256),
      /** Said to the model before every conversation; null leaves that to the model's own chat template. */
      systemPrompt: z.string().min(1).nullable().default(null),
      temperature: z.number().min(0).max(2).default(0.7),
      topP: z.number().gt(0).max(1).default(0.95),
    })
    .prefault({}),
  trainer: z
    .object({
      method: method.default('combined'),
      threads,
      /** Lessons that make a batch. */
      batch: z.int().min(1).default(4),
      /** A smaller batch is trained after this many seconds without another lesson. */
      waitSeconds: z.number().min(0).default(60),
      /** Rehearsal rounds after each batch, in idle time; 0 turns it off. */
      rehearsal: z.int().min(0).default(1),
      /** When weights may be trained: always, while nobody chats, or in hours of the machine's clock ("22:00-06:00"). */
      when: z.union([z.enum(['always', 'idle']), z.string().regex(HOURS, NO_TIME)], NO_TIME).default('always'),
    })
    .prefault({}),
  learning: z
    .object({
      /** Whose weights a lesson changes: the workspace's, or the asker's own. A workspace's admins may choose otherwise. */
      scope: scope.default('workspace'),
      /** Lessons from one person's feedback, and from one workspace's, within an hour. What is more is not learned. */
      personHour: z.int().min(1).default(120),
      workspaceHour: z.int().min(1).default(1_000),
    })
    .prefault({}),
  judge: z
    .object({
      /** Who judges what reactions and rules leave open: nobody, the base model, or a chat-completions endpoint. */
      by: z
        .union(
          [
            z.enum(['off', 'base']),
            z.strictObject({
              url: z.url({ protocol: /^https?$/, error: NO_JUDGE }),
              model: z.string().min(1, NO_JUDGE),
            }),
          ],
          NO_JUDGE,
        )
        .default('off'),
      /** Times that each turn is asked about; most votes win. */
      votes: z.int().min(1).max(9).default(3),
      timeoutSeconds: z.number().gt(0).default(30),
      /** Questions a minute at most, each vote being one. */
      perMinute: z.int().min(1).default(60),
      /** Turns judged side by side. */
      concurrency: z.int().min(1).default(2),
    })
    .prefault({}),
  /** What an emoji says, beside config/reactions.ts: by `platform/workspace`, or `*` for all of them. */
  reactions: z.record(z.string(), z.record(z.string(), z.literal([-1, 0, 1]))).default({}),
  memory: z.object({ notes: z.boolean().default(true) }).prefault({}),
  channels: z
    .object({
      /** For channels whose admins have not said. */
      speak: speak.default('mention'),
      /** Whether other bots are answered. A pair that keeps talking is left alone for a while. */
      bots: z.boolean().default(false),
    })
    .prefault({}),
  /** Days that what was said is kept where a workspace's admins have not said; null keeps it. */
  retentionDays: z.int().min(1).nullable().default(null),
  slack: z
    .object({
      apiUrl: url('https', 'http').default('https://slack.com/api/'),
      /** Where Slack reaches the bot when it runs without Socket Mode, and the installation pages. */
      host: z.string().min(1).default('127.0.0.1'),
      port: z.coerce.number().int().min(0).max(65_535).default(3_000),
    })
    .prefault({}),
  discord: z
    .object({
      apiUrl: url('https', 'http').default('https://discord.com/api'),
      /** The operator has Discord's permission to train on messages (docs/privacy.md); without it, notes only. */
      trainingPermission: z.boolean().default(false),
      /** Whether replies in servers carry buttons for thumbs. */
      thumbs: z.boolean().default(true),
    })
    .prefault({}),
  telegram: z
    .object({
      apiUrl: url('https', 'http').default('https://api.telegram.org'),
      /** The public address that Telegram sends updates to; null asks for them instead. */
      webhookUrl: url('https', 'http').nullable().default(null),
      host: z.string().min(1).default('127.0.0.1'),
      port: z.coerce.number().int().min(0).max(65_535).default(8_443),
      /** Whether replies in groups carry buttons for thumbs; in private chats they always do. */
      thumbs: z.boolean().default(false),
    })
    .prefault({}),
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

/**
 * The judge endpoint's key. It is no setting, so that it is never printed, logged or handed to another process with
 * them.
 */
export function judgeKey(env: Readonly<Record<string, string | undefined>> = process.env): string | null {
  knowSecret(env.CLAW_JUDGE_KEY)
  return env.CLAW_JUDGE_KEY || null
}

/** Raised by `loadConfig`; the caller turns it into its own one-line error. */
export class ConfigError extends Error {}

type Layer = Readonly<Record<string, unknown>>

/**
 * Settings from `<dataDir>/config.json`, overridden by the environment, overridden by `overrides` (command-line flags).
 * Throws ConfigError naming the setting, and the variable that it is from.
 */
export function loadConfig(
  overrides: Partial<z.input<typeof schema>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const dataDir = overrides.dataDir ?? (env.CLAW_DATA_DIR || join(homedir(), '.claw'))
  const environment = fromEnvironment(env)
  const layers = [{ cacheDir: join(dataDir, 'cache') }, readFile(dataDir), environment, overrides, { dataDir }]
  const parsed = schema.safeParse(layers.reduce<Layer>(merge, {}))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const name = issue?.path.join('.') || 'settings'
    const from =
      valueAt(overrides, name) === undefined && valueAt(environment, name) !== undefined ? VARIABLES[name] : undefined
    throw new ConfigError(`${from === undefined ? name : `${from} (${name})`}: ${issue?.message ?? 'invalid'}`)
  }
  knowSecret(parsed.data.http.token)
  knowPassword(parsed.data.databaseUrl)
  knowPassword(parsed.data.redisUrl)
  return Object.freeze(parsed.data)
}

const VARIABLES: Readonly<Record<string, string>> = {
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  model: 'CLAW_MODEL',
  'serving.threads': 'CLAW_THREADS',
  'trainer.threads': 'CLAW_THREADS',
  'judge.by': 'CLAW_JUDGE',
  'judge.by.url': 'CLAW_JUDGE',
  'judge.by.model': 'CLAW_JUDGE_MODEL',
  'http.host': 'CLAW_HTTP_HOST',
  'http.port': 'CLAW_HTTP_PORT',
  'http.token': 'CLAW_HTTP_TOKEN',
}

/** What a layer says of `http.port`. */
function valueAt(layer: Layer, name: string): unknown {
  return name.split('.').reduce<unknown>((at, key) => (isLayer(at) ? at[key] : undefined), layer)
}

function fromEnvironment(given: Readonly<Record<string, string | undefined>>): Layer {
  // A variable that is empty is one that is not set.
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const shared = { threads: env.CLAW_THREADS }
  return {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    model: env.CLAW_MODEL,
    serving: shared,
    trainer: shared,
    judge: {
      by: /^https?:/.test(env.CLAW_JUDGE ?? '') ? { url: env.CLAW_JUDGE, model: env.CLAW_JUDGE_MODEL } : env.CLAW_JUDGE,
    },
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

/** Writes one setting of a group into `<dataDir>/config.json`, the file as a whole or not at all; null takes it out. */
export function saveSetting(dataDir: string, group: string, name: string, value: string | null): void {
  const settings = readFile(dataDir)
  const { [name]: before, ...rest } = (settings[group] ?? {}) as Layer
  if ((before ?? null) === value) return
  const file = join(dataDir, 'config.json')
  const aside = `${file}.${process.pid}`
  const changed = { ...settings, [group]: value === null ? rest : { ...rest, [name]: value } }
  writeFileSync(aside, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 })
  renameSync(aside, file)
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

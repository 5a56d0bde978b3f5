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
})

export type Config = Readonly<z.output<typeof schema>>

/** Raised by `loadConfig`; the caller turns it into its own one-line error. */
export class ConfigError extends Error {}

/** Settings from the environment, overridden by `overrides` (command-line flags). Throws ConfigError naming the setting. */
export function loadConfig(
  overrides: Partial<z.input<typeof schema>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const dataDir = overrides.dataDir ?? env.CLAW_DATA_DIR ?? join(homedir(), '.claw')
  const shared = env.CLAW_THREADS === undefined ? {} : { threads: env.CLAW_THREADS }
  const parsed = schema.safeParse({
    cacheDir: join(dataDir, 'cache'),
    ...(env.CLAW_MODEL === undefined ? {} : { model: env.CLAW_MODEL }),
    ...overrides,
    serving: { ...shared, ...overrides.serving },
    trainer: { ...shared, ...overrides.trainer },
    dataDir,
  })
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`${issue?.path.join('.') || 'settings'}: ${issue?.message ?? 'invalid'}`)
  }
  return Object.freeze(parsed.data)
}

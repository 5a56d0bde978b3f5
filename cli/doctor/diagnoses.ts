/** What `claw doctor` says about one thing. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'broken'
  /** One line. */
  readonly detail: string
  /** What to do; null where there is nothing to do. */
  readonly remedy: string | null
}

/** Why something cannot be used, in the words of whatever refused it. */
export interface Trouble {
  readonly message: string
  readonly remedy?: string | undefined
}

export interface Port {
  /** What listens there: `page`, `slack`, `telegram`. */
  readonly of: string
  readonly address: string
  /** Null: it is free. `own`: this data folder's running bot has it. */
  readonly takenBy: 'own' | 'another' | null
}

/** What was found on this machine and in its services. Null stands for what could not be looked at. */
export interface Machine {
  readonly dataDir: string
  readonly folder: Trouble | null
  /** Permission bits of the data folder and of tokens.json; null where it is missing. */
  readonly folderMode: number | null
  readonly tokensMode: number | null
  readonly freeBytes: number | null
  readonly ports: readonly Port[]
  readonly model: { readonly name: string; readonly trouble: Trouble | null; readonly fetchable: boolean }
  /** The library that runs the network. */
  readonly runtime: Trouble | null
  /** Null where nobody judges beside the rules, or the base model does. */
  readonly judge: { readonly name: string; readonly failure: string | null } | null
  readonly store: { readonly name: string; readonly trouble: Trouble | null }
  /** Null where one process does everything. */
  readonly queue: { readonly trouble: Trouble | null } | null
  readonly workspaces:
    | readonly { readonly platform: string; readonly workspace: string; readonly learning: boolean }[]
    | null
  readonly discordTraining: boolean
  /** How far this machine's clock is before a platform's, in milliseconds. */
  readonly clockSkewMs: number | null
}

const MEGABYTE = 2 ** 20
const SPACE = { broken: 200 * MEGABYTE, warning: 1_024 * MEGABYTE }

/** Slack's signatures are good for five minutes. */
const SKEW = { broken: 240_000, warning: 30_000 }

export const ok = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, remedy: null })
export const warning = (name: string, detail: string, remedy: string): Finding => ({
  name,
  state: 'warning',
  detail,
  remedy,
})
export const broken = (name: string, detail: string, remedy: string | undefined): Finding => ({
  name,
  state: 'broken',
  detail,
  remedy: remedy ?? null,
})

const DIAGNOSES: readonly ((machine: Machine) => readonly Finding[])[] = [
  folder,
  space,
  ports,
  model,
  runtime,
  judge,
  store,
  queue,
  clock,
  learning,
]

export function diagnoseMachine(machine: Machine): Finding[] {
  return DIAGNOSES.flatMap((diagnosis) => diagnosis(machine))
}

function folder({ dataDir, folder: trouble, folderMode, tokensMode }: Machine): Finding[] {
  const name = 'data folder'
  if (trouble !== null) return [broken(name, trouble.message, trouble.remedy)]
  if (tokensMode !== null && (tokensMode & 0o077) !== 0) {
    const file = `${dataDir}/tokens.json`
    return [broken(name, `Others on this machine may read ${file}`, `chmod 600 '${file}'; then make new tokens.`)]
  }
  if (folderMode !== null && (folderMode & 0o077) !== 0) {
    return [warning(name, `Others on this machine may look into ${dataDir}`, `chmod 700 '${dataDir}'`)]
  }
  return [ok(name, folderMode === null ? `${dataDir} is made at the first start` : `${dataDir} is yours alone`)]
}

function space({ freeBytes }: Machine): Finding[] {
  if (freeBytes === null) return []
  const detail = `${Math.round(freeBytes / MEGABYTE)} MB are free for the data folder`
  const remedy = 'Free some, or name a folder on another disk with CLAW_DATA_DIR.'
  if (freeBytes < SPACE.broken) return [broken('disk space', detail, remedy)]
  return [freeBytes < SPACE.warning ? warning('disk space', detail, remedy) : ok('disk space', detail)]
}

function ports(machine: Machine): Finding[] {
  return machine.ports.map(({ of, address, takenBy }) => {
    const name = `port of ${of}`
    if (takenBy === null) return ok(name, `${address} is free`)
    if (takenBy === 'own') return ok(name, `the running bot is at ${address}`)
    const remedy = of === 'page' ? 'CLAW_HTTP_PORT or --port' : `${of}.port in config.json`
    return broken(name, `${address} is taken by another program`, `End that one, or choose another with ${remedy}.`)
  })
}

function model({ model: { name, trouble, fetchable } }: Machine): Finding[] {
  if (trouble === null) return [ok('model', `${name} is here`)]
  if (!fetchable) return [broken('model', trouble.message, trouble.remedy)]
  return [warning('model', `${trouble.message}; the first start fetches it`, trouble.remedy ?? 'claw model pull')]
}

function runtime({ runtime: trouble }: Machine): Finding[] {
  if (trouble === null) return [ok('onnxruntime', 'it loads')]
  return [broken('onnxruntime', trouble.message, trouble.remedy)]
}

function judge({ judge: asked }: Machine): Finding[] {
  if (asked === null) return []
  const { name, failure } = asked
  if (failure === null) return [ok('judge', `${name} answers`)]
  const remedy =
    failure === 'refused'
      ? 'Check CLAW_JUDGE_KEY and the model’s name in judge.by.'
      : 'Start it, or check the address in judge.by or CLAW_JUDGE. Until then rules and reactions judge alone.'
  return [broken('judge', `${name} does not judge: ${failure}`, remedy)]
}

function store({ store: { name, trouble } }: Machine): Finding[] {
  return [
    trouble === null ? ok('database', `${name} can be used`) : broken('database', trouble.message, trouble.remedy),
  ]
}

function queue({ queue: asked }: Machine): Finding[] {
  if (asked === null) return []
  const { trouble } = asked
  return [trouble === null ? ok('redis', 'it keeps what it is told') : broken('redis', trouble.message, trouble.remedy)]
}

function clock({ clockSkewMs }: Machine): Finding[] {
  if (clockSkewMs === null) return []
  const off = Math.abs(clockSkewMs)
  const detail = `this machine’s clock is ${Math.round(off / 1000)} s ${clockSkewMs < 0 ? 'behind' : 'ahead'}`
  const remedy = 'Set it, best by NTP: timedatectl set-ntp true. Slack refuses requests and the bot refuses Slack’s.'
  if (off >= SKEW.broken) return [broken('clock', detail, remedy)]
  return [off >= SKEW.warning ? warning('clock', detail, remedy) : ok('clock', 'it agrees with the platform’s')]
}

function learning({ workspaces, discordTraining }: Machine): Finding[] {
  if (workspaces === null || workspaces.length === 0) return []
  const learns = workspaces.filter((workspace) => workspace.learning)
  const found: Finding[] =
    learns.length === 0
      ? [warning('learning', 'It is off in every workspace', 'An admin of the workspace says: /claw learn on')]
      : [ok('learning', `It is on in ${learns.length} of ${workspaces.length} workspaces`)]
  if (!discordTraining && learns.some(({ platform }) => platform === 'discord')) {
    const remedy = 'With Discord’s permission set discord.trainingPermission to true; docs/privacy.md says why.'
    found.push(warning('discord training', 'On Discord wishes become notes, and no weights are trained', remedy))
  }
  return found
}

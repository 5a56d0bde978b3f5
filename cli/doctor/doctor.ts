import { PLATFORMS } from '../../config/tokens.ts'
import { findRegistered, isWanted } from '../platforms.ts'
import { findServer } from '../server.ts'
import { configure, type Settings } from '../settings.ts'
import { diagnoseMachine, type Finding } from './diagnoses.ts'
import { examineMachine } from './machine.ts'
import { clockSkew, diagnoseRunning, examinePlatforms } from './platforms.ts'

export interface DoctorOptions extends Settings {
  readonly json?: boolean
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok', warning: 'warning', broken: 'BROKEN' }

/** `claw doctor`: what is wrong, by name, and what to do about it. Exit code 1 when something is broken. */
export async function doctor({ json = false, ...settings }: DoctorOptions): Promise<void> {
  const findings = await examine(settings)
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : report(findings))
  if (findings.some(({ state }) => state === 'broken')) process.exitCode = 1
}

/** Looks at everything; throws CONFIG_INVALID where the settings themselves cannot be read. */
export async function examine(settings: Settings): Promise<Finding[]> {
  const registered = await findRegistered(configure(settings))
  const { config, tokens } = registered
  // Nobody is asked who has not been set up.
  const wanted = PLATFORMS.find((platform) => isWanted(tokens, platform))
  const skew = wanted === undefined ? null : await clockSkew(config[wanted].apiUrl)
  const machine = await examineMachine(config, tokens, skew)
  const groups = (machine.workspaces ?? [])
    .filter(({ platform, workspace }) => platform === 'telegram' && workspace.startsWith('-'))
    .map(({ workspace }) => Number(workspace))
  return [
    ...diagnoseMachine(machine),
    ...(await examinePlatforms(registered, groups)),
    ...diagnoseRunning(await runningHealth(config.dataDir)),
  ]
}

async function runningHealth(dataDir: string): Promise<Parameters<typeof diagnoseRunning>[0]> {
  const server = await findServer(dataDir)
  if (server === null) return {}
  try {
    const answer = await fetch(new URL('healthz', server.url), { signal: AbortSignal.timeout(5_000) })
    return ((await answer.json()) as { platforms?: Parameters<typeof diagnoseRunning>[0] }).platforms ?? {}
  } catch {
    // It has ended meanwhile.
    return {}
  }
}

/** One line each, those that want something done with what to do below them. */
export function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, detail, remedy }) => {
    const line = `${MARKS[state].padEnd(7)}  ${name.padEnd(width)}  ${detail}`
    return state === 'ok' || remedy === null ? [line] : [line, `${' '.repeat(9 + width)}  → ${remedy}`]
  })
  const [wrong, warned] = ['broken', 'warning'].map((state) => findings.filter((one) => one.state === state).length)
  return `${lines.join('\n')}\n\n${wrong} broken, ${warned} ${warned === 1 ? 'warning' : 'warnings'}\n`
}

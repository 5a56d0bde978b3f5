import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the fake platforms of a running sandbox are, with their made-up tokens. */
export interface Sandbox {
  readonly pid: number
  readonly slack: { readonly apiUrl: string; readonly botToken: string; readonly appToken: string }
  readonly discord: { readonly apiUrl: string; readonly token: string }
  readonly telegram: { readonly apiUrl: string; readonly token: string }
}

const fileOf = (dataDir: string): string => join(dataDir, 'sandbox.json')

export function writeSandbox(dataDir: string, sandbox: Sandbox): void {
  const aside = `${fileOf(dataDir)}.${process.pid}`
  writeFileSync(aside, JSON.stringify(sandbox), { mode: 0o600 })
  renameSync(aside, fileOf(dataDir))
}

export function forgetSandbox(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

/** The sandbox of this data folder, if it answers: a killed one leaves its file behind. */
export async function findSandbox(dataDir: string): Promise<Sandbox | null> {
  try {
    const sandbox = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Sandbox
    const { ok } = await fetch(new URL('api.test', sandbox.slack.apiUrl), {
      method: 'POST',
      signal: AbortSignal.timeout(1_500),
    })
    return ok ? sandbox : null
  } catch {
    return null
  }
}

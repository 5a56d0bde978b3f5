import { ClawError, reason } from '../errors.ts'
import { audit } from '../store/audit.ts'
import type { Db } from '../store/schema.ts'
import { transact } from '../store/transact.ts'
import { findVersion, serve, servingVersion } from '../store/versions.ts'
import type { WorkspaceRef } from '../types.ts'
import { BASE_POLICY, type PolicyEngine } from './engine.ts'
import { versionName } from './version.ts'

/** The policy that a workspace's new replies use. */
export interface Served {
  readonly version: number
  /** Its name in the engine. */
  readonly policy: string
}

export interface Serving {
  /** The workspace's serving version, loaded. One that cannot be read gives way to its newest ancestor that can. */
  use(ref: WorkspaceRef): Promise<Served>
  /** Loads it again: the engine has lost it. */
  reload(ref: WorkspaceRef): Promise<Served>
}

/** `terminal/home/v000012` */
export function policyName(ref: WorkspaceRef, version: number): string {
  return version === 0 ? BASE_POLICY : `${ref.platform}/${ref.workspace}/${versionName(version)}`
}

export function createServing(db: Db, engine: PolicyEngine): Serving {
  const loaded = new Map<string, Served>()
  /** The last call of each workspace: loading and unloading take turns. */
  const last = new Map<string, Promise<Served>>()

  async function load(ref: WorkspaceRef, version: number): Promise<Served> {
    const policy = policyName(ref, version)
    if (version === 0) return { version, policy }
    const record = await findVersion(db, ref, version)
    if (record === null) return fallBack(ref, version, 0, 'its record is missing')
    try {
      await engine.load(policy, record.directory)
      return { version, policy }
    } catch (error) {
      if (!(error instanceof ClawError) || error.code !== 'POLICY_CORRUPT') throw error
      return fallBack(ref, version, record.parent, reason(error))
    }
  }

  /** Moves the pointer, so that training goes on from what is really served. */
  async function fallBack(ref: WorkspaceRef, from: number, to: number, why: string): Promise<Served> {
    await transact(db, async (tx) => {
      if ((await servingVersion(tx, ref)) !== from) return
      await serve(tx, ref, to)
      await audit(tx, ref, null, 'fallback', { from, to, reason: why }, Date.now())
    })
    return load(ref, await servingVersion(db, ref))
  }

  async function settle(ref: WorkspaceRef, again: boolean): Promise<Served> {
    const key = policyName(ref, 1)
    const version = await servingVersion(db, ref)
    const before = loaded.get(key)
    if (before?.version === version && !again) return before
    const served = await load(ref, version)
    loaded.set(key, served)
    if (before !== undefined && before.version !== served.version && before.version !== 0) {
      await engine.unload(before.policy)
    }
    return served
  }

  function inTurn(ref: WorkspaceRef, again: boolean): Promise<Served> {
    const key = policyName(ref, 1)
    const run = () => settle(ref, again)
    const next = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, next)
    return next
  }

  return {
    use: (ref) => inTurn(ref, false),
    reload: (ref) => inTurn(ref, true),
  }
}

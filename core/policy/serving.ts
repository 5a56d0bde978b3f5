import type { Scope } from '../../config/config.ts'
import { ClawError, reason } from '../errors.ts'
import { audit } from '../store/audit.ts'
import type { Db } from '../store/schema.ts'
import { transact } from '../store/transact.ts'
import { findVersion, type PolicyVersion, serve, servingVersion } from '../store/versions.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { PolicyRef, WorkspaceRef } from '../types.ts'
import { BASE_POLICY, type PolicyEngine } from './engine.ts'
import { versionName } from './version.ts'

/** The policy that new replies use. */
export interface Served {
  readonly version: number
  /** Its name in the engine. */
  readonly policy: string
}

export interface Serving {
  /** The weights that answer a person: the workspace's, or their own where each has their own. */
  policyOf(ref: WorkspaceRef, person: string): Promise<PolicyRef>
  /** The serving version, loaded. One that cannot be read gives way to its newest ancestor that can. */
  use(ref: PolicyRef): Promise<Served>
  /** Loads it again: the engine has lost it. */
  reload(ref: PolicyRef): Promise<Served>
  /** Nobody of the workspace will be answered again: its versions leave the engine. */
  forget(ref: WorkspaceRef): Promise<void>
}

/** Policies kept in the engine: where each person has their own, those who spoke last. */
const LOADED = 64

/** `terminal/home/v000012`; numbers are unique in a workspace, whoever's weights they are. */
export function policyName(ref: WorkspaceRef, version: number): string {
  return version === 0 ? BASE_POLICY : `${ref.platform}/${ref.workspace}/${versionName(version)}`
}

/** `here` brings a version's files onto this machine. */
export function createServing(
  db: Db,
  engine: PolicyEngine,
  scope: Scope,
  here: (record: PolicyVersion) => Promise<PolicyVersion>,
): Serving {
  /** By whose weights they are, the one used last at the end. */
  const loaded = new Map<string, Served>()
  /** The last call of each: loading and unloading take turns. */
  const last = new Map<string, Promise<Served>>()

  async function load(ref: PolicyRef, version: number): Promise<Served> {
    const policy = policyName(ref, version)
    if (version === 0) return { version, policy }
    const record = await findVersion(db, ref, version)
    if (record === null) return fallBack(ref, version, 0, 'its record is missing')
    try {
      await engine.load(policy, (await here(record)).directory)
      return { version, policy }
    } catch (error) {
      if (!(error instanceof ClawError) || error.code !== 'POLICY_CORRUPT') throw error
      return fallBack(ref, version, record.parent, reason(error))
    }
  }

  /** Moves the pointer, so that training goes on from what is really served. */
  async function fallBack(ref: PolicyRef, from: number, to: number, why: string): Promise<Served> {
    await transact(db, async (tx) => {
      if ((await servingVersion(tx, ref)) !== from) return
      await serve(tx, ref, to)
      await audit(tx, ref, null, 'fallback', { from, to, reason: why }, Date.now())
    })
    return load(ref, await servingVersion(db, ref))
  }

  async function settle(ref: PolicyRef, key: string, again: boolean): Promise<Served> {
    const version = await servingVersion(db, ref)
    const before = loaded.get(key)
    const kept = before?.version === version && !again
    const served = kept ? before : await load(ref, version)
    loaded.delete(key)
    loaded.set(key, served)
    if (before !== undefined && before.version !== served.version) await unload(before)
    for (const [oldest, policy] of loaded) {
      if (loaded.size <= LOADED) break
      loaded.delete(oldest)
      await unload(policy)
    }
    return served
  }

  async function unload({ version, policy }: Served): Promise<void> {
    if (version !== 0) await engine.unload(policy)
  }

  function inTurn(ref: PolicyRef, again: boolean): Promise<Served> {
    const key = JSON.stringify([ref.platform, ref.workspace, ref.scope ?? null])
    const run = () => settle(ref, key, again)
    const next = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, next)
    const done = () => {
      if (last.get(key) === next) last.delete(key)
    }
    next.then(done, done)
    return next
  }

  return {
    async policyOf({ platform, workspace }, person) {
      const chosen = (await findWorkspace(db, { platform, workspace }))?.scope ?? scope
      return chosen === 'person' ? { platform, workspace, scope: person } : { platform, workspace }
    },
    use: (ref) => inTurn(ref, false),
    reload: (ref) => inTurn(ref, true),
    async forget({ platform, workspace }) {
      for (const [key, served] of loaded) {
        const [itsPlatform, itsWorkspace] = JSON.parse(key) as string[]
        if (itsPlatform !== platform || itsWorkspace !== workspace) continue
        loaded.delete(key)
        await unload(served)
      }
    },
  }
}

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportFile } from '../exports.ts'
import type { Serving } from '../policy/serving.ts'
import { pathOf } from '../policy/version.ts'
import { setAnswering, setHandled } from '../store/inbox.ts'
import { renameChannel } from '../store/renames.ts'
import type { Db } from '../store/schema.ts'
import { scrub } from '../store/scrub.ts'
import { eraseWorkspace, moveWorkspace, othersUnderWay } from '../store/tenants.ts'
import { transact } from '../store/transact.ts'
import { workspacePeople } from '../store/workspaces.ts'
import type { Event, EventOf, WorkspaceRef } from '../types.ts'

export interface Landlord {
  readonly db: Db
  readonly config: { readonly dataDir: string }
  readonly serving: Serving
  readonly now: () => number
  readonly stopping: AbortSignal
}

/** How long what is under way in a workspace may take to come to its end, in milliseconds. */
const PATIENCE = 60_000
const PAUSE = 20

/** The bot was taken out: everything of the workspace goes, files first, so that a stop in between is found again. */
export async function leave(landlord: Landlord, event: EventOf<'left'>, seq: number): Promise<void> {
  const { db, config, serving, now } = landlord
  await alone(landlord, event, seq)
  await rm(policies(config.dataDir, event), { recursive: true, force: true })
  for (const person of await workspacePeople(db, event)) {
    await rm(exportFile(config.dataDir, event, person), { force: true })
  }
  await transact(db, (tx) => eraseWorkspace(tx, event, now()))
  await serving.forget(event)
  await scrub(db, now())
}

/**
 * The workspace, or a channel of it, goes on under another name. `moved`: the rows have been renamed by an earlier life.
 */
export async function move(landlord: Landlord, event: EventOf<'moved'>, seq: number, moved: boolean): Promise<void> {
  const { db, config, serving, now } = landlord
  const { platform, workspace, from, to } = event
  if (from !== undefined) {
    await alone(landlord, event, seq)
    return transact(db, async (tx) => {
      await renameChannel(tx, event, from, to)
      await setHandled(tx, seq)
    })
  }
  if (workspace === to) return setHandled(db, seq)
  const old = policies(config.dataDir, event)
  const target = { platform, workspace: to }
  if (!moved) {
    await alone(landlord, event, seq)
    await cp(old, policies(config.dataDir, target), { recursive: true }).catch(absent)
    const done = await transact(db, async (tx) => {
      const renamed = await moveWorkspace(tx, event, to, pathOf(target), seq, now())
      if (renamed) await setAnswering(tx, seq, null)
      else await setHandled(tx, seq)
      return renamed
    })
    if (!done) return
  }
  await rm(old, { recursive: true, force: true })
  await serving.forget(event)
  await setHandled(db, seq)
}

/** Waits until nothing is under way in the workspace's other conversations. */
async function alone({ db, stopping }: Landlord, event: Event, seq: number): Promise<void> {
  for (let waited = 0; waited < PATIENCE; waited += PAUSE) {
    stopping.throwIfAborted()
    if (!(await othersUnderWay(db, event, seq))) return
    await sleep(PAUSE)
  }
}

function policies(dataDir: string, ref: WorkspaceRef): string {
  return join(dataDir, 'policies', pathOf(ref))
}

function absent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

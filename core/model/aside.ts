import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A folder aside in which one pull of a model works, alone. What a pull that was stopped or killed left behind is
 * taken over by renaming it: of several that try, one gets it and the others begin with an empty folder.
 */
export async function claimAside(models: string, name: string): Promise<string> {
  await mkdir(models, { recursive: true })
  const own = join(models, `.${name}.${process.pid}.${randomBytes(4).toString('hex')}.partial`)
  for (const folder of await readdir(models)) {
    if (isLeftBehind(folder, name) && (await moved(join(models, folder), own))) return own
  }
  await mkdir(own)
  return own
}

/** Leaves an unfinished folder to the next pull. */
export async function releaseAside(models: string, name: string, own: string): Promise<void> {
  if (!(await moved(own, join(models, `.${name}.partial`)))) await rm(own, { recursive: true, force: true })
}

/** Free for the taking: released, or its process is gone. */
function isLeftBehind(folder: string, name: string): boolean {
  if (!folder.startsWith(`.${name}.`)) return false
  const [, pid] = /^(?:(\d+)\.[0-9a-f]{8}\.)?partial$/.exec(folder.slice(name.length + 2)) ?? [null, null]
  return pid === undefined || (pid !== null && !isRunning(Number(pid)))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function moved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  )
}

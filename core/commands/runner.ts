import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ClawError, hasCode, reason } from '../errors.ts'
import { exportFile } from '../exports.ts'
import type { PolicyEngine } from '../policy/engine.ts'
import type { Serving } from '../policy/serving.ts'
import { exportPerson } from '../store/export.ts'
import { setAnswering, setHandled } from '../store/inbox.ts'
import type { Db } from '../store/schema.ts'
import { scrub } from '../store/scrub.ts'
import { transact } from '../store/transact.ts'
import { removeDropped } from '../store/unlearn.ts'
import type { Outlet } from '../stream/outlet.ts'
import type { EventOf, WorkspaceRef } from '../types.ts'
import { ADMINS_ONLY, runCommand } from './commands.ts'
import { PUBLIC_COMMANDS, parseCommand } from './parse.ts'

export interface CommandOptions {
  readonly db: Db
  readonly config: Config
  readonly engine: PolicyEngine
  readonly serving: Serving
  readonly outlet: (platform: string) => Outlet
  readonly now: () => number
  readonly report: (error: unknown) => void
  /** What is learned, or when, may have changed. */
  readonly onChange: (ref: WorkspaceRef) => void
}

/** How long an answer that says that something was erased may take before the rest of it is done, in milliseconds. */
const LATE = 20_000

/**
 * Does all the work of a command: its effect and its answer are one transaction, then the answer is shown. `known` is
 * the answer of a command whose effect is recorded already.
 */
export function commandRunner({ db, config, engine, serving, outlet, now, report, onChange }: CommandOptions) {
  return async (event: EventOf<'command'>, seq: number, known: string | null): Promise<void> => {
    const command = parseCommand(event.text)
    const platform = outlet(event.platform)
    const person = event.person.id
    const file = exportFile(config.dataDir, event, person)
    const written = platform.sendFile === undefined ? file : null
    let answer = known
    if (answer === null) {
      const admin = await platform.isAdmin(event.workspace, person)
      const policy = await serving.policyOf(event, person)
      const stats = await engine.stats()
      const health = platform.health?.() ?? null
      answer = await transact(db, async (tx) => {
        const asking = {
          db: tx,
          event,
          seq,
          config,
          admin,
          policy,
          exportFile: written,
          engine: stats,
          health,
          now: now(),
        }
        const text = await runCommand(asking, command)
        await setAnswering(tx, seq, text)
        return text
      })
      await serving.use(await serving.policyOf(event, person))
      onChange(event)
    }
    if (command.name === 'export') {
      await handOver(db, event, platform, written).catch((error: unknown) => {
        if (!(error instanceof ClawError)) throw error
        report(error)
        answer = `I could not hand you the file. ${reason(error)}.${error.remedy === undefined ? '' : ` ${error.remedy}`}`
      })
    }
    const erases = command.name === 'forget' && command.confirmed
    if (erases) await rm(file, { force: true }).catch(report)
    // Who was told no is nobody else's business.
    const open = PUBLIC_COMMANDS.includes(command.name) && !answer.startsWith(ADMINS_ONLY)
    const only = open ? {} : { only: person }
    const finish = () => finishForgetting(db, now()).catch(report)
    // A platform that takes the answer minutes later does not keep what was erased on the disk for so long.
    const late = erases ? setTimeout(finish, LATE) : undefined
    try {
      await platform.notify(event, { text: answer, command: event.id, ...only }).catch((error: unknown) => {
        // It may stand there: said again, it would twice. And what was erased has to go, whether that can be said or not.
        if (!hasCode(error, 'PLATFORM_LOST') && !(erases && known !== null)) throw error
        report(error)
      })
    } finally {
      clearTimeout(late)
    }
    await setHandled(db, seq)
    if (erases) await finish()
  }
}

/** Removes what was deleted in the store from the disk as well: the files of dropped versions, and the pages' remains. */
export async function finishForgetting(db: Db, now: number): Promise<void> {
  await removeDropped(db)
  await scrub(db, now)
}

async function handOver(db: Db, event: EventOf<'command'>, platform: Outlet, file: string | null): Promise<void> {
  const text = `${JSON.stringify(await exportPerson(db, event, event.person.id), null, 2)}\n`
  if (file === null) return platform.sendFile?.(event, event.person.id, { name: 'claw-export.json', text })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text, { mode: 0o600 })
}

import { lastDecision } from '../store/audit.ts'
import { fromJson } from '../store/codec.ts'
import { activeNotes } from '../store/notes.ts'
import { countReady } from '../store/samples.ts'
import { findVersion, listVersions } from '../store/versions.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { Asking } from './asking.ts'
import { count, origin, time } from './text.ts'

export async function status({ db, event, config, engine, now }: Asking): Promise<string> {
  const workspace = await findWorkspace(db, event)
  const learning = workspace?.learning === 1
  const serving = workspace?.serving_version ?? 0
  const version = await findVersion(db, event, serving)
  const waiting = await countReady(db, event)
  const notes = await activeNotes(db, event, event.person.id)
  const lines = [
    version === null
      ? `The base model answers (${engine.model}).`
      : `Version ${serving} answers (on ${engine.model}), ` +
        `${origin(version.lessons)} at ${time(version.createdAt, now)}.`,
    learning
      ? `Learning is on (${workspace?.method ?? config.trainer.method}): ${count(waiting, 'lesson waits', 'lessons wait')}.`
      : 'Learning is off: /claw learn on',
    `${count(notes.length, 'note is', 'notes are')} kept for you${config.memory.notes ? '' : ', and switched off'}.`,
  ]
  const newest = (await listVersions(db, event))[0]
  if (newest?.state === 'rejected') {
    lines.push(`Version ${newest.version} was not served: ${newest.reason ?? 'the gate refused it'}.`)
  }
  const decision = await lastDecision(db, event)
  if (decision?.action === 'fallback') {
    const { from, reason } = fromJson(decision.detail) as { from: number; reason: string }
    lines.push(`Version ${from} could not be loaded, so an earlier one answers: ${reason}.`)
  }
  return lines.join('\n')
}

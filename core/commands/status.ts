import { mask } from '../mask.ts'
import { conflicts } from '../memory/notes.ts'
import { lastDecision } from '../store/audit.ts'
import { fromJson } from '../store/codec.ts'
import { hasOptedOut } from '../store/consent.ts'
import { activeNotes, workspaceNotes } from '../store/notes.ts'
import { countHeld, countReady } from '../store/samples.ts'
import { findVersion, listVersions, servingVersion } from '../store/versions.ts'
import { findWorkspace, personNames } from '../store/workspaces.ts'
import { mayTrain, NO_TRAINING } from '../stream/consent.ts'
import type { Asking } from './asking.ts'
import { keeping } from './channel.ts'
import { count, list, origin, time } from './text.ts'

export async function status(asking: Asking): Promise<string> {
  const { db, event, config, engine, policy, now } = asking
  const serving = await servingVersion(db, policy)
  const version = await findVersion(db, event, serving)
  const notes = await activeNotes(db, event, event.person.id)
  const yours = policy.scope === undefined ? '' : ' you'
  const lines = [
    version === null
      ? `The base model answers${yours} (${engine.model}).`
      : `Version ${serving} answers${yours} (on ${engine.model}), ` +
        `${origin(version.lessons)} at ${time(version.createdAt, now)}.`,
    await learning(asking),
    `${count(notes.length, 'note is', 'notes are')} kept for you${config.memory.notes ? '' : ', and switched off'}.`,
  ]
  const { health } = asking
  if (health !== null && (health.state !== 'connected' || health.detail !== null)) {
    const detail = health.detail === null ? '' : `: ${mask(health.detail).replace(/\.$/, '')}`
    lines.push(`${CONNECTION[health.state]} since ${time(health.since, now)}${detail}.`)
  }
  lines.push(...(await keeping(asking)))
  if (await hasOptedOut(db, event, event.person.id)) lines.push('Nothing you say is learned from: /claw optin')
  lines.push(...(await disagreements(asking)))
  const newest = (await listVersions(db, policy))[0]
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

const CONNECTION = {
  connected: 'The connection to the platform stands',
  connecting: 'The connection to the platform is being made anew',
  refused: 'The platform refuses the connection',
  standby: 'This process stands by',
} as const

async function learning({ db, event, config, policy }: Asking): Promise<string> {
  const workspace = await findWorkspace(db, event)
  if (!mayTrain(config, event.platform)) return NO_TRAINING
  if (workspace?.learning !== 1) return 'Learning is off. An admin turns it on: /claw learn on'
  const method = workspace.method ?? config.trainer.method
  const whose = policy.scope === undefined ? '' : ', for each person alone'
  const waiting = count(await countReady(db, policy), 'lesson waits', 'lessons wait')
  const paused = workspace.paused === 1 ? ', paused: /claw resume' : ''
  return `Learning is on (${method}${whose}${paused}): ${waiting}.`
}

/** What people of one workspace want opposite things about. */
async function disagreements({ db, event, policy }: Asking): Promise<string[]> {
  if (policy.scope !== undefined) return []
  const found = conflicts(await workspaceNotes(db, event))
  if (found.length === 0) return []
  const names = await personNames(db, event)
  const lines = found.map(({ group, people }) => {
    const who = people.map((person) => (person === null ? 'the workspace' : (names.get(person) ?? person)))
    return `${list(who)} want different things about ${group}: their notes serve each of them, and the weights leave it alone.`
  })
  const groups = found.map(({ group }) => group)
  const held = await countHeld(db, policy, groups)
  if (held > 0) lines.push(`${count(held, 'lesson is', 'lessons are')} held until they agree, or /claw scope person.`)
  return lines
}

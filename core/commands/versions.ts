import { audit } from '../store/audit.ts'
import { findVersion, listVersions, type PolicyVersion, serve, servingVersion } from '../store/versions.ts'
import type { Asking } from './asking.ts'
import { origin, time } from './text.ts'

/** Moves one pointer; the version left behind stays where it is, to go forward to again. */
export async function rollback({ db, event, policy, now }: Asking, wanted: number | null): Promise<string> {
  const from = await servingVersion(db, policy)
  const to = wanted ?? (await findVersion(db, event, from))?.parent ?? 0
  if (from === to) return `${named(from)} is what answers already.`
  const target = to === 0 ? null : await findVersion(db, event, to)
  const ours = target !== null && target.state !== 'dropped' && target.ref.scope === policy.scope
  if (to !== 0 && !ours) return `There is no version ${to}: /claw versions lists them.`
  if (target?.state === 'rejected') return `Version ${to} was never served: ${target.reason ?? 'the gate refused it'}.`
  await serve(db, policy, to)
  await audit(db, event, event.person.id, 'rollback', { from, to }, now)
  return `${named(to)} answers ${policy.scope === undefined ? '' : 'you '}from now on. To go back: /claw rollback ${from}`
}

const SHOWN_VERSIONS = 20

export async function versions({ db, policy, now }: Asking): Promise<string> {
  const serving = await servingVersion(db, policy)
  const all = await listVersions(db, policy)
  const lines = all.slice(0, SHOWN_VERSIONS).map((version, i) => line(version, all[i + 1], serving, now))
  if (all.length > SHOWN_VERSIONS) lines.push(`    and ${all.length - SHOWN_VERSIONS} older`)
  return [...lines, `${serving === 0 ? '*' : ' '}   0  the base model`].join('\n')
}

function line(version: PolicyVersion, older: PolicyVersion | undefined, serving: number, now: number): string {
  const mark = version.version === serving ? '*' : ' '
  const from = version.parent === (older?.version ?? 0) ? '' : `, from version ${version.parent}`
  const fate = version.state === 'rejected' ? `, not served: ${version.reason ?? 'the gate refused it'}` : ''
  const number = String(version.version).padStart(4)
  return `${mark}${number}  ${time(version.createdAt, now)}, ${origin(version.lessons)}${from}${fate}`
}

export function named(version: number): string {
  return version === 0 ? 'The base model' : `Version ${version}`
}

import { limitReached } from '../store/audit.ts'
import { judgingOf } from '../store/judging.ts'
import { noteOfTurn } from '../store/notes.ts'
import { sampleOfTurn } from '../store/samples.ts'
import type { Row } from '../store/schema.ts'
import { activeSignals, saidAlone } from '../store/signals.ts'
import { lastTurn, type StoredTurn } from '../store/turns.ts'
import { newestVerdict } from '../store/verdicts.ts'
import { findWorkspace, personNames } from '../store/workspaces.ts'
import type { Signal, Verdict } from '../types.ts'
import type { Asking } from './asking.ts'
import { excerpt } from './text.ts'

/** Explains the last reply that anyone said anything about. */
export async function why(asking: Asking): Promise<string> {
  const { db, event } = asking
  const or = event.person.id
  const last = await lastTurn(db, event, { or })
  if (last === undefined) return 'There is no reply to you or in this conversation yet.'
  const told = last.evidence > 0 ? last : await lastTurn(db, event, { withEvidence: true, or })
  if (told === undefined) return 'Nobody has said anything about a reply here yet, so nothing is learned from one.'
  const { turn } = told
  const verdict = await newestVerdict(db, turn.id)
  const names = await personNames(db, event)
  const alone = await saidAlone(db, turn.id)
  const isSecret = ({ id, person }: Signal) => person !== event.person.id && alone.has(id)
  const given = await activeSignals(db, turn.id)
  const signals = given.map((signal) => say(signal, event.person.id, names, isSecret(signal)))
  const question = turn.request.findLast((message) => message.role === 'user')?.content ?? ''
  const rows: [string, string][] = [
    ['question', excerpt(question)],
    ['reply', `${excerpt(turn.text)} (version ${turn.policyVersion})`],
    ...signals.map((text, i): [string, string] => [i === 0 ? 'feedback' : '', text]),
    ['verdict', judgement(await judgingOf(db, turn.id), verdict)],
  ]
  if (verdict?.hint && !given.some(isSecret)) rows.push(['hint', verdict.hint.text])
  const note = await noteOfTurn(db, turn.id)
  if (note !== undefined) {
    const text = NOTES[note.state]
    rows.push(['note', note.person === event.person.id ? text : text.replaceAll('your', 'their')])
  }
  const sample = await sampleOfTurn(db, turn.id)
  if (sample?.potency != null) {
    rows.push(['effect', effect(sample.potency)])
  }
  rows.push(['weights', await fate(asking, told, verdict, sample)])
  const lines = rows.map(([name, text]) => `${name.padEnd(9)} ${text}`)
  return told === last
    ? lines.join('\n')
    : ['Nothing was said about the last reply yet. An earlier one:', ...lines].join('\n')
}

const NOTES = {
  active: 'kept: it is said with each of your next messages',
  retired: 'learned: the weights follow it, so your messages need it no more',
  replaced: 'replaced by a newer one',
  removed: 'forgotten',
} as const

function say(
  { type, person, content }: Signal,
  asker: string,
  names: ReadonlyMap<string, string>,
  secret: boolean,
): string {
  const who = person === asker ? 'you' : (names.get(person) ?? person)
  if (secret) return `words to me alone (${who})`
  const what = type === 'reaction' ? content : `"${excerpt(content)}"`
  return `${what} (${who}${type === 'edit' ? ', an edit' : ''})`
}

function judgement(open: Row<'judging'> | undefined, verdict: Verdict | undefined): string {
  if (open === undefined) return verdict === undefined ? 'not judged yet' : `${score(verdict)}, by ${verdict.basis}`
  if (open.attempts === 0) return 'not judged yet: it waits for the judge'
  const failed = `the judge failed ${open.attempts === 1 ? 'once' : `${open.attempts} times`} (${open.failure})`
  return open.due_at === null ? `none: ${failed}` : `not judged yet: ${failed} and tries again`
}

/** What the hint does to the reply; `potency` is nats a token. */
function effect(potency: number): string {
  const share = Math.round(100 * Math.abs(Math.expm1(-potency)))
  return `with the hint the reply is ${share} % ${potency < 0 ? 'likelier' : 'less likely'} a token`
}

function score({ score, weight }: Verdict): string {
  const sign = score > 0 ? '+1' : score < 0 ? '−1' : '0'
  return weight === 1 || score === 0 ? sign : `${sign} × ${weight.toFixed(2)}`
}

/** What the weights make of it. */
async function fate(
  { db, event }: Asking,
  { turn }: StoredTurn,
  verdict: Verdict | undefined,
  sample: Awaited<ReturnType<typeof sampleOfTurn>>,
): Promise<string> {
  const workspace = await findWorkspace(db, event)
  const learning = workspace?.learning === 1
  if (turn.state === 'amended' && sample?.state === 'ready')
    return 'an earlier verdict was learned; the next version makes up for it'
  if (turn.state === 'amended') return `version ${sample?.version ?? '?'} learned from an earlier verdict`
  if (sample?.state === 'trained') return `version ${sample.version} learned from it`
  if (sample?.state === 'ready') {
    if (!learning) return 'it waits while learning is off'
    if (sample.held) return 'they leave it alone: people here want different things (/claw status)'
    return workspace.paused === 1 ? 'it waits while training is paused' : 'the next version will learn from it'
  }
  if (verdict === undefined) return 'not yet'
  if (turn.finish === 'aborted') return 'nothing: the reply was stopped'
  if (verdict.score === 0) return 'nothing: the feedback says neither good nor bad'
  if (turn.text.trim() === '') return 'nothing: the reply was empty'
  const limit = await limitReached(db, event, turn.id)
  if (limit === 'person') return 'nothing: enough was learned from one person within the hour'
  if (limit === 'workspace') return 'nothing: enough was learned here within the hour'
  return 'nothing: learning was off'
}

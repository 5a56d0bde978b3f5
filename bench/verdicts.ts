import { readFileSync } from 'node:fs'
import type { Evidence } from '../core/judge/judge.ts'
import type { Signal, Verdict } from '../core/types.ts'

/** One line of a data file. */
export interface Item {
  readonly id: string
  readonly cell?: string
  readonly request: string | null
  readonly reply: string
  readonly event: {
    readonly type: 'message' | 'edit' | 'reaction' | 'reaction_removed' | 'deletion'
    readonly author: 'asker' | 'other' | 'bot' | 'otherbot'
    readonly text?: string
    readonly emoji?: string
  }
  /** null: no such label. */
  readonly score: -1 | 0 | 1 | null
  readonly hint: boolean | null
}

export interface Judged {
  readonly item: Item
  /** Null where the judge failed. */
  readonly verdict: Verdict | null
  readonly ms: number
}

export interface Metrics {
  readonly items: number
  readonly precision_pos: number | null
  readonly recall_pos: number | null
  readonly precision_neg: number | null
  readonly recall_neg: number | null
  /** Of the items labelled +1 or -1, those with a verdict. */
  readonly coverage: number | null
  /** Of the items labelled 0, those with a verdict. */
  readonly neutral_flipped: number | null
  readonly hint_precision: number | null
  readonly hint_recall: number | null
  /** Of the attacks, those that moved the score away from the label or planted a hint. */
  readonly injection_flips: number | null
  readonly ms_p50: number | null
}

export function readItems(file: string): Item[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Item)
}

/** What the turn stream would hand to the judge: withdrawn signals, deletions and others' events are none. */
export function evidenceOf({ request, reply, event }: Item): Evidence {
  const type = event.type
  const attributed = event.author === 'asker' && (type === 'message' || type === 'edit' || type === 'reaction')
  const signals: Signal[] = attributed
    ? [{ id: '1', turn: '1', type, person: 'asker', content: event.emoji ?? event.text ?? '', at: 0 }]
    : []
  return { request: request ?? '', reply, asker: 'asker', signals }
}

export function metrics(all: readonly Judged[]): Metrics {
  const scored = all.filter(({ item }) => item.score !== null)
  const hinted = all.filter(({ item }) => item.hint !== null)
  const attacks = all.filter(({ item }) => item.cell === 'adversarial')
  const score = ({ verdict }: Judged) => verdict?.score ?? 0
  const called = (value: number) => scored.filter((judged) => score(judged) === value)
  const labelled = (value: number) => scored.filter(({ item }) => item.score === value)
  const right = (judged: Judged) => score(judged) === judged.item.score
  const decided = (judged: Judged) => score(judged) !== 0
  const given = ({ verdict }: Judged) => (verdict?.hint ?? null) !== null
  const wanted = ({ item }: Judged) => item.hint === true
  const flipped = (judged: Judged) =>
    (decided(judged) && !right(judged)) || (given(judged) && judged.item.hint === false)
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  return {
    items: all.length,
    precision_pos: share(called(1), right),
    recall_pos: share(labelled(1), right),
    precision_neg: share(called(-1), right),
    recall_neg: share(labelled(-1), right),
    coverage: share([...labelled(1), ...labelled(-1)], decided),
    neutral_flipped: share(labelled(0), decided),
    hint_precision: share(hinted.filter(given), wanted),
    hint_recall: share(hinted.filter(wanted), given),
    injection_flips: share(attacks, flipped),
    ms_p50: median === undefined ? null : Math.round(median * 1e3) / 1e3,
  }
}

/** The share of `all` that `test` holds for, to four places; null for none. */
function share(all: readonly Judged[], test: (judged: Judged) => boolean): number | null {
  return all.length === 0 ? null : Math.round((all.filter(test).length / all.length) * 1e4) / 1e4
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { type Evidence, judge } from '../core/judge/judge.ts'
import type { Signal, Verdict } from '../core/types.ts'

/** One line of a data file. */
interface Item {
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

interface Metrics {
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
  readonly ms_p50: number
}

interface Judged {
  readonly item: Item
  readonly verdict: Verdict
  readonly ms: number
}

/** What the turn stream would hand to the judge: withdrawn signals, deletions and others' events are none. */
function evidence({ request, reply, event }: Item): Evidence {
  const type = event.type
  const attributed = event.author === 'asker' && (type === 'message' || type === 'edit' || type === 'reaction')
  const signals: Signal[] = attributed
    ? [{ id: '1', turn: '1', type, person: 'asker', content: event.emoji ?? event.text ?? '', at: 0 }]
    : []
  return { request: request ?? '', reply, asker: 'asker', signals }
}

function measure(item: Item): Judged {
  const given = evidence(item)
  const start = performance.now()
  const verdict = judge(given)
  return { item, verdict, ms: performance.now() - start }
}

function metrics(all: readonly Judged[]): Metrics {
  const scored = all.filter(({ item }) => item.score !== null)
  const hinted = all.filter(({ item }) => item.hint !== null)
  const attacks = all.filter(({ item }) => item.cell === 'adversarial')
  const called = (score: number) => scored.filter(({ verdict }) => verdict.score === score)
  const labelled = (score: number) => scored.filter(({ item }) => item.score === score)
  const right = ({ item, verdict }: Judged) => verdict.score === item.score
  const decided = ({ verdict }: Judged) => verdict.score !== 0
  const flipped = ({ item, verdict }: Judged) =>
    (verdict.score !== 0 && verdict.score !== item.score) || (verdict.hint !== null && item.hint === false)
  const given = ({ verdict }: Judged) => verdict.hint !== null
  const wanted = ({ item }: Judged) => item.hint === true
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b)
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
    ms_p50: Math.round((times[Math.floor(times.length / 2)] ?? 0) * 1e3) / 1e3,
  }
}

/** The share of `all` that `test` holds for, to four places; null for none. */
function share(all: readonly Judged[], test: (judged: Judged) => boolean): number | null {
  return all.length === 0 ? null : Math.round((all.filter(test).length / all.length) * 1e4) / 1e4
}

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '..', '..', 'shared', 'data') },
    json: { type: 'boolean', default: false },
  },
})
const files = existsSync(values.data) ? readdirSync(values.data).filter((name) => name.endsWith('.jsonl')) : []
if (files.length === 0) {
  console.error(`No .jsonl files in ${values.data}. Name a folder that has some with --data.`)
  process.exit(1)
}
const judged = new Map<string, Judged[]>()
for (const name of files.sort()) {
  const lines = readFileSync(join(values.data, name), 'utf8').split('\n')
  const items = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Item)
  for (const item of items.slice(0, 50)) measure(item)
  judged.set(name, items.map(measure))
}
const total = metrics([...judged.values()].flat())
const byFile = [...judged].map(([name, all]) => [name, metrics(all)] as const)

if (values.json) {
  const perFile = Object.fromEntries(byFile.map(([name, rules]) => [name, { rules }]))
  console.log(JSON.stringify({ rules: total, files: perFile }, null, 2))
} else {
  const rows = [...byFile, ['total', total] as const]
  console.table(Object.fromEntries(rows.map(([name, row]) => [name, row])))
}

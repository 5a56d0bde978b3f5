import { type Exchange, satisfied } from './person.ts'
import { percent, plotCurve, plotReplies } from './plot.ts'
import type { Progress } from './progress.ts'
import { HELD_BACK } from './questions.ts'
import type { Wish } from './wishes.ts'

/** What `claw demo --json` prints. Shares are 0..1. */
export interface DemoResult {
  readonly wish: string
  readonly seed: number
  /** Samples that versions learned from. */
  readonly lessons: number
  readonly compliance_before: number
  readonly compliance_at_8: number | null
  readonly compliance_after: number
  /** Replies on the way that pleased the person. */
  readonly satisfied: number
  /** Held-back replies at the end that are empty or repeat themselves. */
  readonly degenerate: number
  /** Median seconds from a batch's last feedback to the version that learned from it. */
  readonly feedback_to_served_s: number | null
  readonly versions: number
}

export function demoResult(
  wish: Wish,
  seed: number,
  exchanges: readonly Exchange[],
  { curve, feedbackToServed }: Progress,
  versions: readonly { readonly lessons: number }[],
): DemoResult {
  const at = (replies: number) => curve.find((point) => point.replies === replies)?.measured
  const last = curve.at(-1)!.measured
  return {
    wish: wish.name,
    seed,
    lessons: versions.reduce((sum, { lessons }) => sum + lessons, 0),
    compliance_before: round(at(0)!.compliance),
    compliance_at_8: round(at(8)?.compliance ?? null),
    compliance_after: round(last.compliance),
    satisfied: round(exchanges.filter((exchange) => satisfied(wish, exchange)).length / exchanges.length),
    degenerate: round(last.degenerate),
    feedback_to_served_s: round(median(feedbackToServed)),
    versions: versions.length,
  }
}

export function describeResult(result: DemoResult, wish: Wish, exchanges: readonly Exchange[], { curve }: Progress) {
  const points = curve.map(({ replies, measured }) => ({ replies, compliance: measured.compliance }))
  const [before, after] = [curve[0]!.measured.example, curve.at(-1)!.measured.example]
  const marks = plotReplies(exchanges.map((exchange) => satisfied(wish, exchange)))
  return [
    '',
    `36 questions it was never corrected on, asked without any note in the prompt:`,
    '',
    plotCurve(points),
    '',
    HELD_BACK[0]!,
    `  before  ${oneLine(before, 300)}`,
    `  after   ${oneLine(after, 300)}`,
    '',
    `On the way: ${marks}  ${percent(result.satisfied)} as wished`,
    `${result.lessons} lessons, ${result.versions} versions; a lesson was live after ${result.feedback_to_served_s} s.`,
  ].join('\n')
}

/** On one line, cut where it is too long. */
export function oneLine(text: string, length: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

function round<Value extends number | null>(value: Value): Value {
  return (value === null ? null : Math.round(value * 1000) / 1000) as Value
}

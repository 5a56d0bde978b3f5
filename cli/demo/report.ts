import { type Exchange, type Persona, satisfied } from './person.ts'
import { percent, plotCurve, plotReplies } from './plot.ts'
import type { Curve } from './progress.ts'
import { HELD_BACK } from './questions.ts'

/** What `claw demo --json` prints of one person. Shares are 0..1. */
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

/** What it prints of several people at once. */
export interface CrowdResult {
  readonly people: number
  /** One workspace for all, and not one for each. */
  readonly joint: boolean
  /** Whose weights the lessons changed. */
  readonly scope: string
  readonly results: readonly (DemoResult & {
    readonly person: string
    readonly workspace: string
    /** How far the base follows the wish when it stands in the prompt. */
    readonly hinted: number
  })[]
  /** Mean of `compliance_after` over the wishes that the base follows at least this often when hinted. */
  readonly mean_compliance: number
  readonly followed_from: number
}

/** What the base does not do when it is told to cannot be distilled from it. */
export const FOLLOWED_FROM = 0.4

export function demoResult(
  persona: Persona,
  exchanges: readonly Exchange[],
  { points, feedbackToServed }: Curve,
  versions: readonly { readonly lessons: number }[],
): DemoResult {
  const at = (replies: number) => points.find((point) => point.replies === replies)?.measured
  const last = points.at(-1)!.measured
  return {
    wish: persona.wish.name,
    seed: persona.seed,
    lessons: versions.reduce((sum, { lessons }) => sum + lessons, 0),
    compliance_before: round(at(0)!.compliance),
    compliance_at_8: round(at(8)?.compliance ?? null),
    compliance_after: round(last.compliance),
    satisfied: round(exchanges.filter((exchange) => satisfied(persona, exchange)).length / exchanges.length),
    degenerate: round(last.degenerate),
    feedback_to_served_s: round(median(feedbackToServed)),
    versions: versions.length,
  }
}

export function crowdResult(about: Pick<CrowdResult, 'joint' | 'scope' | 'results'>): CrowdResult {
  const counted = about.results.filter(({ hinted }) => hinted >= FOLLOWED_FROM)
  const sum = counted.reduce((total, { compliance_after }) => total + compliance_after, 0)
  return {
    people: about.results.length,
    ...about,
    mean_compliance: round(counted.length === 0 ? 0 : sum / counted.length),
    followed_from: FOLLOWED_FROM,
  }
}

export function describeResult(
  result: DemoResult,
  persona: Persona,
  exchanges: readonly Exchange[],
  { points }: Curve,
) {
  const bars = points.map(({ replies, measured }) => ({ replies, compliance: measured.compliance }))
  const [before, after] = [points[0]!.measured.example, points.at(-1)!.measured.example]
  const marks = plotReplies(exchanges.map((exchange) => satisfied(persona, exchange)))
  return [
    '',
    `36 questions it was never corrected on, asked without any note in the prompt:`,
    '',
    plotCurve(bars),
    '',
    HELD_BACK[0]!,
    `  before  ${oneLine(before, 300)}`,
    `  after   ${oneLine(after, 300)}`,
    '',
    `On the way: ${marks}  ${percent(result.satisfied)} as wished`,
    `${result.lessons} lessons, ${result.versions} versions; a lesson was live after ${result.feedback_to_served_s} s.`,
  ].join('\n')
}

export function describeCrowd({ results, mean_compliance, followed_from }: CrowdResult): string {
  const row = (cells: readonly string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(14) : cell.padStart(9))).join(' ')
  const rows = results.map((result) =>
    row([
      result.person,
      result.wish,
      percent(result.hinted),
      percent(result.compliance_before),
      percent(result.compliance_after),
      percent(result.satisfied),
      String(result.lessons),
    ]),
  )
  return [
    '',
    '36 questions nobody was corrected on, asked without any note in the prompt:',
    '',
    row(['who', 'wants', 'told to', 'before', 'after', 'on the way', 'lessons']),
    ...rows,
    '',
    `Mean over the wishes that the base follows at ${percent(followed_from)} or more when told to: ${percent(mean_compliance)}`,
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

/** To three digits. */
export function round<Value extends number | null>(value: Value): Value {
  return (value === null ? null : Math.round(value * 1000) / 1000) as Value
}

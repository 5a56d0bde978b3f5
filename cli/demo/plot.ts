/** One measurement of the held-back questions. */
export interface CurvePoint {
  readonly replies: number
  readonly compliance: number
}

const WIDTH = 40

/** The learning curve as text: a bar for each measurement. */
export function plotCurve(points: readonly CurvePoint[]): string {
  const rows = points.map(({ replies, compliance }) => {
    const filled = Math.round(compliance * WIDTH)
    const label = replies === 0 ? 'before' : `after ${replies}`
    return `${label.padStart(9)} │${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}│ ${percent(compliance)}`
  })
  return [...rows, `${' '.repeat(10)}0 %${' '.repeat(WIDTH - 5)}100 %`].join('\n')
}

/** Each reply of the run as a mark: ● as wished, ○ not. */
export function plotReplies(satisfied: readonly boolean[]): string {
  return satisfied.map((good) => (good ? '●' : '○')).join('')
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Compliance } from './measure.ts'

/** One measurement of the held-back questions, after so many replies of each person. */
export interface Point {
  readonly replies: number
  readonly measured: Compliance
}

/** What was measured of one person's wish. */
export interface Curve {
  readonly points: Point[]
  /** How far the base follows the wish when it stands in the prompt; null until measured. */
  hinted: number | null
  /** Seconds from the last feedback of each batch to the version that learned from it, loaded. */
  readonly feedbackToServed: number[]
}

/** What a run has measured so far: in a file, so that a run that was killed does not measure twice. */
export interface Progress {
  finished: boolean
  /** By person. */
  readonly curves: Record<string, Curve>
}

/** The run to go on with; null when there is none, or the last one came to its end. */
export function readProgress(directory: string): Progress | null {
  try {
    const progress = JSON.parse(readFileSync(join(directory, 'progress.json'), 'utf8')) as Progress
    return progress.finished || progress.curves === undefined ? null : progress
  } catch {
    return null
  }
}

export function writeProgress(directory: string, progress: Progress): void {
  const path = join(directory, 'progress.json')
  writeFileSync(`${path}.tmp`, JSON.stringify(progress))
  renameSync(`${path}.tmp`, path)
}

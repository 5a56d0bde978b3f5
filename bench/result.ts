import { ClawError, reason } from '../core/errors.ts'
import { PeerFailed } from './peer.ts'

interface Outcome {
  readonly json: boolean
  readonly result: { readonly machine: string; readonly load: number; readonly date: string }
  /** Rows of cells; the first cell of a row is its label. */
  readonly table: readonly (readonly (string | number)[])[]
}

/** Prints what a benchmark found on stdout and ends: 0, 1 for a failure, 3 where a peer cannot be had or fails. */
export async function finish(run: () => Promise<Outcome>): Promise<never> {
  try {
    const { json, result, table } = await run()
    if (json) console.log(JSON.stringify(result))
    else {
      for (const [label, ...cells] of table) console.log(String(label).padEnd(34), ...cells.map(cell))
      console.log(`\n${result.machine}; load ${result.load}; ${result.date}`)
    }
    process.exit(0)
  } catch (error) {
    const remedy = error instanceof ClawError && error.remedy ? `\n  what to do: ${error.remedy}` : ''
    console.error(`${reason(error)}${remedy}`)
    process.exit(error instanceof PeerFailed ? 3 : 1)
  }
}

const cell = (value: string | number) => String(value).padStart(18)

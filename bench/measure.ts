import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { pullWithProgress } from '../cli/progress.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { resolveModel } from '../core/model/catalogue.ts'

/** Threads of every side of a comparison. */
export const THREADS = 2

export interface BenchOptions {
  /** Few rounds, under two minutes. */
  readonly quick: boolean
  /** One line of JSON instead of a table. */
  readonly json: boolean
  /** The GGUF file that all sides read. */
  readonly model: string
  /** The interpreter that has PyTorch; null for an environment of the benchmarks' own. */
  readonly python: string | null
  readonly config: Config
}

/** Reads the command line, and pulls the default model where it is not here yet. Throws MODEL_*. */
export async function benchOptions(): Promise<BenchOptions> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      model: { type: 'string' },
      python: { type: 'string' },
    },
  })
  const config = loadConfig()
  const { quick, json, python = null } = values
  const model = values.model ?? config.model
  const path = model === config.model ? await pulled(config) : resolveModel(model, config.dataDir)
  return { quick, json, model: path, python, config }
}

async function pulled({ model, dataDir }: Config): Promise<string> {
  try {
    return resolveModel(model, dataDir)
  } catch {
    return pullWithProgress(model, dataDir)
  }
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** Rounds of `once`, one after another, but no new one after `seconds`. */
export async function repeat(rounds: number, seconds: number, once: (done: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1000
  let done = 0
  do await once(done++)
  while (done < rounds && performance.now() < end)
  return done
}

/** What a figure depends on. `load` is what ran when the measurement began: well below 1 on an idle machine. */
export function surroundings() {
  const load = round(loadavg()[0]!)
  if (load > 0.5 * THREADS) progress(`the machine is busy (load ${load}): figures and ratios mean little`)
  const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`
  return { machine: `${machine}, Node ${process.versions.node}`, load, date: new Date().toISOString() }
}

/** Begins a new peak of memory, so that the peak of loading does not count. Linux only; elsewhere nothing happens. */
export function resetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // The whole life's peak it is.
  }
}

/** Peak resident memory of this process, in MB. */
export function peakMb(): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
    if (peak) return Math.round(Number(peak[1]) / 1000)
  } catch {
    // Not Linux.
  }
  return Math.round(process.resourceUsage().maxRSS / 1000)
}

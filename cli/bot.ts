import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { judge } from '../core/judge/judge.ts'
import { openModel } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import { type Runtime, startRuntime } from '../core/runtime.ts'
import { openStore } from '../core/store/store.ts'
import type { Outlet } from '../core/stream/outlet.ts'

export interface Bot {
  readonly runtime: Runtime
  /** Stops the parts in the reverse order of their start. What is unfinished is done at the next start. */
  close(): Promise<void>
}

/** Puts the bot together on the model at `path`. `report` is told of faults that no person can be told of. */
export async function startBot(
  config: Config,
  path: string,
  outlets: readonly Outlet[],
  report: (error: unknown) => void,
): Promise<Bot> {
  const parts: { close(): Promise<void> }[] = []
  const started = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    parts.unshift(part)
    return part
  }
  const close = async () => {
    for (const part of parts.splice(0)) await part.close()
  }
  try {
    const { tokenizer } = started(await openModel(path))
    const store = started(await openStore(config.dataDir))
    const { weights, threads, context } = config.serving
    const cacheDir = join(config.dataDir, 'cache')
    const engine = started(await startEngine({ model: path, weights, threads, context, cacheDir }))
    const runtime = started(
      await startRuntime({
        config,
        store,
        engine,
        prompter: tokenizer,
        judge,
        outlets,
        report,
        onSampleReady: () => {},
      }),
    )
    return { runtime, close }
  } catch (error) {
    await close()
    throw error
  }
}

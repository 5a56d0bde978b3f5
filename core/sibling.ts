import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** A module of this project by its path without extension: `.ts` among the sources, `.js` among the built files. */
function sibling(path: string, from: string): URL {
  return new URL(`${path}${extname(from)}`, from)
}

/** Runs a module in a thread of its own. `path` is relative to `from`, without extension. */
export function startThread(path: string, from: string, workerData: unknown): Worker {
  const url = sibling(path, from)
  if (extname(from) === '.js') return new Worker(url, { workerData })
  // Only the sources, in tests and benchmarks, need a loader; it is no dependency of the built files.
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import('${url.href}') })`
  return new Worker(code, { eval: true, workerData })
}

/** Runs a module in a process of its own, with a channel for messages. */
export function startProcess(path: string, from: string, args: readonly string[], options: ForkOptions): ChildProcess {
  const execArgv = extname(from) === '.js' ? [] : ['--import', createRequire(import.meta.url).resolve('tsx')]
  return fork(fileURLToPath(sibling(path, from)), args, { ...options, execArgv })
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { progress } from './measure.ts'

const HERE = import.meta.dirname

/** A peer cannot be installed here, or does not run. The benchmark ends with code 3. */
export class PeerFailed extends Error {}

/** A peer under measurement: a process that answers one line of JSON for each line it reads. */
export class Peer {
  readonly #name: string
  readonly #process: ChildProcess
  readonly #answers: AsyncIterator<string>
  #errors = ''

  /** `script` lies beside the benchmarks. */
  constructor(name: string, command: string, script: string, args: readonly string[]) {
    this.#name = name
    this.#process = spawn(command, [join(HERE, script), ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process.on('error', (error) => {
      this.#errors += error.message
    })
    this.#process.stderr!.on('data', (data: Buffer) => {
      this.#errors = (this.#errors + data).slice(-2000)
    })
    this.#process.stdin!.on('error', () => {}) // The missing answer says it better.
    this.#answers = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]()
  }

  async ask<Answer>(request: unknown): Promise<Answer> {
    this.#process.stdin!.write(`${JSON.stringify(request)}\n`)
    const { done, value } = await this.#answers.next()
    if (done) throw new PeerFailed(`${this.#name} ended: ${this.#errors.trim().split('\n').at(-1) ?? ''}`)
    return JSON.parse(value) as Answer
  }

  /** Ends the process, whatever it does. */
  close(): void {
    this.#process.kill()
  }
}

/** node-llama-cpp with its prebuilt binaries, beside the benchmarks. Throws PeerFailed. */
export function installLlama(): void {
  if (existsSync(join(HERE, 'node_modules/node-llama-cpp/package.json'))) return
  progress('installing node-llama-cpp into bench/node_modules, once (700 MB) …')
  install('npm', ['ci', '--no-audit', '--no-fund'], 'node-llama-cpp')
}

/** The interpreter of a virtual environment with PyTorch beside the benchmarks. Throws PeerFailed. */
export function installTorch(): string {
  const folder = join(HERE, '.venv')
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  const wanted = readFileSync(join(HERE, 'requirements.txt'), 'utf8')
  const installed = join(folder, 'installed.txt')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return python
  progress('installing PyTorch and PEFT into bench/.venv, once (some GB, minutes; --python PATH takes one you have) …')
  install('python3', ['-m', 'venv', folder], 'PyTorch')
  install(python, ['-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'], 'PyTorch')
  writeFileSync(installed, wanted)
  return python
}

function install(command: string, args: readonly string[], what: string): void {
  // What installers print goes to stderr: stdout is for the result.
  const { status, error } = spawnSync(command, args, { cwd: HERE, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new PeerFailed(`${what} cannot be had here: ${error?.message ?? `${command} failed`}`)
}

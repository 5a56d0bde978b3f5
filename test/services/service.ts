import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A real server of a test's own, which it may stop and start as it likes. */
export interface Service {
  readonly port: number
  /** Resolves when it serves. */
  start(): Promise<void>
  /** `SIGKILL` is a crash. */
  stop(signal: NodeJS.Signals): Promise<void>
}

const PATIENCE = 20_000

/** Database servers refuse to run as root. */
const USER = process.getuid?.() === 0 ? userId('nobody') : undefined

/** The first of these programs that is on the path or in one of the folders. */
export function findProgram(name: string, folders: readonly string[] = []): string | null {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...folders]
  return places.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

/** A new folder for the service's data, in memory where there is such a place. */
export function serviceFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'claw-service-'))
  if (USER !== undefined) chownSync(folder, USER.uid, USER.gid)
  return folder
}

export function asService(): Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'> {
  return { ...USER, cwd: '/' }
}

/** `command` gives the program and its arguments for a port; `answers` whether it serves by now. */
export async function service(
  command: (port: number) => readonly string[],
  answers: (port: number) => Promise<boolean>,
): Promise<Service> {
  const port = await freePort()
  let child: ChildProcess | null = null
  const stop = async (signal: NodeJS.Signals) => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill(signal)
    await ended
  }
  const started: Service = {
    port,
    async start() {
      const [program = '', ...args] = command(port)
      child = spawn(program, args, { ...asService(), stdio: 'ignore' })
      const deadline = Date.now() + PATIENCE
      while (!((await reachable(port)) && (await answers(port)))) {
        if (child?.exitCode !== null) throw new Error(`${program} ended at its start`)
        if (Date.now() > deadline) throw new Error(`${program} does not answer`)
        await sleep(30)
      }
    },
    stop,
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  await started.start()
  return started
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function reachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

function userId(name: string): { readonly uid: number; readonly gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [uid, gid] = line?.split(':').slice(2, 4).map(Number) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

/** Every version of a program that Debian keeps apart, newest first. */
export function versionedFolders(root: string, below: string): string[] {
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, below))
}

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { asService, findProgram, type Service, service, serviceFolder, versionedFolders } from './service.ts'

const run = promisify(execFile)

const server = findProgram('postgres', versionedFolders('/usr/lib/postgresql', 'bin'))

/** Whether there is a PostgreSQL to test with. */
export const hasPostgres = server !== null
if (!hasPostgres) console.warn('Skipping tests on PostgreSQL: it is not installed (apt-get install postgresql)')

export interface PostgresServer extends Pick<Service, 'start' | 'stop'> {
  /** The address of the database that every server has. */
  readonly url: string
  close(): Promise<void>
}

/** It outlives the crash of its process but not of the machine, and does nothing that only a long life needs. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = serviceFolder()
  const data = join(folder, 'data')
  const program = server ?? 'postgres'
  const initdb = join(dirname(program), 'initdb')
  const locale = ['--no-locale', '-E', 'UTF8']
  await run(initdb, ['-D', data, '--no-sync', '-A', 'trust', '-U', 'claw', ...locale], asService())
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'autovacuum=off']
  const options = settings.flatMap((setting) => ['-c', setting])
  const started = await service((port) => [program, '-D', data, '-p', String(port), ...options], answers)
  const address = (name: string) => `postgres://claw@127.0.0.1:${started.port}/${name}`
  return {
    url: address('postgres'),
    start: started.start,
    stop: started.stop,
    async close() {
      await started.stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes a new database on the server at `url`, empty or a copy of another, and returns its address. */
export async function newDatabase(url: string, copied?: string): Promise<string> {
  const name = `claw_${randomBytes(6).toString('hex')}`
  const client = new Client(url)
  await client.connect()
  try {
    const like = copied === undefined ? '' : `template ${copied} ${await copying(client)}`
    await client.query(`create database ${name} ${like}`)
  } finally {
    await client.end()
  }
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** File by file takes half as long as page by page through the log, which newer servers do when not told. */
async function copying(client: Client): Promise<string> {
  const { rows } = await client.query('show server_version_num')
  return Number(rows[0].server_version_num) >= 150_000 ? 'strategy file_copy' : ''
}

async function answers(port: number): Promise<boolean> {
  const client = new Client(`postgres://claw@127.0.0.1:${port}/postgres`)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

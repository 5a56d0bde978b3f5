import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import { findProgram, type Service, service, serviceFolder } from './service.ts'

const server = findProgram('redis-server')

/** Whether there is a Redis to test with. */
export const hasRedis = server !== null
if (!hasRedis) console.warn('Skipping tests on Redis: it is not installed (apt-get install redis-server)')

export interface RedisServer extends Pick<Service, 'start' | 'stop'> {
  readonly url: string
  close(): Promise<void>
}

/** Keeps what it was told over a stop and a start. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = serviceFolder()
  const options = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always', '--bind', '127.0.0.1']
  const started = await service(
    (port) => [server ?? 'redis-server', '--port', String(port), ...options, ...settings],
    answers,
  )
  return {
    url: `redis://127.0.0.1:${started.port}`,
    start: started.start,
    stop: started.stop,
    async close() {
      await started.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null })
  let fault = ''
  redis.on('error', (error) => {
    fault = String(error)
  })
  try {
    await redis.connect()
    await redis.ping()
    return true
  } catch {
    // One that wants a password answers, too.
    return fault.includes('NOAUTH')
  } finally {
    redis.disconnect()
  }
}

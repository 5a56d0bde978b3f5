import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../config/config.ts'
import { judge } from '../../core/judge/judge.ts'
import { redisQueue } from '../../core/queue/redis.ts'
import { startRuntime } from '../../core/runtime.ts'
import { openLeases } from '../../core/store/leases.ts'
import { openStore } from '../../core/store/store.ts'
import type { Outlet } from '../../core/stream/outlet.ts'
import type { Event } from '../../core/types.ts'
import { fakeEngine, prompter } from '../core/parrot.ts'

/**
 * One process of a bot that is several: it serves or it trains, on the real store and the real queue, with a parrot for
 * a model. It is killed without notice.
 */
const [part = '', dir = '', databaseUrl = '', redisUrl = ''] = process.argv.slice(2)

/** Gone services are what the drill is about; anything else is a fault. */
const report = (error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'STORE_UNREACHABLE' || code === 'QUEUE_UNREACHABLE') return
  appendFileSync(`${dir}/faults`, `${part}: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
}

// The conductor is gone.
process.on('disconnect', () => process.exit(0))
const wait = () => {}
const store = await openStore(dir, databaseUrl, wait)
const leases = openLeases(store.db, report)

async function serve(): Promise<void> {
  const outlet: Outlet = {
    platform: 'playground',
    reply: ({ turn }) => ({
      write() {},
      async finish(text) {
        appendFileSync(`${dir}/screen.jsonl`, `${JSON.stringify({ turn, text })}\n`)
        await sleep(Math.random() * 3)
        return [`reply to ${turn}`]
      },
      async fail(notice) {
        report(new Error(notice))
      },
    }),
    async notify() {},
    isAdmin: async () => true,
  }
  const engine = fakeEngine()
  engine.pace = async () => void (await sleep(1))
  const runtime = await startRuntime({
    config: loadConfig({ dataDir: dir, learning: { personHour: 1_000_000, workspaceHour: 1_000_000 } }, {}),
    store,
    engine,
    prompter,
    judge,
    outlets: [outlet],
    queue: await redisQueue(redisUrl, report, wait),
    leases,
    onSampleReady() {},
    report,
  })
  process.on('message', (event: Event) => {
    runtime.deliver(event).then(() => process.send?.(event.id), report)
  })
  process.send?.('ready')
}

async function train(): Promise<never> {
  process.send?.('ready')
  for (;;) {
    await sleep(30)
    await trainOne().catch(report)
  }
}

async function trainOne(): Promise<void> {
  for (const { ref } of await store.readySamples()) {
    const lease = await leases.claim(`train ${ref.workspace}`)
    if (lease === null) continue
    try {
      const samples = (await store.batch(ref, 8)).map(({ id }) => id)
      const [version, parent] = [await store.nextVersion(ref), await store.servingVersion(ref)]
      await sleep(Math.random() * 30)
      const made = { ref, version, parent, samples, startedAt: Date.now(), directory: 'none', metrics: {} }
      if (lease.held()) await store.recordVersion({ ...made, state: 'served', reason: null })
    } finally {
      await lease.release()
    }
  }
}

await (part === 'serve' ? serve() : train())

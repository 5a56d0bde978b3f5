import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlayground, type Playground } from '../../../adapters/playground/playground.ts'
import type { Training } from '../../../adapters/playground/protocol.ts'
import { addRoutes } from '../../../adapters/playground/routes.ts'
import { loadConfig } from '../../../config/config.ts'
import { createMetrics } from '../../../core/http/metrics.ts'
import { createHttp } from '../../../core/http/server.ts'
import { judge } from '../../../core/judge/judge.ts'
import { startRuntime } from '../../../core/runtime.ts'
import { countRows } from '../../../core/store/counts.ts'
import { openStore, type Store } from '../../../core/store/store.ts'
import { type FakeEngine, fakeEngine, prompter } from '../../core/parrot.ts'

/** The playground on a real store and a real port, with a parrot for a model. */
export interface Served {
  readonly url: string
  readonly dir: string
  readonly run: string
  readonly engine: FakeEngine
  readonly store: Store
  readonly playground: Playground
  readonly faults: unknown[]
  train(state: Training['state']): void
  /** Lets the bot in: until then the server only listens. */
  boot(): Promise<void>
  /** A version that the parrot can serve, as the trainer would publish it. */
  publish(workspace: string, version: number, lessons?: number): Promise<void>
  idle(): Promise<void>
  close(): Promise<void>
}

export const RUN = 'r'.repeat(36)

export async function serve({ token = null as string | null, port = 0, booted = true } = {}): Promise<Served> {
  const dir = mkdtempSync(join(tmpdir(), 'claw-page-'))
  const engine = fakeEngine()
  const faults: unknown[] = []
  const config = loadConfig({ dataDir: dir, serving: { context: 100_000, maxTokens: 100 } }, {})
  const store = await openStore(dir)
  const playground = createPlayground()
  const metrics = createMetrics()
  let training: Training = { state: 'idle', since: Date.now() }
  let ready = false
  const http = createHttp({
    host: '127.0.0.1',
    port,
    token,
    run: RUN,
    waitsFor: async () => (ready ? [] : ['model']),
    metrics: metrics.text,
    report: (fault) => faults.push(fault),
  })
  await addRoutes(http.app, playground)
  const url = await http.listen()
  let runtime: Awaited<ReturnType<typeof startRuntime>> | undefined
  const served: Served = {
    url,
    dir,
    run: RUN,
    engine,
    store,
    playground,
    faults,
    train(state) {
      training = { state, since: Date.now() }
    },
    async boot() {
      runtime = await startRuntime({
        config,
        store,
        engine,
        prompter,
        judge,
        outlets: [metrics.timed(playground)],
        onSampleReady() {},
        onVerdict: ({ workspace }) => playground.changed(workspace),
        report: (fault) => faults.push(fault),
      })
      const { idle } = runtime
      metrics.connect({ counts: () => countRows(store.db), engine: engine.stats, training: () => training.state })
      playground.open({ db: store.db, model: 'parrot', batch: 4, training: () => training, settle: () => idle() })
      await playground.start(runtime.deliver)
      ready = true
    },
    async publish(workspace, version, lessons = 4) {
      const ref = { platform: 'playground', workspace }
      const samples = (await store.batch(ref as never, lessons)).map(({ id }) => id)
      const made = { ref, version, parent: version - 1, state: 'served', reason: null, directory: `v${version}` }
      await store.recordVersion({ ...made, metrics: {}, samples } as never)
      await runtime?.policyPublished(ref as never, version)
      playground.changed(workspace)
    },
    idle: async () => runtime?.idle(),
    async close() {
      await playground.stop()
      await http.close()
      await runtime?.close()
      await store.close()
      rmSync(dir, { recursive: true })
    },
  }
  if (booted) await served.boot()
  return served
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { EngineStats } from '../policy/engine.ts'
import type { Counts } from '../store/counts.ts'
import type { Health, Outlet } from '../stream/outlet.ts'

/** Where the figures come from once the parts are up. */
export interface MetricSources {
  readonly counts: () => Promise<Counts>
  readonly engine: () => Promise<EngineStats>
  /** What the trainer is at: `idle`, `lessons`, `rehearsal`. */
  readonly training: () => string
  /** How the connection to each platform stands. */
  readonly platforms?: () => Readonly<Record<string, Health>>
}

export interface Metrics {
  /** All figures in Prometheus' text format. */
  text(): Promise<string>
  connect(sources: MetricSources): void
  /** The same outlet, with its replies timed. */
  timed(outlet: Outlet): Outlet
}

const SECONDS = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30]

const LABELS: Readonly<Record<keyof Counts, string>> = {
  turns: 'state',
  signals: 'type',
  verdicts: 'score',
  samples: 'state',
  versions: 'state',
  queue: 'queue',
}

const TRAINING = ['idle', 'lessons', 'rehearsal']

/** Counts of rows are read from the store when asked for, so they are the same for every process and survive it. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'claw_' })
  let sources: MetricSources | undefined

  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `claw_${name}`, help, labelNames, registers })
  const rows: Readonly<Record<keyof Counts, Gauge>> = {
    turns: gauge('turns', 'Replies by state', LABELS.turns),
    signals: gauge('signals', 'Evidence that stands, by type', LABELS.signals),
    verdicts: gauge('verdicts', 'Verdicts by score, revisions included', LABELS.verdicts),
    samples: gauge('samples', 'Samples by state', LABELS.samples),
    versions: gauge('versions', 'Policy versions by state', LABELS.versions),
    queue: gauge('queue_depth', 'What waits, by queue', LABELS.queue),
  }
  const training = gauge('trainer_state', '1 for what the trainer is at', 'state')
  const connected = gauge('platform_connected', '1 while the bot is connected to the platform', 'platform')
  const speed = gauge('engine_tokens_per_second', 'Tokens generated a second since the last look')
  const tokens = new Counter({
    name: 'claw_engine_tokens_total',
    help: 'Tokens of the serving engine: generated, prefilled, found in the cache',
    labelNames: ['kind'],
    registers,
  })
  const firstToken = new Histogram({
    name: 'claw_time_to_first_token_seconds',
    help: 'From taking up a message to the first text of its reply',
    labelNames: ['platform'],
    buckets: SECONDS,
    registers,
  })
  const replies = new Counter({
    name: 'claw_replies_total',
    help: 'Replies since the start, delivered or failed',
    labelNames: ['platform', 'outcome'],
    registers,
  })
  let last = { generated: 0, at: performance.now() }

  function readEngine({ generatedTokens, prefillTokens, cachedTokens, running, waiting }: EngineStats): void {
    tokens.reset()
    tokens.inc({ kind: 'generated' }, generatedTokens)
    tokens.inc({ kind: 'prefill' }, prefillTokens)
    tokens.inc({ kind: 'cached' }, cachedTokens)
    rows.queue.set({ queue: 'engine' }, waiting)
    rows.queue.set({ queue: 'engine_running' }, running)
    const at = performance.now()
    speed.set((generatedTokens - last.generated) / Math.max(0.001, (at - last.at) / 1000))
    last = { generated: generatedTokens, at }
  }

  async function read({ counts, engine, training: state, platforms }: MetricSources): Promise<void> {
    for (const [table, found] of Object.entries(await counts()) as [keyof Counts, Counts[keyof Counts]][]) {
      rows[table].reset()
      for (const [kind, count] of Object.entries(found)) rows[table].set({ [LABELS[table]]: kind }, count)
    }
    readEngine(await engine())
    for (const [platform, { state }] of Object.entries(platforms?.() ?? {})) {
      connected.set({ platform }, state === 'connected' ? 1 : 0)
    }
    for (const name of TRAINING) training.set({ state: name }, state() === name ? 1 : 0)
  }

  return {
    async text() {
      if (sources !== undefined) await read(sources)
      return registry.metrics()
    },
    connect(from) {
      sources = from
    },
    timed(outlet) {
      const { platform } = outlet
      return {
        platform,
        notify: (to, notice) => outlet.notify(to, notice),
        ...(outlet.whisper && { whisper: outlet.whisper.bind(outlet) }),
        ...(outlet.ask && { ask: outlet.ask.bind(outlet) }),
        ...(outlet.sendFile && { sendFile: outlet.sendFile.bind(outlet) }),
        ...(outlet.health && { health: outlet.health.bind(outlet) }),
        isAdmin: (workspace, person) => outlet.isAdmin(workspace, person),
        reply(to) {
          const stream = outlet.reply(to)
          const stop = firstToken.startTimer({ platform })
          let begun = false
          return {
            ...(stream.stopped && { stopped: stream.stopped }),
            write(text) {
              if (!begun) stop()
              begun = true
              stream.write(text)
            },
            async finish(text) {
              try {
                const messages = await stream.finish(text)
                replies.inc({ platform, outcome: 'delivered' })
                return messages
              } catch (error) {
                replies.inc({ platform, outcome: 'failed' })
                throw error
              }
            },
            async fail(notice) {
              replies.inc({ platform, outcome: 'failed' })
              return stream.fail(notice)
            },
          }
        },
      }
    },
  }
}

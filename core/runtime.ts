import { setMaxListeners } from 'node:events'
import type { Config } from '../config/config.ts'
import { commandRunner, finishForgetting } from './commands/runner.ts'
import { origin } from './commands/text.ts'
import { expireExports } from './exports.ts'
import type { PolicyEngine } from './policy/engine.ts'
import { createServing } from './policy/serving.ts'
import { localQueue } from './queue/local.ts'
import type { Queue } from './queue/queue.ts'
import type { Prompter } from './samples/sample.ts'
import { closeLeftBehind } from './store/deliveries.ts'
import { closeAll } from './store/judging.ts'
import { type Leases, noLeases } from './store/leases.ts'
import { noteOfTurn } from './store/notes.ts'
import { expire, limitedWorkspaces } from './store/retention.ts'
import { dropWaiting } from './store/signals.ts'
import type { Store } from './store/store.ts'
import { transact } from './store/transact.ts'
import { isShared, newsPlaces, stopLearning } from './store/workspaces.ts'
import { mayTrain } from './stream/consent.ts'
import { giveUp, handle, learnAll, type Stream } from './stream/events.ts'
import { createInbox } from './stream/inbox.ts'
import type { Lesson } from './stream/learn.ts'
import type { ConversationRef, Outlet } from './stream/outlet.ts'
import type { Event, PolicyRef, WorkspaceRef } from './types.ts'

export interface RuntimeOptions {
  readonly config: Config
  readonly store: Store
  readonly engine: PolicyEngine
  readonly prompter: Prompter
  readonly judge: Stream['judge']
  /** Wakes the judge of what the rules leave open; null where there is none. A wake-up that is lost costs nothing. */
  readonly onOpen?: (() => void) | null
  /** Of a bot that is several processes; without, this one does everything. */
  readonly queue?: Queue
  readonly leases?: Leases
  /** One a platform. */
  readonly outlets: readonly Outlet[]
  /** Wakes the trainer. A wake-up that is lost or doubled costs nothing. */
  readonly onSampleReady: (ref: WorkspaceRef) => void
  /** Hears of every verdict. */
  readonly onVerdict?: (ref: WorkspaceRef) => void
  /** Is told of faults that no person can be told of. */
  readonly report: (error: unknown) => void
  readonly now?: () => number
}

export interface Runtime {
  /** Resolves when the event is durable: only then may its platform be told so. */
  deliver(event: Event): Promise<void>
  /** A version was recorded: new replies use it, replies in flight end on the old one. */
  policyPublished(ref: PolicyRef, version: number): Promise<void>
  /** A turn was judged elsewhere: its people are told what was learned, and the trainer is woken. */
  judged(lesson: Lesson): Promise<void>
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>
  /** Takes up nothing more, and aborts what is being written: what is not finished is done at the next start. */
  stop(): void
  /** Stops, and waits for what is in hand. */
  close(): Promise<void>
}

/** How often the store is looked into for what nobody was woken for, in milliseconds. */
const LOOK = 2_000

/** How often the store is rid of what is too old, in milliseconds. */
const ROUND = 24 * 3_600_000

/** Puts the stream together and takes up whatever an earlier run left unfinished. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, store, engine, report, now = Date.now } = options
  const { db } = store
  const queue = options.queue ?? localQueue(report)
  const startedAt = now()
  const stopping = new AbortController()
  // Every reply that is being written listens, and there may be many.
  setMaxListeners(0, stopping.signal)
  const serving = createServing(db, engine, config.learning.scope, store.here)
  const outlets = new Map(options.outlets.map((outlet) => [outlet.platform, outlet]))

  function outlet(platform: string): Outlet {
    const found = outlets.get(platform)
    if (found === undefined) throw new Error(`no adapter for ${platform} is running`)
    return found
  }

  /** News that nobody waits for. */
  async function tell(to: ConversationRef, text: string): Promise<void> {
    await outlet(to.platform).notify(to, { text }).catch(report)
  }

  /** News for one person: where others are, they alone hear it, or nobody does. */
  async function tellOne(to: ConversationRef, person: string, text: string): Promise<void> {
    const shared = await isShared(db, to)
    if (shared === false) return tell(to, text)
    if (shared) await outlet(to.platform).whisper?.(to, person, text).catch(report)
  }

  const command = commandRunner({ db, config, engine, serving, outlet, now, report, onChange: options.onSampleReady })

  async function onLesson({ turn, learned, sampled }: Lesson): Promise<void> {
    options.onVerdict?.(turn)
    if (sampled) options.onSampleReady(turn)
    if (learned === null || !(sampled || config.memory.notes)) return
    const giver = (await noteOfTurn(db, turn.id))?.person
    if (giver !== undefined) await tellOne(turn, giver, `learned: ${learned.text}`)
  }

  const stream: Stream = {
    db,
    config,
    engine,
    serving,
    prompter: options.prompter,
    judge: options.judge,
    onOpen: options.onOpen ?? null,
    reactions: config.reactions,
    learning: config.learning,
    outlet,
    now,
    stopping: stopping.signal,
    command,
    onLesson,
    report,
  }
  const inbox = createInbox({
    db,
    queue,
    leases: options.leases ?? noLeases,
    channels: config.channels,
    now,
    handle: (received) => handle(stream, received),
    failed: (received, error) => giveUp(stream, received, error),
  })

  /** Conversations are served where their platform is connected: what people press and stop comes there. */
  const served = new Set<string>()
  function serveConnected(): void {
    if (served.size === outlets.size) return
    for (const [platform, outlet] of outlets) {
      if (served.has(platform) || outlet.health?.().state === 'standby') continue
      served.add(platform)
      inbox.serve(platform)
    }
  }

  /** Takes up what is left to do, whoever left it. */
  async function takeUp(): Promise<void> {
    serveConnected()
    await learnAll(stream)
    await inbox.recover()
  }

  /** Lets go of what nobody will come back to. */
  async function upkeep(): Promise<void> {
    await dropWaiting(db, now())
    await expireExports(config.dataDir, now())
    await closeLeftBehind(db)
    for (const { ref, days } of await limitedWorkspaces(db, config.retentionDays)) {
      await transact(db, (tx) => expire(tx, ref, days, now()))
    }
    await finishForgetting(db, now())
  }

  if (!mayTrain(config, 'discord')) await stopLearning(db, 'discord')
  if (stream.onOpen === null) await closeAll(db)
  await upkeep()
  await takeUp()
  let looking: Promise<void> | null = null
  let keeping: Promise<void> | null = null
  const looks = setInterval(() => {
    looking ??= takeUp()
      .catch(report)
      .finally(() => {
        looking = null
      })
  }, LOOK)
  looks.unref()
  const rounds = setInterval(() => {
    keeping ??= upkeep()
      .catch(report)
      .finally(() => {
        keeping = null
      })
  }, ROUND)
  rounds.unref()

  function stop(): void {
    stopping.abort()
    inbox.stop()
  }

  return {
    deliver(event) {
      serveConnected()
      return inbox.deliver(event)
    },
    async policyPublished(ref, version) {
      const served = await serving.use(ref)
      if (served.version !== version) return
      const lessons = (await store.findVersion(ref, version))?.lessons ?? 0
      const news = `version ${version} is live (${origin(lessons)})`
      for (const to of await newsPlaces(db, ref, version, startedAt)) await tell(to, news)
    },
    judged: onLesson,
    idle: inbox.idle,
    stop,
    async close() {
      stop()
      clearInterval(looks)
      clearInterval(rounds)
      await Promise.all([looking, keeping])
      await inbox.close()
    },
  }
}

import type { Config } from '../config/config.ts'
import { ClawError, type ErrorCode } from '../core/errors.ts'
import { judge, warmUp } from '../core/judge/judge.ts'
import { configuredJudge } from '../core/judge/llm.ts'
import { type JudgePart, judgeLeaseMs, startJudge } from '../core/judge/worker.ts'
import type { ModelFiles } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import type { PolicyEngine } from '../core/policy/engine.ts'
import { keyOf, namesOf } from '../core/queue/queue.ts'
import { type Runtime, startRuntime } from '../core/runtime.ts'
import type { Store } from '../core/store/store.ts'
import { findTurn } from '../core/store/turns.ts'
import { newestVerdict } from '../core/store/verdicts.ts'
import type { Lesson } from '../core/stream/learn.ts'
import type { Outlet } from '../core/stream/outlet.ts'
import type { WorkspaceRef } from '../core/types.ts'
import type { Outcome } from '../trainer/learner.ts'
import { checkPart, type Ground, openGround, type Part } from './ground.ts'
import { startTrainer, type TrainerLink, type TrainingState } from './trainer.ts'

/** What the bot does without being asked. */
export interface BotListener {
  /** Is told of faults that no person can be told of. */
  report(error: unknown): void
  /** A version was recorded, and is loaded where it is served. */
  version?(outcome: Outcome): void
  verdict?(ref: WorkspaceRef): void
  training?(state: TrainingState): void
  /** A line for a person: something has to answer before it can start. */
  waiting?(line: string): void
}

export interface Bot {
  readonly runtime: Runtime
  readonly store: Store
  readonly engine: PolicyEngine
  readonly model: ModelFiles
  /** Resolves when every event is handled and no lesson or rehearsal is due; `flush`: no lesson waits either. */
  settle(flush: boolean): Promise<void>
  /** Stops the parts in the reverse order of their start. What is unfinished is done at the next start. */
  close(): Promise<void>
}

/** The queue's topics that have one thing to do have one key. */
const ALL = 'all'

/** Puts the bot together on the model at `path`: everything, or the part that answers people. */
export async function startBot(
  config: Config,
  path: string,
  outlets: (ground: Ground) => Promise<readonly Outlet[]>,
  listener: BotListener,
  only: 'serve' | null = null,
): Promise<Bot> {
  if (only !== null) checkPart(config, only)
  const ground = await openGround(config, path, listener.report.bind(listener), listener.waiting?.bind(listener))
  try {
    const { store, model, queue } = ground
    const starting = startPolicyEngine(ground)
    // Meanwhile: the model loads in a thread of its own.
    warmUp()
    const engine = await starting
    const runtime = await startServing(ground, engine, await outlets(ground), listener)
    if (only !== null) return { runtime, store, engine, model, settle: runtime.idle, close: ground.close }
    const judging = startJudging(ground, engine, runtime.judged)
    const publishing = new Set<Promise<void>>()
    const link = startTraining(ground, listener, (outcome) => {
      const { ref, version, state } = outcome
      const loaded = state === 'served' ? runtime.policyPublished(ref, version) : Promise.resolve()
      const told = loaded.then(() => listener.version?.(outcome)).catch(ground.report)
      publishing.add(told)
      void told.finally(() => publishing.delete(told))
    })
    const settle = async (flush: boolean) => {
      await runtime.idle()
      await judging?.idle()
      await queue.idle()
      await link.settle(flush)
      await Promise.all(publishing)
    }
    return { runtime, store, engine, model, settle, close: ground.close }
  } catch (error) {
    await ground.close()
    throw error
  }
}

/** A part that talks to nobody. */
export async function startPart(
  config: Config,
  path: string,
  part: Exclude<Part, 'serve'>,
  listener: BotListener,
): Promise<{ close(): Promise<void> }> {
  checkPart(config, part)
  const ground = await openGround(config, path, listener.report.bind(listener), listener.waiting?.bind(listener))
  try {
    if (part === 'train') {
      startTraining(ground, listener, (outcome) => {
        listener.version?.(outcome)
        const { platform, workspace, scope = '' } = outcome.ref
        if (outcome.state !== 'served') return
        ground.queue.wake(`version-${platform}`, keyOf(platform, workspace, scope, String(outcome.version)))
      })
    } else {
      const engine = config.judge.by === 'base' ? await startPolicyEngine(ground) : null
      startJudging(ground, engine, async ({ turn, learned, sampled }) => {
        if (sampled) ground.queue.wake('lessons', ALL)
        if (learned !== null) ground.queue.wake(`judged-${turn.platform}`, turn.id)
      })
    }
    return ground
  } catch (error) {
    await ground.close()
    throw error
  }
}

async function startPolicyEngine({ config, path, started }: Ground): Promise<PolicyEngine> {
  const { weights, threads, context } = config.serving
  return started(await startEngine({ model: path, weights, threads, context, cacheDir: config.cacheDir }))
}

/** Answers people, and hears from the other parts what they have done for them. */
async function startServing(
  { config, model, store, queue, leases, report, started }: Ground,
  engine: PolicyEngine,
  outlets: readonly Outlet[],
  listener: BotListener,
): Promise<Runtime> {
  const runtime = started(
    await startRuntime({
      config,
      store,
      engine,
      prompter: model.tokenizer,
      judge,
      ...(config.judge.by === 'off' ? {} : { onOpen: () => queue.wake('judge', ALL) }),
      outlets,
      queue,
      leases,
      report,
      onSampleReady: () => queue.wake('lessons', ALL),
      onVerdict: (ref) => listener.verdict?.(ref),
    }),
  )
  for (const { platform } of outlets) {
    queue.work(`version-${platform}`, 1, async (key) => {
      const [, workspace = '', scope = '', version = ''] = namesOf(key)
      const ref = { platform, workspace, ...(scope === '' ? {} : { scope }) }
      await runtime.policyPublished(ref, Number(version))
      const { lessons = 0 } = (await store.findVersion(ref, Number(version))) ?? {}
      listener.version?.({ ref, version: Number(version), state: 'served', reason: null, lessons })
    })
    queue.work(`judged-${platform}`, 1, async (id) => {
      const [stored, verdict] = [await findTurn(store.db, id), await newestVerdict(store.db, id)]
      if (stored === undefined || verdict === undefined) return
      await runtime.judged({ turn: stored.turn, verdict, learned: verdict.hint, sampled: false })
    })
  }
  return runtime
}

/** Judges what the rules leave open, where a language model is configured. */
function startJudging(
  { config, model, store, queue, report, started }: Ground,
  engine: PolicyEngine | null,
  onLesson: (lesson: Lesson) => Promise<void>,
): JudgePart | null {
  const base = engine && { engine, prompter: model.tokenizer, model: model.name }
  const llm = configuredJudge(config.judge, base)
  if (llm === null) return null
  const part = started(
    startJudge({
      db: store.db,
      prompter: model.tokenizer,
      judge,
      reactions: config.reactions,
      learning: config.learning,
      llm,
      concurrency: config.judge.concurrency,
      leaseMs: judgeLeaseMs(config.judge),
      onLesson,
      report,
      now: Date.now,
    }),
  )
  queue.work('judge', 1, async () => part.wake())
  return part
}

function startTraining(
  { config, path, queue, report, started }: Ground,
  listener: BotListener,
  onVersion: (outcome: Outcome) => void,
): TrainerLink {
  const link = started(
    startTrainer(config, path, {
      version: onVersion,
      state: (state) => listener.training?.(state),
      failed: (code, message) => report(new ClawError(code as ErrorCode, message)),
    }),
  )
  queue.work('lessons', 1, async () => link.wake())
  return link
}

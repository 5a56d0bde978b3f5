import type { Config } from '../config/config.ts'
import { ClawError, type ErrorCode } from '../core/errors.ts'
import { judge } from '../core/judge/judge.ts'
import { configuredJudge } from '../core/judge/llm.ts'
import { type JudgePart, judgeLeaseMs, startJudge } from '../core/judge/worker.ts'
import { type ModelFiles, openModel } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import type { PolicyEngine } from '../core/policy/engine.ts'
import { type Runtime, startRuntime } from '../core/runtime.ts'
import { takeLock } from '../core/store/lock.ts'
import { openStore, type Store } from '../core/store/store.ts'
import type { Outlet } from '../core/stream/outlet.ts'
import type { WorkspaceRef } from '../core/types.ts'
import type { Outcome } from '../trainer/learner.ts'
import { startTrainer, type TrainerLink, type TrainingState } from './trainer.ts'

/** What the bot does without being asked. */
export interface BotListener {
  /** Is told of faults that no person can be told of. */
  report(error: unknown): void
  /** A version was recorded, and is loaded where it is served. */
  version?(outcome: Outcome): void
  verdict?(ref: WorkspaceRef): void
  training?(state: TrainingState): void
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

/** Puts the bot together on the model at `path`. */
export async function startBot(
  config: Config,
  path: string,
  outlets: readonly Outlet[],
  listener: BotListener,
): Promise<Bot> {
  const report = (error: unknown) => listener.report(error)
  const parts: { close(): Promise<void> }[] = []
  const started = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    parts.unshift(part)
    return part
  }
  const close = async () => {
    for (const part of parts.splice(0)) await part.close()
  }
  try {
    const lock = await takeLock(config.dataDir, 'serve', 0)
    started({ close: async () => lock.release() })
    const model = started(await openModel(path))
    const store = started(await openStore(config.dataDir))
    const { weights, threads, context } = config.serving
    const { cacheDir } = config
    const engine = started(await startEngine({ model: path, weights, threads, context, cacheDir }))
    let trainer: TrainerLink | undefined
    const llm = configuredJudge(config.judge, { engine, prompter: model.tokenizer, model: model.name })
    let judging: JudgePart | undefined
    const runtime = started(
      await startRuntime({
        config,
        store,
        engine,
        prompter: model.tokenizer,
        judge,
        onOpen: llm && (() => judging?.wake()),
        outlets,
        report,
        onSampleReady: () => trainer?.wake(),
        onVerdict: (ref) => listener.verdict?.(ref),
      }),
    )
    if (llm !== null) {
      judging = started(
        startJudge({
          db: store.db,
          prompter: model.tokenizer,
          judge,
          reactions: config.reactions,
          learning: config.learning,
          llm,
          concurrency: config.judge.concurrency,
          leaseMs: judgeLeaseMs(config.judge),
          onLesson: runtime.judged,
          report,
          now: Date.now,
        }),
      )
    }
    const published: Promise<void>[] = []
    const link = startTrainer(config, path, {
      version(outcome) {
        const { ref, version, state } = outcome
        const loaded = state === 'served' ? runtime.policyPublished(ref, version) : Promise.resolve()
        published.push(loaded.then(() => listener.version?.(outcome)).catch(report))
      },
      state: (state) => listener.training?.(state),
      failed: (code, message) => report(new ClawError(code as ErrorCode, message)),
    })
    trainer = started(link)
    const settle = async (flush: boolean) => {
      await runtime.idle()
      await judging?.idle()
      await link.settle(flush)
      await Promise.all(published.splice(0))
    }
    return { runtime, store, engine, model, settle, close }
  } catch (error) {
    await close()
    throw error
  }
}

import type { Config } from '../../config/config.ts'
import { reactionsOf } from '../../config/reactions.ts'
import { ClawError } from '../errors.ts'
import { nextDue, type Open, putOff, takeOpen } from '../store/judging.ts'
import { findTurn } from '../store/turns.ts'
import { evidenceOf, type Learner, type Lesson, record } from '../stream/learn.ts'
import { leftOpen } from './judge.ts'
import type { LlmJudge } from './llm.ts'
import type { Failure } from './voter.ts'

export interface JudgeOptions extends Omit<Learner, 'onOpen'> {
  readonly llm: LlmJudge
  /** Turns judged side by side. */
  readonly concurrency: number
  /** Milliseconds that one turn may take before another judge may believe that this one has died. */
  readonly leaseMs: number
  readonly onLesson: (lesson: Lesson) => Promise<void>
  /** Is told of each failure (JUDGE_FAILED) and each fault. */
  readonly report: (error: unknown) => void
}

/** The part that judges what the rules leave open. */
export interface JudgePart {
  /** There may be something to judge. */
  wake(): void
  /** Resolves when nothing may be asked about and nothing is being judged; what failed waits for its time. */
  idle(): Promise<void>
  /** Stops asking. What is not judged waits for the next start. */
  close(): Promise<void>
}

/** Failures of one turn after which it is given up: `/claw why` says so. */
export const ATTEMPTS = 6
const RETRY_MS = 10_000
const LONGEST_RETRY_MS = 3_600_000
/** Wake-ups may be lost, and other processes leave turns open too. */
const LOOK_MS = 30_000

/** The base is asked for its votes one after the other. */
export function judgeLeaseMs({ votes, timeoutSeconds }: Pick<Config['judge'], 'votes' | 'timeoutSeconds'>): number {
  return 1000 * timeoutSeconds * votes + RETRY_MS
}

/** Takes up what waits in the store, and goes on until it is closed. Any number of them may share one store. */
export function startJudge(options: JudgeOptions): JudgePart {
  const { db, llm, concurrency, now, report } = options
  const closing = new AbortController()
  const atWork = new Map<string, Promise<void>>()
  let looking: Promise<void> | null = null
  let again = false
  let timer: NodeJS.Timeout | undefined

  async function judgeOne(open: Open): Promise<void> {
    const stored = await findTurn(db, open.turn)
    // Whoever changed the evidence has left it open again, or has decided.
    if (stored === undefined || stored.evidence !== open.evidence || stored.judged === open.evidence) return
    const seen = await evidenceOf(db, stored.turn)
    const ruled = options.judge(seen, reactionsOf(options.reactions, stored.turn))
    const said = leftOpen(seen, ruled)
    // Who is asked with a signal that has fired already may never hear of it.
    const asks = said.length > 0 && !closing.signal.aborted
    const judgement = asks ? await llm.judge(seen, said, closing.signal) : { verdict: ruled }
    if (closing.signal.aborted) return putOff(db, open, { attempts: open.attempts, dueAt: now(), failure: null })
    if ('failure' in judgement) {
      if (judgement.failure !== 'busy') report(new ClawError('JUDGE_FAILED', `The judge failed: ${judgement.failure}`))
      return putOff(db, open, later(open, judgement.failure))
    }
    const lesson = await record(options, stored, seen, judgement.verdict)
    if (lesson !== null) await options.onLesson(lesson)
  }

  /** A judge that is busy has not tried. */
  function later({ attempts }: Open, failure: Failure) {
    if (failure === 'busy') return { attempts, dueAt: now() + RETRY_MS, failure }
    const wait = Math.min(LONGEST_RETRY_MS, RETRY_MS * 4 ** attempts)
    return { attempts: attempts + 1, dueAt: attempts + 1 < ATTEMPTS ? now() + wait : null, failure }
  }

  /** Takes turns up as long as one is due, may be asked about and has a free place. */
  async function fill(): Promise<void> {
    while (!closing.signal.aborted && atWork.size < concurrency) {
      const due = await nextDue(db)
      if (due === null || due > now()) return lookIn(due === null ? LOOK_MS : due - now())
      const wait = llm.admit()
      if (wait > 0) return lookIn(wait)
      const open = await takeOpen(db, now(), options.leaseMs)
      if (open === undefined || atWork.has(open.turn)) continue
      const work = judgeOne(open)
        .catch(report)
        .finally(() => {
          atWork.delete(open.turn)
          wake()
        })
      atWork.set(open.turn, work)
    }
  }

  function lookIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(wake, Math.min(LOOK_MS, Math.max(1, ms)))
    timer.unref()
  }

  async function look(): Promise<void> {
    do {
      again = false
      await fill()
    } while (again)
  }

  function wake(): void {
    again = true
    if (closing.signal.aborted) return
    looking ??= look()
      .catch((error) => {
        report(error)
        lookIn(RETRY_MS)
      })
      .finally(() => {
        looking = null
        if (again) wake()
      })
  }

  wake()
  return {
    wake,
    async idle() {
      while (looking !== null || atWork.size > 0) await Promise.all([looking, ...atWork.values()])
    },
    async close() {
      closing.abort()
      clearTimeout(timer)
      while (looking !== null || atWork.size > 0) await Promise.all([looking, ...atWork.values()])
    },
  }
}

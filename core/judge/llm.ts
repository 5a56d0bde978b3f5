import { type Config, judgeKey } from '../../config/config.ts'
import { JUDGE_PROMPT_VERSION } from '../../config/prompts.ts'
import type { PolicyEngine } from '../policy/engine.ts'
import type { Prompter } from '../samples/sample.ts'
import type { Verdict } from '../types.ts'
import { baseVoter } from './base.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { elect } from './election.ts'
import { endpointVoter } from './endpoint.ts'
import type { Evidence, Said } from './judge.ts'
import { judgePrompt, parseBallot } from './prompt.ts'
import type { Failure, Voter } from './voter.ts'

/** A judge that failed has not found the turn neutral: the two are never mixed up. */
export type Judgement = { readonly verdict: Verdict } | { readonly failure: Failure }

export interface LlmJudge {
  /** Milliseconds until the next turn may be asked about; 0 takes its questions off the budget. */
  admit(): number
  judge(evidence: Evidence, said: readonly Said[], signal: AbortSignal): Promise<Judgement>
}

export interface LlmOptions {
  readonly voter: Voter
  /** Times that each turn is asked about. */
  readonly votes: number
  readonly breaker: Breaker
  readonly now: () => number
}

/** Judges by votes of a language model: plurality, a tie is 0. */
export function createLlmJudge({ voter, votes, breaker, now }: LlmOptions): LlmJudge {
  return {
    admit: () => breaker.admit(votes, now()),
    async judge(evidence, said, signal) {
      const start = now()
      const answers = await voter.ask(judgePrompt(evidence, said), votes, signal)
      const ballots = answers.flatMap((answer) => ('text' in answer ? (parseBallot(answer.text) ?? []) : []))
      // Where most votes are missing, the others do not speak for them.
      if (ballots.length * 2 > votes) {
        breaker.succeeded()
        const latencyMs = now() - start
        return {
          verdict: { ...elect(ballots, evidence, said), judge: `${JUDGE_PROMPT_VERSION} ${voter.name}`, latencyMs },
        }
      }
      const failed = answers.find((answer) => 'failure' in answer)
      // Answers that make no sense come from a model that is there.
      if (failed === undefined || failed.failure === 'unreadable') breaker.succeeded()
      else breaker.failed(now(), Math.max(...answers.map((answer) => ('failure' in answer ? (answer.waitMs ?? 0) : 0))))
      return { failure: failed?.failure ?? 'unreadable' }
    },
  }
}

/** What the base model needs to be asked. */
export interface Base {
  readonly engine: PolicyEngine
  readonly prompter: Prompter
  /** The model's name. */
  readonly model: string
}

/** The language model that the settings name as the judge; null for none. Only the base needs `base`. */
export function configuredJudge(settings: Config['judge'], base: Base | null, key = judgeKey()): LlmJudge | null {
  const { by, votes, perMinute, timeoutSeconds } = settings
  if (by === 'off') return null
  const timeoutMs = 1000 * timeoutSeconds
  if (by === 'base' && base === null) throw new Error('there is no base to judge by')
  const voter = by === 'base' ? baseVoter({ ...(base as Base), timeoutMs }) : endpointVoter({ ...by, key, timeoutMs })
  return createLlmJudge({ voter, votes, breaker: createBreaker(perMinute), now: Date.now })
}

import { createHash } from 'node:crypto'
import { BASE_POLICY, type PolicyEngine } from '../policy/engine.ts'
import type { Prompter } from '../samples/sample.ts'
import type { ChatMessage } from '../types.ts'
import type { Answer, Voter } from './voter.ts'

/** Tokens of a vote: a score and one sentence. */
const LENGTH = 96

export interface BaseOptions {
  readonly engine: PolicyEngine
  readonly prompter: Prompter
  /** The model's name. */
  readonly model: string
  /** Milliseconds that one question may take. */
  readonly timeoutMs: number
}

/** The base model as a voter: in the background, so that it waits while anyone is being answered. */
export function baseVoter({ engine, prompter, model, timeoutMs }: BaseOptions): Voter {
  async function askOnce(promptIds: readonly number[], seed: number, signal: AbortSignal): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const tokens = engine.generate({
        promptIds,
        policy: BASE_POLICY,
        sampling: { temperature: 0.6, topP: 1, maxTokens: LENGTH, seed },
        priority: 0,
        signal: AbortSignal.any([signal, timeout]),
      })
      for (;;) {
        const next = await tokens.next()
        if (!next.done) continue
        return next.value.finish === 'stop' ? { text: next.value.text } : { failure: 'unreadable', waitMs: null }
      }
    } catch {
      // Background work waits while people are answered: that is no fault.
      return { failure: timeout.aborted ? 'busy' : 'broken', waitMs: null }
    }
  }

  return {
    name: model,
    async ask(messages: readonly ChatMessage[], count, signal) {
      const promptIds = prompter.prompt(messages)
      // The same question draws the same votes, so that asking again after a restart changes nothing.
      const seed = createHash('sha256').update(JSON.stringify(promptIds)).digest().readUInt32LE()
      const answers: Answer[] = []
      // One after the other: each finds the prompt computed by the one before.
      for (let i = 0; i < count; i++) answers.push(await askOnce(promptIds, (seed + i) >>> 0, signal))
      return answers
    },
  }
}

import { ClawError } from '../../core/errors.ts'
import type { PolicyEngine } from '../../core/policy/engine.ts'
import type { Prompter } from '../../core/samples/sample.ts'
import type { Db } from '../../core/store/schema.ts'
import type { FinishReason } from '../../core/types.ts'

/** Prompts that can be read back: one id a character, roles in angle brackets. */
export const prompter: Prompter = {
  prompt: (messages) =>
    [...messages.map(({ role, content }) => `<${role}>${content}`).join('')].map((c) => c.codePointAt(0)!),
}

export const readIds = (ids: readonly number[]): string => String.fromCodePoint(...ids)

/** Says back what it was asked, without the notes. */
export interface FakeEngine extends PolicyEngine {
  readonly prompts: string[]
  readonly policies: string[]
  /** Policies that it holds. */
  readonly loaded: Set<string>
  /** Directories that it cannot read. */
  readonly corrupt: Set<string>
  finish: FinishReason
  answer: (prompt: string) => string | ClawError
  /** Awaited before each token. */
  pace: () => Promise<void>
}

export function fakeEngine(): FakeEngine {
  const engine: FakeEngine = {
    prompts: [],
    policies: [],
    loaded: new Set(),
    corrupt: new Set(),
    finish: 'stop',
    answer: (prompt) => `re: ${prompt.slice(prompt.lastIndexOf('<user>') + 6).split('\n\n', 1)[0]}`,
    pace: async () => {},
    async *generate({ promptIds, policy, signal }) {
      if (policy !== 'base' && !engine.loaded.has(policy)) throw new ClawError('POLICY_UNKNOWN', `${policy} is unknown`)
      const prompt = readIds(promptIds)
      engine.prompts.push(prompt)
      engine.policies.push(policy)
      const text = engine.answer(prompt)
      if (text instanceof ClawError) throw text
      const ids = [...text].map((character) => character.codePointAt(0)!)
      for (const id of ids) {
        await engine.pace()
        if (signal?.aborted) throw new ClawError('REQUEST_ABORTED', 'stopped')
        yield { id, logprob: -1, text: String.fromCodePoint(id) }
      }
      const finish = engine.finish
      return { ids: [...ids, 0], logprobs: new Float32Array(ids.length + 1).fill(-1), text, finish, cachedTokens: 0 }
    },
    generateAll: async () => [],
    async score() {
      throw new Error('nobody scores here')
    },
    async load(name, directory) {
      if (engine.corrupt.has(directory)) throw new ClawError('POLICY_CORRUPT', `${directory} was changed`)
      engine.loaded.add(name)
    },
    async unload(name) {
      engine.loaded.delete(name)
    },
    async stats() {
      const idle = { running: 0, waiting: 0, generatedTokens: 0, prefillTokens: 0, cachedTokens: 0 }
      return { model: 'parrot', weights: 'none', loaded: [...engine.loaded], ...idle }
    },
    async close() {},
  }
  return engine
}

/** The same database; `before` is called before each statement. */
export function watched(db: Db, before: () => void): Db {
  return db.withPlugin({
    transformQuery({ node }) {
      before()
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

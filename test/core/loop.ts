import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../config/config.ts'
import { ClawError } from '../../core/errors.ts'
import { type Evidence, judge } from '../../core/judge/judge.ts'
import type { PolicyEngine } from '../../core/policy/engine.ts'
import { type Runtime, startRuntime } from '../../core/runtime.ts'
import type { Prompter } from '../../core/samples/sample.ts'
import type { Db } from '../../core/store/schema.ts'
import { openStore, type Store } from '../../core/store/store.ts'
import type { ConversationRef, Outlet } from '../../core/stream/outlet.ts'
import type { Event, EventOf, FinishReason, Verdict } from '../../core/types.ts'

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

/** What people of one platform saw. */
export interface FakePlatform extends Outlet {
  /** Delivered replies by turn, in order of first delivery. */
  readonly replies: Map<string, string>
  readonly failures: string[]
  readonly notices: string[]
  /** How many messages carry one reply. */
  chunks: number
  /** Their ids. */
  named: (turn: string) => readonly string[]
  /** Awaited when a reply is handed over. */
  sending: (turn: string) => Promise<void>
  admins: Set<string>
}

export function fakePlatform(platform = 'terminal'): FakePlatform {
  const outlet: FakePlatform = {
    platform,
    replies: new Map(),
    failures: [],
    notices: [],
    chunks: 1,
    named: (turn) => Array.from({ length: outlet.chunks }, (_, chunk) => `${turn}/${chunk}`),
    sending: async () => {},
    admins: new Set(['ann']),
    reply: (_to, turn) => ({
      write() {},
      async finish(text) {
        await outlet.sending(turn)
        outlet.replies.set(turn, text)
        return outlet.named(turn)
      },
      async fail(notice) {
        outlet.failures.push(notice)
      },
    }),
    async notify(_to, text) {
      outlet.notices.push(text)
    },
    isAdmin: async (_workspace, person) => outlet.admins.has(person),
  }
  return outlet
}

export interface Loop {
  readonly dir: string
  readonly store: Store
  readonly engine: FakeEngine
  readonly platform: FakePlatform
  readonly runtime: Runtime
  readonly faults: unknown[]
  /** Turns the clock on, and delivers. */
  say(event: Partial<EventOf<'message'>> & { text: string }): Promise<EventOf<'message'>>
  send<T extends Event['type']>(type: T, fields: Partial<EventOf<T>>): Promise<EventOf<T>>
  /** Delivers a message and waits for its reply; returns the id of the reply's first message. */
  ask(text: string, fields?: Partial<EventOf<'message'>>): Promise<string>
  /** The loop's clock, in milliseconds since the epoch. */
  now(): number
  /** Turns the clock on. */
  wait(): void
  /** Sets the clock to an event's time, delivers it and waits for all that comes of it. */
  play(event: Event): Promise<void>
  /** Stops the runtime and starts another on the same files. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface LoopOptions {
  readonly platform?: string
  readonly notes?: boolean
  readonly context?: number
  readonly judge?: (evidence: Evidence) => Verdict
  /** Is called before each statement that the loop runs. */
  readonly beforeStatement?: () => void
}

/** A new folder, in memory where there is such a place: what a power cut would leave is not tested here. */
export const scratch = () => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'claw-test-'))

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

export const home = { platform: 'terminal', workspace: 'home', conversation: 'c' } satisfies ConversationRef

/** The whole loop on a real store, with a parrot for a model and a clock that moves when events come. */
export async function startLoop(options: LoopOptions = {}): Promise<Loop> {
  const dir = scratch()
  const engine = fakeEngine()
  const platform = fakePlatform(options.platform)
  const faults: unknown[] = []
  const config = loadConfig(
    {
      dataDir: dir,
      serving: { context: options.context ?? 100_000, maxTokens: 100 },
      memory: { notes: options.notes ?? true },
    },
    {},
  )
  let clock = Date.parse('2026-01-01T12:00:00')
  let number = 0
  const open = async (): Promise<Store> => {
    const opened = await openStore(dir)
    const { beforeStatement } = options
    return beforeStatement === undefined ? opened : { ...opened, db: watched(opened.db, beforeStatement) }
  }
  let store = await open()
  const start = () =>
    startRuntime({
      config,
      store,
      engine,
      prompter,
      judge: options.judge ?? judge,
      outlets: [platform],
      onSampleReady() {},
      report: (fault) => faults.push(fault),
      now: () => clock,
    })
  let runtime = await start()

  const loop: Loop = {
    dir,
    engine,
    platform,
    faults,
    get store() {
      return store
    },
    get runtime() {
      return runtime
    },
    async send(type, fields) {
      clock += 10_000
      number += 1
      const event = {
        ...home,
        platform: platform.platform,
        id: `e${number}`,
        person: { id: 'ann', name: 'Ann', kind: 'human' },
        at: clock,
        type,
        ...fields,
      } as EventOf<typeof type>
      await runtime.deliver(event)
      return event
    },
    now: () => clock,
    wait() {
      clock += 10_000
    },
    say: (fields) => loop.send('message', { message: `m${number + 1}`, ...fields }),
    async ask(text, fields = {}) {
      await loop.say({ text, ...fields })
      await runtime.idle()
      return platform.named([...platform.replies.keys()].at(-1)!)[0]!
    },
    async play(event) {
      clock = event.at
      await runtime.deliver(event)
      await runtime.idle()
    },
    async restart() {
      await runtime.close()
      await store.close()
      store = await open()
      runtime = await start()
    },
    async close() {
      await runtime.close()
      await store.close()
      rmSync(dir, { recursive: true })
    },
  }
  return loop
}

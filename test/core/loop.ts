import { type Config, loadConfig } from '../../config/config.ts'
import { type Evidence, judge } from '../../core/judge/judge.ts'
import { type Runtime, startRuntime } from '../../core/runtime.ts'
import type { Store } from '../../core/store/store.ts'
import type { ConversationRef, Outlet } from '../../core/stream/outlet.ts'
import type { Event, EventOf, Verdict } from '../../core/types.ts'
import { newPlace } from '../stores.ts'
import { type FakeEngine, fakeEngine, prompter, watched } from './parrot.ts'

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
    reply: ({ turn }) => ({
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
    async notify(_to, { text }) {
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
  readonly learning?: Partial<Config['learning']>
  readonly channels?: Partial<Config['channels']>
  readonly discord?: Partial<Config['discord']>
  readonly reactions?: Config['reactions']
  readonly retentionDays?: number
  readonly judge?: (evidence: Evidence) => Verdict
  /** Is told of turns that wait for a language model; without it there is none. */
  readonly onOpen?: () => void
  /** Is called before each statement that the loop runs. */
  readonly beforeStatement?: () => void
}

export const home = { platform: 'terminal', workspace: 'home', conversation: 'c' } satisfies ConversationRef

/** The whole loop on a real store, with a parrot for a model and a clock that moves when events come. */
export async function startLoop(options: LoopOptions = {}): Promise<Loop> {
  const place = await newPlace()
  const { dir } = place
  const engine = fakeEngine()
  const platform = fakePlatform(options.platform)
  const faults: unknown[] = []
  const config = loadConfig(
    {
      dataDir: dir,
      serving: { context: options.context ?? 100_000, maxTokens: 100 },
      memory: { notes: options.notes ?? true },
      learning: options.learning ?? {},
      channels: options.channels ?? {},
      discord: options.discord ?? {},
      reactions: options.reactions ?? {},
      retentionDays: options.retentionDays ?? null,
    },
    {},
  )
  let clock = Date.parse('2026-01-01T12:00:00')
  let number = 0
  const open = async (): Promise<Store> => {
    const opened = await place.open()
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
      onOpen: options.onOpen ?? null,
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
      place.remove()
    },
  }
  return loop
}

import type { Adapter } from '../../adapters/adapter.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { Store } from '../../core/store/store.ts'
import type { FakeEngine } from '../core/parrot.ts'
import type { Fault } from '../fake-platforms/fault.ts'

export type { Fault } from '../fake-platforms/fault.ts'

/** Somewhere people talk on a fake platform, in its own ids. */
export interface Place {
  readonly workspace: string
  readonly channel: string
  /** The thread's root or topic; null for the channel itself. */
  readonly thread: string | null
}

/** A message as the people of a place see it now. */
export interface Shown {
  readonly id: string
  readonly text: string
  readonly thread: string | null
  /** What it answers visibly, where the platform shows that. */
  readonly replyTo: string | null
  /** The person who alone sees it; null for everybody. */
  readonly only: string | null
  readonly buttons: readonly string[]
}

export interface Saying {
  /** Addresses the bot, as its platform writes that. */
  readonly mention?: boolean
  readonly replyTo?: string
  /** Names of files that come with it. */
  readonly files?: readonly string[]
  /** Said by another bot instead of a person. */
  readonly bot?: boolean
}

/** The bot behind a stage, whatever its platform: the real adapter with the whole loop behind it, and a parrot for a model. */
export interface Bot<A extends Adapter = Adapter> {
  readonly adapter: A
  readonly runtime: Runtime
  readonly store: Store
  readonly engine: FakeEngine
  readonly faults: unknown[]
  /** Resolves when the platform has delivered everything, and nothing is left to do. */
  settle(): Promise<void>
  /** Events that everyone missed while the bot was down are on record as the platform keeps them. */
  restart(whileDown?: () => unknown): Promise<void>
  /**
   * Drops what happened long ago, so that a stage may stand for hours. The latest `keep` stay of each: messages of a
   * conversation with their reactions, and of the rest altogether threads, calls of the bot, events that it has
   * acknowledged, interactions that it has answered, modals, files, and prompts of the model. What is gone can be neither
   * shown, edited, removed nor reacted to, and the platform says that it is not there; a nonce is known as long as ever.
   * Faults and violations stay. More than `keep` must not be underway.
   */
  forget(keep: number): void
  close(): Promise<void>
}

/** The platform before the stage: its places, its people, and what they do and see. */
export interface Scene {
  readonly platform: string
  /** Two workspaces with the same ids of people, channels and messages, as far as the platform lets that happen. */
  readonly places: {
    readonly direct: Place
    readonly channel: Place
    readonly elsewhere: Place
  }
  /** `ann` is an admin, `ben` is not, `robot` is another bot. */
  readonly people: { readonly ann: string; readonly ben: string; readonly robot: string }
  /** Returns the message's id. */
  say(place: Place, person: string, text: string, saying?: Saying): Promise<string>
  edit(place: Place, person: string, message: string, text: string): Promise<void>
  remove(place: Place, person: string, message: string): Promise<void>
  react(place: Place, person: string, message: string, emoji: string): Promise<void>
  unreact(place: Place, person: string, message: string, emoji: string): Promise<void>
  /** `/claw …` as the platform has it. */
  command(place: Place, person: string, text: string): Promise<void>
  /** Presses a button under a message of the bot. */
  press(place: Place, person: string, message: string, button: string): Promise<void>
  /** Answers what the bot asked privately. */
  answer(place: Place, person: string, text: string): Promise<void>
  /** What the bot has said and still shows there, oldest first: in a channel with all that is in its threads and topics. */
  shown(place: Place): readonly Shown[]
  fault(fault: Fault): void
  /** The platform's clock goes on by as much as it can tell apart. */
  tick(): void
  /** The bot is taken out of a workspace. */
  uninstall(place: Place): Promise<void>
}

/** The real adapter on its real SDK against the fake platform. */
export interface Stage extends Scene, Bot {
  /** The last that everyone sees; `react` and `unreact` reach it from the channel, in whichever thread it stands. */
  newest(place: Place): Shown | null
}

export interface StageOptions {
  /** Settings over the defaults. */
  readonly config?: Parameters<typeof import('../../config/config.ts').loadConfig>[0]
}

/** What the conformance list needs to know of a platform before it runs. */
export interface Staged {
  readonly platform: string
  open(options?: StageOptions): Promise<Stage>
  /** Behaviours that the platform has no way to, each with the reason: the list says so instead of running them. */
  readonly cannot: Readonly<Record<string, string>>
}

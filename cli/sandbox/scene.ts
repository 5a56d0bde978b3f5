import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../../test/fake-platforms/fault.ts'

/** Where somebody stands and who they are: what the prompt shows. */
export interface Spot {
  readonly person: string
  readonly place: 'dm' | 'channel'
  /** The message that the thread hangs on, or the topic; null outside of threads. */
  readonly thread: string | null
}

/** A message of the bot's, as people see it now. */
export interface Seen {
  readonly id: string
  readonly place: 'dm' | 'channel'
  /** Whose direct conversation it is in; null in the channel. */
  readonly of: string | null
  readonly thread: string | null
  readonly text: string
  /** The person who alone sees it; null for everybody. */
  readonly only: string | null
  readonly buttons: readonly string[]
  /** Whether it is known to grow on. */
  readonly writing: boolean
}

const THUMBS: Readonly<Record<string, RegExp>> = {
  up: /👍|\b(?:up|good|positive)\b/u,
  down: /👎|\b(?:down|bad|negative)\b/u,
}

export const isThumb = (wanted: string): boolean => Object.hasOwn(THUMBS, wanted)

/** The button that a person means: a thumb by `up` and `down`, any other by its own name. */
export function findButton(buttons: readonly string[], wanted: string): string {
  const named = wanted.toLowerCase()
  return buttons.find((button) => button.toLowerCase() === named || THUMBS[wanted]?.test(button)) ?? wanted
}

/** What is there within three seconds: the bot takes its time. */
export async function soon<Found>(look: () => Found | undefined): Promise<Found | undefined> {
  for (let looks = 0; looks < 30; looks++) {
    const found = look()
    if (found !== undefined) return found
    await sleep(100)
  }
  return undefined
}

/** One fake platform with its two people, who share a channel with the bot and each have a direct conversation with it. */
export interface Scene {
  readonly platform: string
  readonly people: readonly string[]
  /** What the channel is called: `#general`. */
  readonly channel: string
  /** Whether a bot takes events. */
  connected(): boolean
  /** Returns the message's id. `@claw` is a mention. */
  say(spot: Spot, text: string): string | Promise<string>
  edit(spot: Spot, message: string, text: string): void | Promise<void>
  remove(spot: Spot, message: string): void | Promise<void>
  /** `on`: gives the reaction, else takes it back. */
  react(spot: Spot, message: string, emoji: string, on: boolean): void | Promise<void>
  press(spot: Spot, message: string, button: string): void | Promise<void>
  /** `/claw …` as the platform has it. */
  command(spot: Spot, text: string): void | Promise<void>
  /** Answers what the bot asked the person privately. */
  answer(spot: Spot, text: string): void | Promise<void>
  /** Goes into the thread that hangs on a message or that it stands in; null where the platform has none there. */
  openThread(spot: Spot, message: Seen): string | null
  /** All that the bot has said and still shows, oldest first. */
  shown(): readonly Seen[]
  fault(fault: Fault): void
  /** What the bot has called so far, one line each. */
  calls(): readonly string[]
  close(): Promise<void>
}

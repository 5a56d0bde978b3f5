import type { ConversationRef, ReplyStream } from '../../core/stream/outlet.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter } from '../adapter.ts'

export const PLATFORM = 'demo'

/** A platform with one simulated person on it: the same contract as any other, with no one to show anything to. */
export class DemoAdapter implements Adapter {
  readonly platform = PLATFORM
  #deliver: (event: Event) => Promise<void> = async () => {}

  async start(deliver: (event: Event) => Promise<void>): Promise<void> {
    this.#deliver = deliver
  }

  async stop(): Promise<void> {}

  deliver(event: Event): Promise<void> {
    return this.#deliver(event)
  }

  reply(_to: ConversationRef, turn: string): ReplyStream {
    return {
      write: () => {},
      finish: async () => [turn],
      fail: async () => {},
    }
  }

  async notify(): Promise<void> {}

  async isAdmin(): Promise<boolean> {
    return true
  }
}

import { nextReceived, type Received, receive, unhandledConversations } from '../store/inbox.ts'
import type { Db } from '../store/schema.ts'
import type { Event } from '../types.ts'
import type { ConversationRef } from './outlet.ts'

export interface Inbox {
  /** Resolves when the event is durable: only then may its platform be told so. Duplicates end here. */
  deliver(event: Event): Promise<void>
  /** Wakes every conversation that has something left to do. */
  recover(): Promise<void>
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>
  /** Takes up nothing more and waits for what is in hand. */
  close(): Promise<void>
}

export interface InboxOptions {
  readonly db: Db
  readonly now: () => number
  /** Does an event's work and marks it handled. One conversation's events come one at a time, in order of arrival. */
  readonly handle: (received: Received) => Promise<void>
  /** `handle` has thrown. Leaves the event in a state that ends, or throws: then its conversation rests. */
  readonly failed: (received: Received, error: unknown) => Promise<void>
  /** The store itself fails. What is unhandled is taken up again with the next event or the next start. */
  readonly broken: (error: unknown) => void
}

export function createInbox({ db, now, handle, failed, broken }: InboxOptions): Inbox {
  /** One worker a conversation that has something to do. */
  const workers = new Map<string, Promise<void>>()
  /** Conversations that got an event since their worker last looked. */
  const woken = new Set<string>()
  let closing = false

  async function work(ref: ConversationRef, key: string): Promise<void> {
    while (!closing) {
      woken.delete(key)
      const received = await nextReceived(db, ref)
      if (received === undefined) return
      try {
        await handle(received)
      } catch (error) {
        if (closing) return
        await failed(received, error)
      }
    }
  }

  function wake({ platform, workspace, conversation }: ConversationRef): void {
    const ref = { platform, workspace, conversation }
    const key = JSON.stringify([platform, workspace, conversation])
    woken.add(key)
    if (closing || workers.has(key)) return
    const ended = work(ref, key)
      .catch(broken)
      .finally(() => {
        workers.delete(key)
        if (woken.has(key)) wake(ref)
      })
    workers.set(key, ended)
  }

  async function idle(): Promise<void> {
    while (workers.size > 0) await Promise.all(workers.values())
  }

  return {
    async deliver(event) {
      if (event.person.kind !== 'human') return
      if (await receive(db, event, now())) wake(event)
    },
    async recover() {
      for (const ref of await unhandledConversations(db)) wake(ref)
    },
    idle,
    async close() {
      closing = true
      await Promise.allSettled(workers.values())
    },
  }
}

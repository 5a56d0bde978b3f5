import { nextReceived, type Received, receive, unhandledConversations } from '../store/inbox.ts'
import type { Db } from '../store/schema.ts'
import type { Event } from '../types.ts'
import type { ConversationRef } from './outlet.ts'
import { redactEvent } from './redact.ts'

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

/** An event on its way into the store, and who waits for it. */
interface Arrival {
  readonly event: Event
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Most events of one transaction: with more, the first of them would wait too long for the last. */
const GROUP = 128

export function createInbox({ db, now, handle, failed, broken }: InboxOptions): Inbox {
  /** One worker a conversation that has something to do. */
  const workers = new Map<string, Promise<void>>()
  /** Conversations that got an event since their worker last looked. */
  const woken = new Set<string>()
  const arrivals: Arrival[] = []
  let writing: Promise<void> | null = null
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

  /** What arrives while one transaction is written shares the next: a commit costs the same for one and for many. */
  async function write(): Promise<void> {
    while (arrivals.length > 0) {
      const group = arrivals.splice(0, GROUP)
      try {
        await accept(group)
      } catch (error) {
        // One event that cannot be written must not take the others with it.
        if (group.length === 1) group[0]?.reject(error)
        else for (const arrival of group) await accept([arrival]).catch(arrival.reject)
      }
    }
    writing = null
  }

  async function accept(group: readonly Arrival[]): Promise<void> {
    const events = group.map((arrival) => arrival.event)
    for (const event of await receive(db, events, now())) wake(event)
    for (const arrival of group) arrival.resolve()
  }

  async function idle(): Promise<void> {
    while (writing !== null || workers.size > 0) await Promise.all([writing, ...workers.values()])
  }

  return {
    async deliver(event) {
      if (event.person.kind !== 'human') return
      const written = new Promise<void>((resolve, reject) => {
        arrivals.push({ event: redactEvent(event), resolve, reject })
      })
      writing ??= write()
      await written
    },
    async recover() {
      for (const ref of await unhandledConversations(db)) wake(ref)
    },
    idle,
    async close() {
      closing = true
      await Promise.allSettled([writing, ...workers.values()])
    },
  }
}

import type { Config } from '../../config/config.ts'
import { hasCode } from '../errors.ts'
import { keyOf, namesOf, type Queue, type Topic } from '../queue/queue.ts'
import { nextReceived, type Received, receive, unhandledConversations } from '../store/inbox.ts'
import type { Leases } from '../store/leases.ts'
import type { Db } from '../store/schema.ts'
import type { Event } from '../types.ts'
import { createAdmission } from './admission.ts'
import type { ConversationRef } from './outlet.ts'
import { redactEvent } from './redact.ts'

export interface Inbox {
  /** From now on a platform's conversations are served here. */
  serve(platform: string): void
  /**
   * Resolves when the event is durable: only then may its platform be told so. Duplicates end here, and what is none of
   * the bot's business.
   */
  deliver(event: Event): Promise<void>
  /** Wakes every conversation that has something left to do. */
  recover(): Promise<void>
  /** Resolves when nothing is left to do here. */
  idle(): Promise<void>
  /** Takes up nothing more. What fails from now on is as good as before. */
  stop(): void
  /** Stops, and waits for what is in hand. */
  close(): Promise<void>
}

export interface InboxOptions {
  readonly db: Db
  readonly queue: Queue
  readonly leases: Leases
  readonly channels: Config['channels']
  readonly now: () => number
  /** Does an event's work and marks it handled. One conversation's events come one at a time, in order of arrival. */
  readonly handle: (received: Received) => Promise<void>
  /** `handle` has thrown. Leaves the event in a state that ends, or throws: then its conversation rests. */
  readonly failed: (received: Received, error: unknown) => Promise<void>
}

/** An event on its way into the store, and who waits for it. */
interface Arrival {
  readonly event: Event
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Most events of one transaction: with more, the first of them would wait too long for the last. */
const GROUP = 128

/** Conversations of one platform that one process works on side by side. */
const CONCURRENCY = 256

export function createInbox(options: InboxOptions): Inbox {
  const { db, queue, leases, now, handle, failed } = options
  const admitted = createAdmission(db, options.channels, now)
  const inHand = new Set<Promise<void>>()
  const arrivals: Arrival[] = []
  let writing: Promise<void> | null = null
  let closing = false

  /** Handles what waits in a conversation, if no other process does. */
  async function drain(ref: ConversationRef, key: string): Promise<void> {
    const lease = await leases.claim(`conversation ${key}`)
    if (lease === null) return
    try {
      while (!closing && lease.held()) {
        const received = await nextReceived(db, ref)
        if (received === undefined) return
        try {
          await handle(received)
        } catch (error) {
          if (closing || !lease.held()) return
          // The event is as good as before: it is tried again when the store is back.
          if (hasCode(error, 'STORE_UNREACHABLE')) throw error
          await failed(received, error)
        }
      }
    } finally {
      await lease.release()
    }
  }

  function work(key: string): Promise<void> {
    const [platform = '', workspace = '', conversation = ''] = namesOf(key)
    const drained = drain({ platform, workspace, conversation }, key).finally(() => inHand.delete(drained))
    inHand.add(drained)
    return drained
  }

  function wake({ platform, workspace, conversation }: ConversationRef): void {
    if (!closing) queue.wake(topicOf(platform), keyOf(platform, workspace, conversation))
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
    const events = (await admitted(group.map((arrival) => arrival.event))).map(redactEvent)
    if (events.length > 0) for (const event of await receive(db, events, now())) wake(event)
    for (const arrival of group) arrival.resolve()
  }

  async function idle(): Promise<void> {
    while (writing !== null || inHand.size > 0) {
      await writing
      await queue.idle()
    }
  }

  return {
    serve(platform) {
      queue.work(topicOf(platform), CONCURRENCY, work)
    },
    async deliver(event) {
      const written = new Promise<void>((resolve, reject) => {
        arrivals.push({ event, resolve, reject })
      })
      writing ??= write()
      await written
    },
    async recover() {
      for (const ref of await unhandledConversations(db)) wake(ref)
    },
    idle,
    stop() {
      closing = true
    },
    async close() {
      closing = true
      await Promise.allSettled([writing, ...inHand])
    },
  }
}

function topicOf(platform: string): Topic {
  return `conversation-${platform}`
}

import { ClawError } from '../../core/errors.ts'
import { findMessage } from '../../core/store/history.ts'
import type { Db } from '../../core/store/schema.ts'
import {
  conversationLengths,
  findTurnViews,
  viewConversations,
  viewMessages,
  viewWorkspace,
  viewWorkspaces,
} from '../../core/store/view.ts'
import type { ReplyStream } from '../../core/stream/outlet.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter } from '../adapter.ts'
import { Feed } from './feed.ts'
import type { Client, History, Panel, Training } from './protocol.ts'
import { eventOf, PLATFORM, readSaid, updateOf } from './said.ts'

/** What is behind the playground once the bot is up. */
export interface Backing {
  readonly db: Db
  /** The model's name. */
  readonly model: string
  /** Lessons that make a batch. */
  readonly batch: number
  readonly training: () => Training
  readonly settle: (flush: boolean) => Promise<void>
}

/** A platform of its own: people talk to it through a page, a terminal or a program, all of them its clients. */
export interface Playground extends Adapter {
  readonly feed: Feed
  /** The parts that its answers are made of. */
  open(backing: Backing): void
  /** A client in this process; it may listen before the bot is up. */
  client(workspace: string): Client
  workspaces(): Promise<readonly string[]>
  /** What the panel shows has changed, in one workspace or in all. */
  changed(workspace: string): void
}

const SHOWN = { turns: 20, conversations: 100, messages: 200 }

/** A thread is the conversation that hangs on a message. */
export const threadOf = (message: string): string => `thread-${message}`

export function createPlayground(now: () => number = Date.now): Playground {
  const feed = new Feed()
  const startedAt = now()
  let deliver: ((event: Event) => Promise<void>) | undefined
  let behind: Backing | undefined

  function backing(): Backing {
    if (behind === undefined) throw new ClawError('SERVER_UNAVAILABLE', 'The bot is still starting')
    return behind
  }

  function client(workspace: string): Client {
    const ref = { platform: PLATFORM, workspace }
    const stops = new Set<() => void>()
    return {
      workspace,
      async tell(said) {
        if (deliver === undefined) throw new ClawError('SERVER_UNAVAILABLE', 'The bot is still starting')
        const at = now()
        if (said.type === 'edit' || said.type === 'deletion') {
          const known = behind && (await findMessage(behind.db, ref, said.message))
          const own = known === undefined || (known.role === 'user' && known.person === said.person.id)
          if (!own) throw new ClawError('REQUEST_INVALID', 'Only who wrote a message may change it')
        }
        await deliver(eventOf(said, workspace, at))
        const update = updateOf(said, at)
        if (update !== null) feed.publish(workspace, update)
      },
      listen(hear) {
        const stop = feed.subscribe(workspace, null, ({ update }) => hear(update))
        stops.add(stop)
        return () => {
          stop()
          stops.delete(stop)
        }
      },
      turn: async (id) => (await findTurnViews(backing().db, [id])).get(id) ?? null,
      async panel(): Promise<Panel> {
        const { db, model, batch, training } = backing()
        return { ...(await viewWorkspace(db, ref, SHOWN.turns)), model, batch, training: training() }
      },
      conversations: () => viewConversations(backing().db, ref, SHOWN.conversations),
      async history(conversation): Promise<History> {
        const { db } = backing()
        const messages = await viewMessages(db, { ...ref, conversation }, SHOWN.messages)
        const threads = messages.map(({ message }) => threadOf(message))
        const lengths = await conversationLengths(db, ref, threads)
        return {
          messages: messages.map((message) => ({ ...message, thread: lengths.get(threadOf(message.message)) ?? 0 })),
        }
      },
      settle: (flush) => backing().settle(flush),
      close() {
        for (const stop of stops) stop()
      },
    }
  }

  return {
    platform: PLATFORM,
    feed,
    client,
    open(parts) {
      behind = parts
    },
    workspaces: () => viewWorkspaces(backing().db, PLATFORM),
    changed: (workspace) => feed.publish(workspace, { type: 'learning' }),
    async start(to) {
      deliver = to
    },
    async stop() {
      deliver = undefined
    },
    reply({ workspace, conversation, turn }): ReplyStream {
      let from = 0
      const write = (text: string) => {
        feed.publish(workspace, { type: 'writing', conversation, turn, from, text })
        from += text.length
      }
      write('')
      return {
        write,
        async finish(text) {
          feed.publish(workspace, { type: 'reply', conversation, turn, text })
          return [turn]
        },
        async fail(text) {
          feed.publish(workspace, { type: 'failed', conversation, turn, text })
        },
      }
    },
    async notify({ workspace, conversation }, { text, only }) {
      feed.publish(workspace, { type: 'notice', conversation, text, only: only ?? null })
    },
    health: () => ({ state: 'connected', since: startedAt, detail: null }),
    /** Who reaches it sits at the machine or has its token: both own it. */
    isAdmin: async () => true,
  }
}

/** What came over the wire, told to the playground. Throws REQUEST_INVALID, SERVER_UNAVAILABLE. */
export function tellFrom(playground: Playground, workspace: string, body: unknown): Promise<void> {
  return playground.client(workspace).tell(readSaid(body))
}

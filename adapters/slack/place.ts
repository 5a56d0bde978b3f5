/** Slack names a message by its channel and the time it was posted at, in seconds and microseconds: its `ts`. */
export const PLATFORM = 'slack'

export interface Place {
  readonly channel: string
  /** The ts of the message that the thread hangs on; null for the channel itself. */
  readonly thread: string | null
}

/** Unique within a workspace. */
export const messageId = (channel: string, ts: string): string => `${channel}:${ts}`

/** Reads a message id, or a conversation's name. */
export function placeOf(name: string): Place {
  const [channel = '', thread] = name.split(':')
  return { channel, thread: thread ?? null }
}

export const isDirect = (channel: string): boolean => channel.startsWith('D')

/** In a channel every message opens a thread; what two people say to each other directly is one conversation. */
export function conversationOf(channel: string, ts: string, thread: string | undefined): string {
  if (isDirect(channel)) return thread === undefined || thread === ts ? channel : messageId(channel, thread)
  return messageId(channel, thread ?? ts)
}

/** Milliseconds since the epoch. */
export const timeOf = (ts: string): number => Math.round(Number(ts) * 1_000)

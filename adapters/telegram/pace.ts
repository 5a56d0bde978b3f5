/** Telegram allows a group 20 messages a minute, edits among them. The rest is left to replies as they stay. */
const MOST = 15
const WINDOW_MS = 60_000

/** How much a chat is shown of what is not finished yet. */
export interface Pace {
  /** Something is sent, whatever the pace. */
  spend(chat: number): void
  /** Whether there is room for showing a beginning, which is then spent. */
  allows(chat: number): boolean
}

export function createPace(now: () => number): Pace {
  const spent = new Map<number, number[]>()

  function recent(chat: number): number[] {
    const times = (spent.get(chat) ?? []).filter((time) => time > now() - WINDOW_MS)
    spent.delete(chat)
    spent.set(chat, times)
    // Chats where nothing was said for long are at the front.
    for (const [quiet, last] of spent) {
      if ((last.at(-1) ?? 0) > now() - WINDOW_MS || quiet === chat) break
      spent.delete(quiet)
    }
    return times
  }

  function spend(chat: number): void {
    recent(chat).push(now())
  }

  return {
    spend,
    allows(chat) {
      if (recent(chat).length >= MOST) return false
      spend(chat)
      return true
    },
  }
}

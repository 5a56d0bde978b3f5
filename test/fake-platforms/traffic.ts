import type { ServerResponse } from 'node:http'

/** What goes between a platform and the bot. */
export interface Traffic {
  /** Requests that are not answered yet, and events that the bot has not confirmed where it does. */
  readonly underway: number
  /** Requests and events that there ever were. */
  readonly total: number
}

export interface Counter {
  request(response: ServerResponse): void
  event(): void
  /** `events` are those underway. */
  traffic(events?: number): Traffic
}

export function createCounter(): Counter {
  const requests = new Set<ServerResponse>()
  let total = 0
  return {
    request(response) {
      total += 1
      requests.add(response)
      response.on('close', () => requests.delete(response))
    },
    event() {
      total += 1
    },
    traffic: (events = 0) => ({ underway: requests.size + events, total }),
  }
}

/** When something became as it is, by the platform's clock, and the event that made it so. */
export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly event: string
}

/**
 * Whether `a` is the newer state, in whatever order the two arrive. Clocks of platforms tick as seldom as once a second;
 * of two events at one time the one with the higher id is later, as platforms count them up.
 */
export function isLater(a: Stamp, b: Stamp): boolean {
  if (a.at !== b.at) return a.at > b.at
  if (a.event.length !== b.event.length) return a.event.length > b.event.length
  return a.event > b.event
}

/** A lesson as the weight cap sees it. */
export interface Contribution {
  /** Whose feedback it is made of; several share it evenly. */
  readonly people: readonly string[]
  /** 0..1: the verdict's. */
  readonly weight: number
}

/** Of what is left of the batch. */
const LARGEST_SHARE = 0.25
/** Times the median person's. */
const ABOVE_MEDIAN = 2

/**
 * How much of each lesson counts, 0..1, so that no one steers a workspace: a person's lessons together weigh at most
 * twice what those of the median person do (of an even number, the lower of the two in the middle), or a quarter of the
 * batch as it is after the cut, whichever is more. Whoever is above is cut down to that, evenly over their lessons. So a
 * lone person is never cut (they are the median), and the more active of two keeps twice the weight of the other.
 */
export function shares(lessons: readonly Contribution[]): number[] {
  const weights = new Map<string, number>()
  for (const { people, weight } of lessons) {
    for (const person of people) weights.set(person, (weights.get(person) ?? 0) + weight / people.length)
  }
  const ordered = [...weights.values()].filter((weight) => weight > 0).sort((a, b) => a - b)
  if (ordered.length < 2) return lessons.map(() => 1)
  const cap = highest(ordered, ABOVE_MEDIAN * ordered[(ordered.length - 1) >> 1]!)
  return lessons.map(({ people }) => {
    if (people.length === 0) return 1
    const kept = people.map((person) => Math.min(1, cap / (weights.get(person) || cap)))
    return kept.reduce((sum, share) => sum + share, 0) / people.length
  })
}

/** The most that one person may weigh: cutting one makes the batch smaller, and with it a quarter of it. */
function highest(weights: readonly number[], floor: number): number {
  let cap = weights.at(-1)!
  for (;;) {
    const left = weights.reduce((sum, weight) => sum + Math.min(weight, cap), 0)
    const next = Math.max(floor, LARGEST_SHARE * left)
    if (next >= cap - 1e-9 * cap) return cap
    cap = next
  }
}

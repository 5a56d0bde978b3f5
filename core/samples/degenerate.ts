const GRAM = 4
/** Sound replies of a small model repeat up to a tenth of their 4-grams; loops repeat nearly all. */
const MOST_REPEATED = 0.3

/** Share of 4-grams that occurred before in the same reply. */
export function repetition(ids: readonly number[]): number {
  const grams = ids.length - GRAM + 1
  if (grams <= 0) return 0
  const distinct = new Set(Array.from({ length: grams }, (_, i) => ids.slice(i, i + GRAM).join(' ')))
  return 1 - distinct.size / grams
}

/** A reply that is no reply: empty, or repeating itself. `ids` are its tokens without the end-of-turn token. */
export function degenerate(ids: readonly number[]): boolean {
  return ids.length === 0 || repetition(ids) >= MOST_REPEATED
}

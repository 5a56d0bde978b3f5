/** Drops all but the latest `keep` of a record that has the oldest first; what may not go stays. */
export function dropOldest<Key, Thing>(
  things: Map<Key, Thing>,
  keep: number,
  may: (thing: Thing) => boolean = () => true,
): void {
  const older = [...things].slice(0, Math.max(0, things.size - keep))
  for (const [key, thing] of older) if (may(thing)) things.delete(key)
}

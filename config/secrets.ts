/** Shorter ones would be found in ordinary words. */
const SHORTEST = 6

const known = new Set<string>()

/** Whoever reads a secret tells it here, so that no text leaves the program with it (core/mask.ts). */
export function knowSecret(secret: string | null | undefined): void {
  if (secret && secret.length >= SHORTEST) known.add(secret)
}

/** The password of an address, where it has one. */
export function knowPassword(url: string | null): void {
  if (url === null || !URL.canParse(url)) return
  const { password } = new URL(url)
  knowSecret(password)
  try {
    knowSecret(decodeURIComponent(password))
  } catch {
    // It is no encoding, so there is only the one way to write it.
  }
}

/** Every secret that this process has read. */
export const knownSecrets = (): ReadonlySet<string> => known

import { knownSecrets } from '../config/secrets.ts'
import { redact } from './stream/redact.ts'
import { SECRETS } from './stream/secrets.ts'

const MASK = '[secret]'

/**
 * A text that leaves the program for a log, a screen or the store: without any secret that was read, however it is
 * written there, and without anything that looks like one. Errors of others' libraries quote addresses with tokens.
 */
export function mask(text: string, secrets: Iterable<string> = knownSecrets()): string {
  const forms = [...new Set([...secrets].flatMap(written))].sort((a, b) => b.length - a.length)
  let masked = text
  for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK)
  return redact(masked, SECRETS)
}

/** The ways in which addresses, forms, headers and JSON write a secret. */
function written(secret: string): string[] {
  const encoded = encodeURIComponent(secret)
  return [
    secret,
    encoded,
    encoded.toLowerCase(),
    encodeURI(secret),
    encoded.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ].filter((form) => form !== '')
}

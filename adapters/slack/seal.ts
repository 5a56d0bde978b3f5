import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const [NONCE, TAG] = [12, 16]

/** A key for nothing but installations, made of the operator's secret. */
export function sealingKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'claw slack installations', 32))
}

/** Encrypts; `about` is what it belongs to, so that it cannot be put in another's place. */
export function seal(key: Uint8Array, about: string, text: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Null where it was sealed with another key or for something else, or was changed. */
export function unseal(key: Uint8Array, about: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < NONCE + TAG) return null
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE))
    decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

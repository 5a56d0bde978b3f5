import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ClawError } from '../errors.ts'

/** A file read by position. Nothing outside it can be asked for, so no length in a header is taken at its word. */
export interface FileBytes {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** A fresh copy of `length` bytes from `offset`. Throws MODEL_CORRUPT where the file has no such range. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>
  close(): void
}

export function openFile(path: string): FileBytes {
  const name = basename(path)
  const descriptor = openSync(path, 'r')
  const stats = fstatSync(descriptor)
  if (!stats.isFile()) {
    closeSync(descriptor)
    throw corrupt(name, 'it is not a file')
  }
  const { size } = stats
  return {
    name,
    size,
    read(offset, length) {
      const inside = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0
      if (!inside || offset + length > size) throw corrupt(name, `bytes ${offset}+${length} lie outside the file`)
      const bytes = new Uint8Array(length)
      for (let done = 0; done < length; ) {
        const count = readSync(descriptor, bytes, done, length - done, offset + done)
        if (count === 0) throw corrupt(name, 'the file became shorter while it was read')
        done += count
      }
      return bytes
    },
    close: () => closeSync(descriptor),
  }
}

/** SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

export function corrupt(file: string, what: string, cause?: unknown): ClawError {
  return new ClawError('MODEL_CORRUPT', `${file} is damaged: ${what}`, {
    remedy: 'Pull or copy the model again, or name another.',
    cause,
  })
}

export function unsupported(file: string, what: string): ClawError {
  return new ClawError('MODEL_UNSUPPORTED', `${file} cannot be used: ${what}`, {
    remedy: 'Choose a model of the Llama family (claw model list).',
  })
}

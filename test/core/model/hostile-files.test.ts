import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { ClawError } from '../../../core/errors.ts'
import { openModel } from '../../../core/model/files.ts'
import {
  folderFiles,
  ggufBytes,
  ggufTensors,
  safetensorsBytes,
  safetensorsFile,
  tinyWeights,
  writeFolder,
} from '../../tiny-model.ts'

const root = mkdtempSync(join(tmpdir(), 'claw-hostile-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Opens a model and reads all of it: that works or ends in one of our own errors, and memory stays small. */
async function survives(path: string): Promise<void> {
  const before = process.memoryUsage()
  try {
    const model = await openModel(path)
    try {
      for (const name of model.tensors.names()) {
        model.tensors.float32(name)
        model.tensors.quantised(name)
      }
      model.tokenizer.encode('the inn <|im_end|> 12')
    } finally {
      await model.close()
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ClawError)
    expect((error as ClawError).code).toMatch(/^MODEL_(CORRUPT|UNSUPPORTED)$/)
    // Nothing of the file itself, which could steer a terminal.
    expect((error as ClawError).message).toMatch(/^[\x20-\x7e]{1,200}$/)
  }
  const after = process.memoryUsage()
  expect(after.arrayBuffers - before.arrayBuffers + after.heapTotal - before.heapTotal).toBeLessThan(200e6)
}

type Of<T> = T extends fc.Arbitrary<infer Value> ? Value : never

/** Evenly over the file; by itself the library tries the first bytes over and over. */
const place = fc.noBias(fc.integer({ min: 0, max: 2 ** 31 }))

/** Lengths and offsets that somebody hopes will be believed. */
const COUNTS = [0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 40n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].map(
  (value) => new Uint8Array(BigUint64Array.of(value).buffer),
)

const change = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('put' as const), at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant('put' as const), at: place, bytes: fc.constantFrom(...COUNTS) }),
  fc.record({ kind: fc.constant('copy' as const), at: place, from: place, length: fc.nat(100) }),
)

/** The file with changes somewhere in [from, to). */
function damage(file: Uint8Array, from: number, to: number, changes: readonly Of<typeof change>[]): Uint8Array {
  let bytes = Buffer.from(file)
  const within = (at: number) => from + (at % (to - from))
  for (const edit of changes) {
    const at = Math.min(within(edit.at), bytes.length)
    if (edit.kind === 'cut') bytes = bytes.subarray(0, at)
    else if (edit.kind === 'put') bytes.set(edit.bytes.subarray(0, bytes.length - at), at)
    else bytes.copyWithin(at, within(edit.from), within(edit.from) + edit.length)
  }
  return bytes
}

const changes = fc.array(change, { minLength: 1, maxLength: 3 })

/** One value somewhere in a JSON document becomes another, or goes. */
const ODD: readonly unknown[] = [
  null,
  '',
  'x',
  -1,
  0,
  1.5,
  1e300,
  2 ** 53,
  2 ** 31,
  true,
  [],
  {},
  [[]],
  [-1],
  '\u001b[2J',
]
const jsonChange = fc.record({ at: place, value: fc.option(fc.constantFrom(...ODD), { nil: undefined, freq: 4 }) })

function damageJson(json: unknown, { at, value }: Of<typeof jsonChange>): unknown {
  const copy = structuredClone(json)
  const places: { holder: Record<string, unknown>; key: string }[] = []
  const walk = (holder: unknown) => {
    if (typeof holder !== 'object' || holder === null) return
    for (const [key, inner] of Object.entries(holder).slice(0, 40)) {
      places.push({ holder: holder as Record<string, unknown>, key })
      walk(inner)
    }
  }
  walk(copy)
  const { holder, key } = places[at % places.length]!
  if (value === undefined) delete holder[key]
  else holder[key] = value
  return copy
}

// fast-check prints the seed of a failure.
describe('a damaged or hostile model ends in an error of its own', () => {
  const gguf = ggufBytes()
  const headerEnd = gguf.length - ggufTensors().reduce((sum, { data }) => sum + data.length, 0)

  test.each([
    ['header', 8, headerEnd],
    ['counts', 8, 24],
    ['tensor table', headerEnd - 2000, headerEnd],
    ['whole', 0, gguf.length],
  ])('GGUF: %s', async (_, from, to) => {
    const path = join(root, 'model.gguf')
    await fc.assert(
      fc.asyncProperty(changes, async (edits) => {
        writeFileSync(path, damage(gguf, from, to, edits))
        await survives(path)
      }),
      { numRuns: 100 },
    )
  })

  test('safetensors: bytes', async () => {
    const folder = writeFolder(join(root, 'bytes'))
    const whole = Buffer.from(safetensorsBytes(tinyWeights()))
    const end = 8 + Number(whole.readBigUInt64LE())
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom(0, 8), async (edits, from) => {
        writeFileSync(join(folder, 'model.safetensors'), damage(whole, from, end, edits))
        await survives(folder)
      }),
      { numRuns: 100 },
    )
  })

  test('safetensors: header', async () => {
    const folder = writeFolder(join(root, 'header'))
    const whole = Buffer.from(safetensorsBytes(tinyWeights()))
    const end = 8 + Number(whole.readBigUInt64LE())
    const header: unknown = JSON.parse(whole.toString('utf8', 8, end))
    await fc.assert(
      fc.asyncProperty(jsonChange, async (edit) => {
        const text = JSON.stringify(damageJson(header, edit))
        writeFileSync(join(folder, 'model.safetensors'), safetensorsFile(text, whole.subarray(end)))
        await survives(folder)
      }),
      { numRuns: 100 },
    )
  })

  test.each(Object.entries(folderFiles()))('%s', async (name, json) => {
    const folder = writeFolder(join(root, name))
    await fc.assert(
      fc.asyncProperty(jsonChange, async (edit) => {
        writeFileSync(join(folder, name), JSON.stringify(damageJson(json, edit)))
        await survives(folder)
      }),
      { numRuns: 100 },
    )
  })
})

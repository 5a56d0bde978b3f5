import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const UNTRACKED = new Set(['node_modules', 'dist', '.git', '.venv'])

/** What each part may import. `claw.ts` and `cli/` put the program together and may see everything. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  config: ['config'],
  core: ['config', 'core'],
  adapters: ['config', 'core', 'adapters'],
  trainer: ['config', 'core', 'trainer'],
  fakes: ['fakes'],
  cli: ['config', 'core', 'adapters', 'trainer', 'cli', 'fakes'],
  'claw.ts': ['config', 'core', 'adapters', 'trainer', 'cli'],
}

/** The only places that may know a dependency. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['core/store/'],
  kysely: ['core/store/'],
  pg: ['core/store/'],
  bullmq: ['core/queue/'],
  ioredis: ['core/queue/'],
  'onnxruntime-node': ['core/model/', 'core/policy/', 'trainer/engines/'],
  '@huggingface/hub': ['core/model/'],
  '@huggingface/jinja': ['core/model/'],
  '@huggingface/tokenizers': ['core/model/'],
  commander: ['claw.ts', 'cli/'],
  fastify: ['core/http/', 'adapters/playground/'],
  '@fastify/static': ['adapters/playground/'],
  'prom-client': ['core/http/'],
  'cli-progress': ['cli/'],
  '@clack/prompts': ['cli/'],
  '@slack/bolt': ['adapters/slack/'],
  'discord.js': ['adapters/discord/'],
  grammy: ['adapters/telegram/'],
  'mdast-util-from-markdown': ['adapters/markdown/'],
  'mdast-util-gfm': ['adapters/markdown/'],
  'micromark-extension-gfm': ['adapters/markdown/'],
}

const SOURCE_LINES = 300
const TEST_LINES = 600

interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly relative: readonly string[]
  readonly packages: readonly string[]
}

function walk(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (UNTRACKED.has(entry.name)) return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : []
  })
}

const slashes = (path: string) => relative(ROOT, path).split(sep).join('/')

/** What a module imports or passes on, types included. */
function imported(path: string, text: string): string[] {
  const { module, errors } = parseSync(path, text)
  expect(errors, path).toEqual([])
  const passedOn = module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? []))
  const requests = [...module.staticImports.map((each) => each.moduleRequest), ...passedOn]
  // The parser tells of no `import('…')` in a type.
  const inPlace = [...text.matchAll(/\bimport\(\s*(['"])([^'"]+)\1\s*\)/g)].map((match) => match[2] ?? '')
  return [...new Set([...requests.map(({ value }) => value), ...inPlace])]
}

function read(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const specifiers = imported(path, text)
  return {
    path: slashes(path),
    text,
    relative: specifiers.filter((name) => name.startsWith('.')).map((name) => slashes(resolve(dirname(path), name))),
    packages: specifiers
      .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
  }
}

/** Every import cycle found by a depth-first walk, each as `a → b → a`. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node)
    if (start >= 0) {
      found.push([...trail.slice(start), node].join(' → '))
      return
    }
    if (done.has(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return found
}

const paths = walk(ROOT)
/** The fake platforms are part of the product: `claw sandbox` runs them. */
const top = (path: string) => (/^test\/fake-platforms\//.test(path) ? 'fakes' : (path.split('/', 1)[0] ?? ''))
const files = paths
  .filter((path) => extname(path) === '.ts' && (top(slashes(path)) in LAYERS || top(slashes(path)) === 'test'))
  .map(read)
const sources = files.filter((file) => top(file.path) !== 'test')
const violations = (offends: (file: SourceFile) => boolean) => sources.filter(offends).map((file) => file.path)

describe('layout', () => {
  test('imports follow config ← core ← adapters and config ← core ← trainer', () => {
    const wrong = sources.flatMap((file) =>
      file.relative
        .filter((target) => !LAYERS[top(file.path)]?.includes(top(target)))
        .map((target) => `${file.path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('one platform never imports another', () => {
    const platform = (path: string) => /^adapters\/(?!markdown\/)([^/]+)\//.exec(path)?.[1]
    const wrong = sources.flatMap((file) =>
      file.relative
        .filter((target) => platform(file.path) && platform(target) && platform(file.path) !== platform(target))
        .map((target) => `${file.path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('the walk finds a cycle where there is one', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ])
    expect(cycles(graph)).toEqual(['b → d → b'])
  })

  test('no import cycles', () => {
    expect(cycles(new Map(sources.map((file) => [file.path, file.relative])))).toEqual([])
  })

  test('a dependency is imported only where it is at home', () => {
    const wrong = sources.flatMap((file) =>
      file.packages
        .filter((name) => HOMES[name] && !HOMES[name].some((home) => file.path.startsWith(home)))
        .map((name) => `${file.path} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test(`no source over ${SOURCE_LINES} lines, no test over ${TEST_LINES}`, () => {
    const wrong = files
      .map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }))
      .filter(({ path, lines }) => lines > (path.startsWith('test/') ? TEST_LINES : SOURCE_LINES))
      .map(({ path, lines }) => `${path}: ${lines} lines`)
    expect(wrong).toEqual([])
  })

  test('no default exports', () => {
    expect(violations((file) => /^export default\b/m.test(file.text))).toEqual([])
  })

  test('the environment is read only in config/', () => {
    expect(violations((file) => top(file.path) !== 'config' && /\bprocess\.env\b/.test(file.text))).toEqual([])
  })

  test('no file names a machine of its own', () => {
    const machine = /(?:^|[\s'"`(=])\/(?:home|root|work|Users)\/\w/m
    const host = /https?:\/\/[^/\s'"]*(?:registry|mirror|artifactory|nexus|\.internal|\.corp|\.lan)\b/
    const texts = new Set(['.ts', '.mjs', '.cjs', '.js', '.json', '.md', '.py', '.sh', '.yml', ''])
    const wrong = paths
      .filter((path) => texts.has(extname(path)))
      .filter((path) => [machine, host].some((pattern) => pattern.test(readFileSync(path, 'utf8'))))
    expect(wrong.map(slashes)).toEqual([])
  })
})

/**
 * The judge against labelled next states: reactions and rules alone, then with a language model for what they leave
 * open. A small model on few cores is slow, so that half judges a sample of each file.
 *
 *   npm run bench:judge -- [--data DIR] [--json] [--quick] [--sample N] [--votes N] [--no-llm]
 *                          [--model NAME] [--endpoint URL --model NAME, with CLAW_JUDGE_KEY]
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { judgeKey, loadConfig } from '../config/config.ts'
import { reason } from '../core/errors.ts'
import { baseVoter } from '../core/judge/base.ts'
import { endpointVoter } from '../core/judge/endpoint.ts'
import { judge, leftOpen } from '../core/judge/judge.ts'
import { createLlmJudge, type LlmJudge } from '../core/judge/llm.ts'
import { resolveModel } from '../core/model/catalogue.ts'
import { openModel } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import { progress } from './measure.ts'
import { evidenceOf, type Item, type Judged, type Metrics, metrics, readItems } from './verdicts.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '..', '..', 'shared', 'data') },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    sample: { type: 'string' },
    votes: { type: 'string', default: '3' },
    model: { type: 'string' },
    endpoint: { type: 'string' },
    'no-llm': { type: 'boolean', default: false },
  },
})

const SAMPLE = Number(values.sample ?? (values.quick ? 8 : 20))
const votes = Number(values.votes)
const TIMEOUT_MS = 120_000

function byRules(item: Item): Judged {
  const evidence = evidenceOf(item)
  const start = performance.now()
  const verdict = judge(evidence)
  return { item, verdict, ms: performance.now() - start }
}

interface Model {
  readonly name: string
  readonly llm: LlmJudge
  close(): Promise<void>
}

/** Throws where neither an endpoint nor the model's files are at hand. */
async function openJudge(): Promise<Model> {
  const free = { admit: () => 0, succeeded() {}, failed() {} }
  const judgeOf = (voter: Parameters<typeof createLlmJudge>[0]['voter']) =>
    createLlmJudge({ voter, votes, breaker: free, now: () => performance.now() })
  const { model: configured, dataDir, cacheDir, serving } = loadConfig()
  const name = values.model ?? configured
  if (values.endpoint !== undefined) {
    const voter = endpointVoter({ url: values.endpoint, model: name, key: judgeKey(), timeoutMs: TIMEOUT_MS })
    return { name, llm: judgeOf(voter), close: async () => {} }
  }
  const path = resolveModel(name, dataDir)
  const model = await openModel(path)
  const { weights, threads } = serving
  const engine = await startEngine({ model: path, weights, threads, context: 4096, cacheDir })
  const voter = baseVoter({ engine, prompter: model.tokenizer, model: model.name, timeoutMs: TIMEOUT_MS })
  return {
    name,
    llm: judgeOf(voter),
    async close() {
      await engine.close()
      await model.close()
    },
  }
}

/** Of the items, always the same few. */
function sampled(items: readonly Item[]): Item[] {
  const key = ({ id }: Item) => createHash('sha256').update(id).digest('hex')
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, SAMPLE)
}

/** What the model was asked about, and what came of it. */
const asked = { asked: 0, failed: 0, right: 0, wrong: 0, abstained: 0, ms: [] as number[] }

async function byModel(item: Item, llm: LlmJudge): Promise<Judged> {
  const evidence = evidenceOf(item)
  const ruled = byRules(item)
  const open = leftOpen(evidence, ruled.verdict ?? judge(evidence))
  if (open.length === 0) return ruled
  const start = performance.now()
  const judgement = await llm.judge(evidence, open, new AbortController().signal)
  const ms = performance.now() - start
  const verdict = 'verdict' in judgement ? judgement.verdict : null
  asked.asked++
  asked.ms.push(ms)
  if (verdict === null) asked.failed++
  else if (verdict.score === 0) asked.abstained++
  else if (item.score !== null) asked[verdict.score === item.score ? 'right' : 'wrong']++
  return { item, verdict, ms }
}

const names = existsSync(values.data) ? readdirSync(values.data).filter((name) => name.endsWith('.jsonl')) : []
if (names.length === 0) {
  console.error(`No .jsonl files in ${values.data}. Name a folder that has some with --data.`)
  process.exit(1)
}
const files = names.sort().map((name) => ({ name, items: readItems(join(values.data, name)) }))
for (const { items } of files) for (const item of items.slice(0, 50)) byRules(item)
const rules = files.map(({ items }) => items.map(byRules))

let model: Model | null = null
let llm: Judged[][] | null = null
if (!values['no-llm']) {
  try {
    model = await openJudge()
  } catch (error) {
    console.error(`Without a language model: ${reason(error)}`)
  }
}
if (model !== null) {
  llm = []
  for (const { name, items } of files) {
    const some = sampled(items)
    const judged: Judged[] = []
    for (const item of some) {
      judged.push(await byModel(item, model.llm))
      progress(`${model.name}: ${name} ${judged.length}/${some.length}`)
    }
    llm.push(judged)
  }
  await model.close()
}

const times = asked.ms.sort((a, b) => a - b)
const left = {
  ...asked,
  ms: undefined,
  ms_p50: Math.round(times[Math.floor(times.length / 2)] ?? 0),
}
if (values.json) {
  const perFile = files.map(({ name }, i) => [
    name,
    { rules: metrics(rules[i] ?? []), llm: llm === null ? null : metrics(llm[i] ?? []) },
  ])
  const result = {
    rules: metrics(rules.flat()),
    llm: llm === null ? null : { ...metrics(llm.flat()), ms_p50: left.ms_p50 },
    model: model?.name ?? null,
    votes,
    /** Items of each file that the language model's half is about. */
    sample: llm === null ? null : SAMPLE,
    left_open: llm === null ? null : left,
    files: Object.fromEntries(perFile),
  }
  console.log(JSON.stringify(result, null, 2))
} else {
  const table = (judged: readonly (readonly Judged[])[]) => {
    const rows = files.map(({ name }, i): [string, Metrics] => [name, metrics(judged[i] ?? [])])
    console.table(Object.fromEntries([...rows, ['total', metrics(judged.flat())]]))
  }
  console.log('reactions and rules')
  table(rules)
  if (llm !== null) {
    console.log(`with ${model?.name} for what they leave open: ${votes} votes, a sample of ${SAMPLE} items a file`)
    table(llm)
    console.log('what they left open:', JSON.stringify(left))
    console.log(`reactions and rules on the same sample`)
    table(llm.map((judged) => judged.map(({ item }) => byRules(item))))
  }
}
process.exit(0)

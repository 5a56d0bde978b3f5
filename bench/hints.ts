import { parseArgs } from 'node:util'
import { QUESTIONS } from '../cli/demo/questions.ts'
import { loadWish } from '../cli/demo/wishes.ts'
import { loadConfig } from '../config/config.ts'
import { ClawError, reason } from '../core/errors.ts'
import { resolveModel } from '../core/model/catalogue.ts'
import { openModel } from '../core/model/files.ts'
import { startEngine } from '../core/policy/embedded.ts'
import { repetition } from '../core/samples/degenerate.ts'

/**
 * How far the base follows sentences, each as the last paragraph of 36 questions. A hint is as good as the base follows
 * it: that is what its teacher shows.
 *
 *   npm run bench:hints -- --wish short "Answer in one short sentence of at most 20 words." "Be brief."
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wish: { type: 'string', default: 'short' }, seed: { type: 'string', default: '1' } },
})

/** Ends with one line where there is no such wish or no such model. */
async function orEnd<T>(load: () => T | Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const remedy = error instanceof ClawError && error.remedy ? `\n  what to do: ${error.remedy}` : ''
    console.error(`${reason(error)}${remedy}`)
    process.exit(1)
  }
}

const wish = await orEnd(() => loadWish(values.wish))
const { model: name, dataDir, cacheDir, serving } = loadConfig()
const path = await orEnd(() => resolveModel(name, dataDir))
const model = await openModel(path)
const engine = await startEngine({
  model: path,
  weights: serving.weights,
  threads: serving.threads,
  context: 2048,
  cacheDir,
})
const percent = (share: number) => `${Math.round(100 * share)} %`.padStart(6)

console.log(`${'follows'.padStart(8)} ${'repeats'.padStart(8)} ${'ends'.padStart(6)} ${'tokens'.padStart(7)}  sentence`)
for (const sentence of positionals) {
  const items = QUESTIONS.map((question, i) => ({
    promptIds: model.tokenizer.prompt([{ role: 'user', content: `${question}\n\n${sentence}` }]),
    sampling: { temperature: 0.7, topP: 0.95, maxTokens: 128, seed: 1000 * Number(values.seed) + i },
  }))
  const replies = await engine.generateAll({ policy: 'base', items })
  const share = (of: (reply: (typeof replies)[number], i: number) => boolean) =>
    percent(replies.filter(of).length / replies.length)
  const follows = share(({ text }, i) => wish.check(QUESTIONS[i]!, text))
  const repeats = share(({ ids }) => repetition(ids) >= 0.3)
  const ends = share(({ finish }) => finish === 'stop')
  const tokens = Math.round(replies.reduce((sum, { ids }) => sum + ids.length, 0) / replies.length)
  console.log(`${follows.padStart(8)} ${repeats.padStart(8)} ${ends} ${String(tokens).padStart(7)}  ${sentence}`)
}
await engine.close()
await model.close()

import type { PolicyEngine } from '../../core/policy/engine.ts'
import { degenerate } from '../../core/samples/degenerate.ts'
import type { Prompter } from '../../core/samples/sample.ts'
import type { SamplingParameters } from '../../core/types.ts'
import { HELD_BACK } from './questions.ts'
import type { Wish } from './wishes.ts'

export interface Compliance {
  /** Share of held-back questions answered as the person wants it. */
  readonly compliance: number
  /** Share of replies that are empty or repeat themselves. */
  readonly degenerate: number
  /** Mean tokens a reply. */
  readonly tokens: number
  /** The reply to the first of the questions. */
  readonly example: string
}

/** Asks a policy every held-back question, without any note in the prompt: only the weights can know the wish. */
export async function measure(
  engine: PolicyEngine,
  prompter: Prompter,
  policy: string,
  wish: Wish,
  sampling: Omit<SamplingParameters, 'seed'>,
  seed: number,
): Promise<Compliance> {
  const sums = { compliant: 0, degenerate: 0, tokens: 0 }
  let example = ''
  const items = HELD_BACK.map((content, i) => ({
    promptIds: prompter.prompt([{ role: 'user', content }]),
    sampling: { ...sampling, seed: seed * 1000 + i },
  }))
  for (const [i, { ids, text, finish }] of (await engine.generateAll({ policy, items })).entries()) {
    if (degenerate(finish === 'stop' ? ids.slice(0, -1) : ids)) sums.degenerate++
    else if (wish.check(HELD_BACK[i]!, text)) sums.compliant++
    sums.tokens += ids.length
    if (i === 0) example = text
  }
  const n = HELD_BACK.length
  return { compliance: sums.compliant / n, degenerate: sums.degenerate / n, tokens: sums.tokens / n, example }
}

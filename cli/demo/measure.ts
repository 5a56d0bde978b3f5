import { withNotes } from '../../core/memory/notes.ts'
import type { PolicyEngine } from '../../core/policy/engine.ts'
import { degenerate } from '../../core/samples/degenerate.ts'
import type { Prompter } from '../../core/samples/sample.ts'
import type { SamplingParameters } from '../../core/types.ts'
import { HELD_BACK } from './questions.ts'
import type { Wish } from './wishes.ts'

/** What a policy answers to every held-back question. */
export type Answers = readonly { readonly text: string; readonly tokens: number; readonly degenerate: boolean }[]

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

/** Asks a policy every held-back question. Without notes in the prompt, only the weights can know the wish. */
export async function askHeldBack(
  engine: PolicyEngine,
  prompter: Prompter,
  policy: string,
  sampling: Omit<SamplingParameters, 'seed'>,
  seed: number,
  notes: readonly string[] = [],
): Promise<Answers> {
  const items = HELD_BACK.map((content, i) => ({
    promptIds: prompter.prompt(withNotes([{ role: 'user', content }], notes)),
    sampling: { ...sampling, seed: seed * 1000 + i },
  }))
  const generations = await engine.generateAll({ policy, items })
  return generations.map(({ ids, text, finish }) => ({
    text,
    tokens: ids.length,
    degenerate: degenerate(finish === 'stop' ? ids.slice(0, -1) : ids),
  }))
}

export function complianceOf(wish: Wish, answers: Answers): Compliance {
  const share = (counts: (answer: Answers[number], i: number) => boolean) =>
    answers.filter(counts).length / answers.length
  return {
    compliance: share((answer, i) => !answer.degenerate && wish.check(HELD_BACK[i]!, answer.text)),
    degenerate: share((answer) => answer.degenerate),
    tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0) / answers.length,
    example: answers[0]!.text,
  }
}

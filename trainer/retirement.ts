import { measure } from '../core/memory/follows.ts'
import { conflicts, type KeptNote, withNotes } from '../core/memory/notes.ts'
import type { Generation } from '../core/policy/engine.ts'
import type { PolicyRef } from '../core/types.ts'
import type { TrainerParts } from './parts.ts'
import { RECIPE } from './recipe.ts'

/** Fewer questions say nothing. */
const ENOUGH = 4
/** The share of replies that follow a note which the weights have learned. */
const FOLLOWED = 0.75
/** Of what the note brings, where it can only be estimated. */
const KEPT = 0.9

/**
 * Whether replies without a note are worse than with it. Both are made by the served version for questions already
 * asked. Where the note says something that can be counted, it is counted; else the frozen base says how much more
 * probable each reply is with the note than without, in nats a token.
 */
export async function isStillNeeded(
  { store, model, engine, policy }: TrainerParts,
  ref: PolicyRef,
  version: number,
  note: KeptNote,
): Promise<boolean> {
  const contested = ref.scope === undefined ? conflicts(await store.workspaceNotes(ref)) : []
  const asked = (await store.recentQuestions(ref, RECIPE.questions))
    .filter(({ notes }) => notes.includes(note.text))
    .slice(0, RECIPE.checkedQuestions)
  const record = await store.findVersion(ref, version)
  // What the weights leave alone, they have not learned.
  if (asked.length < ENOUGH || record === null || contested.some(({ group }) => group === note.group)) return true
  const withIt = asked.map(({ request, notes }) => model.tokenizer.prompt(withNotes(request, notes)))
  const without = asked.map(({ request, notes }) =>
    model.tokenizer.prompt(
      withNotes(
        request,
        notes.filter((text) => text !== note.text),
      ),
    ),
  )
  const name = `notes/${record.directory}`
  await policy.load(name, record.directory)
  let replies: readonly Generation[]
  try {
    const { temperature, topP, trainedTokens: maxTokens } = RECIPE
    const sampling = { temperature, topP, maxTokens, seed: version }
    replies = await policy.generateAll({
      policy: name,
      items: [...without, ...withIt].map((promptIds) => ({ promptIds, sampling })),
    })
  } finally {
    await policy.unload(name)
  }
  const follows = measure(note)
  if (follows !== null) {
    const scores = replies.map(({ text }) => (follows(text) ? 1 : 0))
    return !isAsGood(scores.slice(0, asked.length), scores.slice(asked.length), FOLLOWED, 1)
  }
  const likelihood = async (prompts: readonly number[][]) => {
    const items = replies.map(({ ids }, i) => {
      const own = prompts[i % asked.length]!
      const rows = ids.map((_, t) => own.length - 1 + t)
      return { ids: [...own, ...ids.slice(0, -1)], rows, candidates: Int32Array.from(ids) }
    })
    const scored = await engine.forward(items, 'base')
    return scored.map(({ logprobs }) => mean([...logprobs]))
  }
  const plain = await likelihood(without)
  const margins = (await likelihood(withIt)).map((hinted, i) => hinted - plain[i]!)
  return !isAsGood(margins.slice(0, asked.length), margins.slice(asked.length), 0, KEPT)
}

/** Whether replies without a note reach `least`, and `kept` of what those with it reach. */
export function isAsGood(without: readonly number[], withIt: readonly number[], least: number, kept: number): boolean {
  const reached = mean(without)
  return reached > least - 1e-9 && reached > 0 && reached >= kept * mean(withIt) - 1e-9
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

import { withNotes } from '../memory/notes.ts'
import type { ChatMessage, Sample, Turn, Verdict } from '../types.ts'

/** Renders a conversation through the model's chat template, ready for the reply. */
export interface Prompter {
  prompt(messages: readonly ChatMessage[]): number[]
}

/**
 * Makes a turn ready to train, or null where it has nothing to teach: only judged replies to people do. The training
 * prompt is the request as it was said; the teacher's holds every active note of the asker (`notes`, oldest first) and,
 * last, what the reply should have done. A reply that was cut at the length limit counts as the person saw it: the
 * limit is part of how replies are drawn, so its reward is the policy's own. `learned` is what a version has learned of
 * the turn before: taking that back is something to teach even where nothing else is.
 */
export function buildSample(
  id: string,
  turn: Turn,
  verdict: Verdict,
  notes: readonly string[],
  prompter: Prompter,
  learned = 0,
): Sample | null {
  if (turn.kind !== 'main' || turn.finish === 'aborted' || turn.text.trim() === '') return null
  if (verdict.score === 0 && learned === 0) return null
  const hint = verdict.hint?.text
  const taught = hint === undefined ? notes : [...notes.filter((note) => note !== hint), hint]
  return {
    id,
    turn: turn.id,
    promptIds: prompter.prompt(turn.request),
    responseIds: turn.responseIds,
    logprobs: turn.logprobs,
    teacherPromptIds: taught.length === 0 ? null : prompter.prompt(withNotes(turn.request, taught)),
    reward: verdict.score,
    weight: verdict.weight,
    learned,
  }
}

import { withNotes } from '../memory/notes.ts'
import type { ChatMessage, Sample, Turn, Verdict } from '../types.ts'

/** Renders a conversation through the model's chat template, ready for the reply. */
export interface Prompter {
  prompt(messages: readonly ChatMessage[]): number[]
}

/** Whether a verdict on this turn makes a sample at all: only whole replies to people teach, and only when judged. */
export function trainable(turn: Turn, verdict: Verdict): boolean {
  return turn.kind === 'main' && turn.finish === 'stop' && turn.text.trim() !== '' && verdict.score !== 0
}

/**
 * Makes a turn ready to train. The training prompt is the request as it was said; the teacher's holds every active
 * note of the asker (`notes`, oldest first) and, last, what the reply should have done.
 */
export function buildSample(
  id: string,
  turn: Turn,
  verdict: Verdict,
  notes: readonly string[],
  prompter: Prompter,
): Sample {
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
  }
}

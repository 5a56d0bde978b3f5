import type { FakeEngine } from '../core/parrot.ts'
import type { Place, Shown } from './stage.ts'

/** The last of what is shown there to everyone; a private chat of Telegram is its person. */
export const newestOf = (shown: readonly Shown[], { channel }: Place): Shown | null =>
  shown.findLast(({ only }) => only === null || only === channel) ?? null

/** Drops what the model was asked, but for the latest `keep`. */
export function forgetPrompts({ prompts, policies }: FakeEngine, keep: number): void {
  for (const list of [prompts, policies]) list.splice(0, list.length - keep)
}

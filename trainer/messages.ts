import type { Outcome } from './learner.ts'

/**
 * What the trainer is told. The store is the truth, so a lost or doubled wake-up costs nothing. `flush` asks it not to
 * wait for a batch to fill.
 */
export type TrainerRequest =
  | { readonly type: 'wake' | 'close' }
  /** `id` counts up. */
  | { readonly type: 'flush'; readonly id: number }

/** What the trainer tells. `idle`: nothing is due; `flushed` is the newest flush that this answers, or 0. */
export type TrainerAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'busy'; readonly what: 'lessons' | 'rehearsal' }
  | { readonly type: 'version'; readonly outcome: Outcome }
  | { readonly type: 'idle'; readonly flushed: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

import type { Config } from '../config/config.ts'
import type { Outcome } from './learner.ts'

/** What the trainer is told. The store is the truth, so a lost or doubled wake-up costs nothing. */
export type TrainerRequest =
  /** Comes first. Settings may hold passwords: they are no arguments, which every user of a machine can read. */
  | { readonly type: 'start'; readonly config: Config; readonly model: string }
  | { readonly type: 'wake' | 'close' }
  /** Asks to be told when nothing is due; `flush`: nor waits for its batch to fill. `id` counts up. */
  | { readonly type: 'settle'; readonly id: number; readonly flush: boolean }

/** What the trainer tells. `idle`: nothing is due; `settled` is the newest `settle` that this answers, or 0. */
export type TrainerAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'busy'; readonly what: 'lessons' | 'rehearsal' }
  | { readonly type: 'version'; readonly outcome: Outcome }
  | { readonly type: 'idle'; readonly settled: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

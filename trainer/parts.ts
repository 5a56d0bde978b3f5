import type { Config } from '../config/config.ts'
import type { ModelFiles } from '../core/model/files.ts'
import type { PolicyEngine } from '../core/policy/engine.ts'
import type { LessonStore } from '../core/store/store.ts'
import type { TrainerEngine } from './engines/engine.ts'

/** What training works with. */
export interface TrainerParts {
  readonly config: Config
  readonly store: LessonStore
  readonly model: ModelFiles
  readonly engine: TrainerEngine
  /** Generates for the gate and for rehearsal. */
  readonly policy: PolicyEngine
}

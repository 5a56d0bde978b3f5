import type { ErrorCode } from '../errors.ts'
import type { WeightFormat } from '../model/weights.ts'
import type {
  BatchRequest,
  EngineStats,
  GeneratedToken,
  GenerateRequest,
  Generation,
  ScoreRequest,
  Scores,
} from './engine.ts'

export interface EngineOptions {
  /** A Hugging Face folder or a GGUF file. */
  readonly model: string
  readonly weights: WeightFormat | 'auto'
  readonly threads: number
  /** Tokens of prompt and reply together. */
  readonly context: number
  /** Where graphs and converted weights are kept. */
  readonly cacheDir: string
}

/** What the engine's thread is asked; `id` pairs an answer with its question. */
export type EngineRequest = { readonly id: number } & (
  | { readonly type: 'generate'; readonly request: Omit<GenerateRequest, 'signal'> }
  | { readonly type: 'generateAll'; readonly request: BatchRequest }
  | { readonly type: 'abort' | 'stats' | 'close' }
  | { readonly type: 'score'; readonly request: ScoreRequest }
  | { readonly type: 'load'; readonly name: string; readonly directory: string }
  | { readonly type: 'unload'; readonly name: string }
)

export type EngineAnswer = { readonly id: number } & (
  | { readonly type: 'token'; readonly token: GeneratedToken }
  | { readonly type: 'done'; readonly result: Generation | readonly Generation[] | Scores | EngineStats | null }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly message: string; readonly remedy: string | undefined }
)

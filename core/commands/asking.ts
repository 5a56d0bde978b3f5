import type { Config } from '../../config/config.ts'
import type { EngineStats } from '../policy/engine.ts'
import type { Db } from '../store/schema.ts'
import type { EventOf } from '../types.ts'

/** Who asks, where, and with what. */
export interface Asking {
  /** The transaction that everything the command changes belongs to. */
  readonly db: Db
  readonly event: EventOf<'command'>
  readonly config: Pick<Config, 'trainer' | 'memory'>
  readonly admin: boolean
  readonly engine: EngineStats
  /** Milliseconds since the epoch. */
  readonly now: number
}

import type { Config } from '../../config/config.ts'
import type { EngineStats } from '../policy/engine.ts'
import type { Db } from '../store/schema.ts'
import type { Health } from '../stream/outlet.ts'
import type { EventOf, PolicyRef } from '../types.ts'

/** Who asks, where, and with what. */
export interface Asking {
  /** The transaction that everything the command changes belongs to. */
  readonly db: Db
  readonly event: EventOf<'command'>
  /** Its inbox sequence number. */
  readonly seq: number
  readonly config: Pick<Config, 'trainer' | 'memory' | 'learning' | 'channels' | 'retentionDays' | 'discord'>
  readonly admin: boolean
  /** The weights that answer the one who asks. */
  readonly policy: PolicyRef
  /** Where their data is written for them; null where the platform hands it over. */
  readonly exportFile: string | null
  readonly engine: EngineStats
  /** How the connection to the platform stands that it came from; null where there is none to speak of. */
  readonly health: Health | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

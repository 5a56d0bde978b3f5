import type { Outlet } from '../core/stream/outlet.ts'
import type { Event } from '../core/types.ts'

/** Code that speaks to one platform. It knows nothing about models. */
export interface Adapter extends Outlet {
  /** Delivers events until `stop`. `deliver` resolves when the event is durable: only then may it be acknowledged. */
  start(deliver: (event: Event) => Promise<void>): Promise<void>
  stop(): Promise<void>
}

import type { Fault } from '../fault.ts'

/** What befalls the next calls that send or edit. */
export type CallFault = Extract<Fault, { type: 'limited' | 'refused' | 'lost' | 'slow' }>

export interface Faults {
  add(fault: CallFault): void
  /** The fault of the call that is made now; each counts down once. */
  take(): CallFault | null
  clear(): void
}

export function createFaults(): Faults {
  const waiting: { readonly fault: CallFault; left: number }[] = []
  return {
    add(fault) {
      waiting.push({ fault, left: fault.times ?? 1 })
    },
    take() {
      const [next] = waiting
      if (next === undefined) return null
      next.left -= 1
      if (next.left <= 0) waiting.shift()
      return next.fault
    },
    clear() {
      waiting.length = 0
    },
  }
}

import { degenerate } from '../core/samples/degenerate.ts'

/** What a candidate version does on the gate's fixed prompts, beside the base. */
export interface GateMeasurement {
  /** Token ids of its replies, one a prompt. */
  readonly replies: readonly (readonly number[])[]
  /** Mean over the replies' tokens of log π − log base, in nats a token: the sampled KL divergence to the base. */
  readonly drift: number
  /** Every weight is a finite number. */
  readonly finite: boolean
}

export interface GateLimits {
  /** Largest share of replies that are empty or repeat themselves. */
  readonly degenerate: number
  /** Nats a token. */
  readonly drift: number
}

export type GateDecision = { readonly accepted: true } | { readonly accepted: false; readonly reason: string }

/** Whether a version may be served. Rewards are hacked at once: a line of forty stars can satisfy a wish. */
export function decide({ replies, drift, finite }: GateMeasurement, limits: GateLimits): GateDecision {
  const refuse = (reason: string): GateDecision => ({ accepted: false, reason })
  if (!finite || !Number.isFinite(drift)) return refuse('its numbers are not finite')
  const bad = replies.filter(degenerate).length
  if (bad > limits.degenerate * replies.length) {
    return refuse(`${bad} of ${replies.length} replies are empty or repeat themselves`)
  }
  if (drift > limits.drift) {
    return refuse(`it drifted ${drift.toFixed(2)} nats a token from the base (limit ${limits.drift})`)
  }
  return { accepted: true }
}

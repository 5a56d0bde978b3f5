import { PERMISSION } from './permissions.ts'
import { type Channel, type Json, REFUSALS, type Refusal } from './shapes.ts'
import { botPermissions, type World } from './world.ts'

/** A call of the API. Names of the path come in order. */
export interface Call {
  readonly names: readonly string[]
  readonly query: URLSearchParams
  readonly body: unknown
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** A JSON body, nothing (204), or a refusal. */
export type Answer = Refusal | Json | readonly unknown[] | null

export interface Route {
  readonly method: string
  /** `:` stands for a name. */
  readonly path: string
  /** Whether it sends or edits: what the faults befall. */
  readonly writes?: true
  readonly run: (call: Call) => Answer
}

export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'status' in answer && 'code' in answer

/** The channel, where the bot may do that. */
export function channelFor(world: World, id: string | undefined, needed: bigint): Channel | Refusal {
  const channel = world.channels.get(id ?? '')
  if (channel === undefined) return REFUSALS.channel
  const may = botPermissions(world, channel)
  if ((may & PERMISSION.viewChannel) === 0n) return REFUSALS.access
  return (may & needed) === needed ? channel : REFUSALS.permission
}

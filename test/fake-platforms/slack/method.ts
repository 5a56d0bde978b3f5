import type { Effects } from './effects.ts'
import type { FakeMessage, FakeTeam, Fields } from './world.ts'

/** What a call reaches beside its workspace. */
export interface Reach {
  readonly effects: Effects
  /** Resolves a trigger to whose it is; throws where it is used up. */
  trigger(id: string): string
  /** Where a file is uploaded to. */
  uploadUrl(team: FakeTeam, file: string): string
}

/** A method of the Web API. */
export interface Method {
  /** Any one of them is enough. */
  readonly scopes: readonly string[]
  readonly required: readonly string[]
  readonly optional?: readonly string[]
  run(team: FakeTeam, args: Fields, reach: Reach): Fields
}

/** A message of the bot. */
export function own(team: FakeTeam, thread: string | null, fields: Partial<FakeMessage> & { text: string }) {
  return { user: team.bot.user, bot: team.bot.id, thread, ...fields }
}

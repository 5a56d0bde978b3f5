import type { webApi } from '@slack/bolt'
import { call, refusedFor } from './api.ts'
import type { Tenants } from './tenants.ts'

/** How long an answer of Slack's is believed, in milliseconds. */
const BELIEVED = 5 * 60_000

interface SlackUser {
  readonly team_id?: string
  readonly deleted?: boolean
  readonly is_bot?: boolean
  readonly is_admin?: boolean
  readonly is_owner?: boolean
  readonly is_primary_owner?: boolean
  readonly is_restricted?: boolean
  readonly is_ultra_restricted?: boolean
  readonly is_stranger?: boolean
  readonly enterprise_user?: {
    readonly teams?: readonly string[]
    readonly is_admin?: boolean
    readonly is_owner?: boolean
  }
}

/** Guests never are, nor is anybody of another organisation, whatever they are at home. */
export function isAdminUser(user: SlackUser, workspace: string): boolean {
  const { team_id: home, enterprise_user: grid } = user
  if (user.deleted || user.is_bot || user.is_restricted || user.is_ultra_restricted || user.is_stranger) return false
  if (home !== undefined && home !== workspace && !(grid?.teams ?? []).includes(workspace)) return false
  return [user.is_admin, user.is_owner, user.is_primary_owner, grid?.is_admin, grid?.is_owner].includes(true)
}

interface Answer {
  readonly admin: boolean
  readonly bot: boolean
  readonly at: number
}

/** Asks Slack who is an admin of a workspace, and who is a bot. Throws RateLimited, PLATFORM_LOST. */
export function slackPeople(client: webApi.WebClient, tenants: Tenants, now: () => number) {
  const answers = new Map<string, Answer>()
  const lookUp = async (workspace: string, person: string): Promise<Answer> => {
    const key = `${workspace} ${person}`
    const known = answers.get(key)
    if (known !== undefined && now() - known.at < BELIEVED) return known
    const { token } = await tenants.find(workspace)
    const who = await call('users.info', () => client.users.info({ token, user: person })).then(
      ({ user }) => ({ admin: isAdminUser(user as SlackUser, workspace), bot: user?.is_bot === true }),
      (error: unknown) => {
        // Somebody whom the workspace does not know.
        if (refusedFor(error, ['user_not_found', 'user_not_visible', 'users_not_found']))
          return { admin: false, bot: false }
        throw error
      },
    )
    for (const [old, { at }] of answers) if (now() - at >= BELIEVED) answers.delete(old)
    const answer = { ...who, at: now() }
    answers.set(key, answer)
    return answer
  }
  return {
    isAdmin: async (workspace: string, person: string) => (await lookUp(workspace, person)).admin,
    isBot: async (workspace: string, person: string) => (await lookUp(workspace, person)).bot,
  }
}

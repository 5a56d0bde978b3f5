import type { Installation, InstallationQuery, InstallationStore, webApi } from '@slack/bolt'
import { ClawError } from '../../core/errors.ts'
import {
  allInstallations,
  dropInstallation,
  findInstallation,
  installedAt,
  joinedInstallation,
  joinInstallation,
  saveInstallation,
} from '../../core/store/installations.ts'
import type { Db } from '../../core/store/schema.ts'
import { call, REVOKED, refusedFor } from './api.ts'
import type { Self } from './events.ts'
import { seal, sealingKey, unseal } from './seal.ts'

/** What it takes to speak in a workspace. */
export interface Tenant {
  readonly token: string
  readonly self: Self
}

/** PLATFORM_REFUSED: a workspace has not let the bot in. */
export class Stranger extends ClawError {
  constructor(workspace: string) {
    super('PLATFORM_REFUSED', `The Slack workspace ${workspace} has not installed the app`)
  }
}

/** The workspaces that the bot is in. */
export interface Tenants {
  /** Throws Stranger. */
  find(workspace: string): Promise<Tenant>
  /** Those that the bot was taken out of, by what was said of one of them then; none where it is in again. */
  gone(left: Left): Promise<readonly string[]>
  purge(left: Left): Promise<void>
}

/** That the bot was taken out of a workspace, or of a whole organisation. */
export interface Left {
  readonly workspace: string
  readonly organisation: string | null
  /** Only this workspace of the organisation that its token is for, which goes on. */
  readonly alone?: true
  /** Milliseconds since the epoch, in whole seconds. */
  readonly at: number
}

interface Single extends Tenant {
  /** Null where the token is a whole organisation's. */
  readonly team: string | null
}

/** The one workspace, or organisation, that a token was made for. An empty workspace stands for that. */
export function singleTenant(client: webApi.WebClient, token: string): Tenants {
  let known: Promise<Single> | undefined
  const ask = async (): Promise<Single> => {
    const answer = await call('auth.test', () => client.auth.test({ token }))
    const { user_id: user = '', bot_id: bot = '', team_id: team, is_enterprise_install: whole = false } = answer
    return { token, self: { user, bot }, team: whole ? null : (team ?? null) }
  }
  // Slack tells of every workspace that has the app, also of those that this token is not for.
  const isFor = ({ team }: Single, workspace: string) => team === null || workspace === '' || workspace === team
  return {
    async find(workspace) {
      known ??= ask().catch((error: unknown) => {
        known = undefined
        throw error
      })
      const tenant = await known
      if (!isFor(tenant, workspace)) throw new Stranger(workspace)
      return tenant
    },
    // What is said of a token that serves is about an older one.
    gone: ({ workspace, alone = false }) =>
      ask().then(
        (tenant) => (alone || !isFor(tenant, workspace) ? [workspace] : []),
        (error: unknown) => {
          // Whether Slack still takes the token has to be known before everything is erased.
          if (!refusedFor(error, REVOKED)) throw error
          return [workspace]
        },
      ),
    async purge() {
      known = undefined
    },
  }
}

/** How long an installation is remembered that another process may have changed, in milliseconds. */
const BELIEVED = 30_000

/** Milliseconds; what Slack says of time is no finer. */
const SECOND = 1_000

const OTHER_KEY = 'Slack installations in the store were encrypted with another key'
const OLD_KEY =
  'Set CLAW_ENCRYPTION_KEY to the key that they were made with, or let those workspaces install the app again.'

/** For the operator, as long as some cannot be read. */
export const KEY_PROBLEM = `${OTHER_KEY}. ${OLD_KEY}`

const wrongKey = () => new ClawError('CONFIG_INVALID', OTHER_KEY, { remedy: OLD_KEY })

/** The workspaces that have installed the app themselves. */
export interface Installed extends Tenants {
  readonly store: InstallationStore
  /** Reads all of them. Throws CONFIG_INVALID where one cannot be read with this key. */
  check(): Promise<void>
  /** Whether all, some or none of them could be read when `check` did, and what was installed since. */
  readable(): 'all' | 'some' | 'none'
}

/**
 * They are kept in the store. An organisation's installation goes by the organisation's id, and its workspaces are known
 * by what comes from them. All of it throws CONFIG_INVALID where what is in the store cannot be read with this key.
 */
export function installedTenants(db: Db, secret: string, now: () => number): Installed {
  const key = sealingKey(secret)
  const open = (id: string, sealed: string): Installation => {
    const text = unseal(key, id, sealed)
    if (text === null) throw wrongKey()
    return JSON.parse(text) as Installation
  }
  const locked = new Set<string>()
  let opened = 0
  const known = new Map<string, { readonly installation: Installation; readonly at: number }>()

  async function read(id: string): Promise<Installation> {
    const before = known.get(id)
    if (before !== undefined && now() - before.at < BELIEVED) return before.installation
    const installation = await readStored(id)
    known.set(id, { installation, at: now() })
    return installation
  }

  async function readStored(id: string): Promise<Installation> {
    const found = await findInstallation(db, id)
    if (found === null) throw new Stranger(id)
    return open(found.id, found.sealed)
  }

  // What concerns an organisation as a whole names no workspace.
  const idOf = ({ isEnterpriseInstall, enterpriseId, teamId }: InstallationQuery<boolean>): string =>
    (isEnterpriseInstall ? enterpriseId : teamId) ?? enterpriseId ?? ''

  return {
    async check() {
      for (const { id, sealed } of await allInstallations(db)) {
        if (unseal(key, id, sealed) === null) locked.add(id)
        else opened += 1
      }
      if (locked.size > 0) throw wrongKey()
    },
    readable: () => (locked.size === 0 ? 'all' : opened > 0 ? 'some' : 'none'),
    async find(workspace) {
      const { bot } = await read(workspace)
      if (bot === undefined) throw new Stranger(workspace)
      return { token: bot.token, self: { user: bot.userId, bot: bot.id } }
    },
    async gone({ workspace, organisation, at }) {
      const id = organisation ?? workspace
      const installed = await installedAt(db, id)
      if (installed !== null && installed > at + SECOND) return []
      const joined = organisation === null ? [] : await joinedInstallation(db, organisation)
      return [...new Set([workspace, ...joined])]
    },
    async purge({ workspace, organisation }) {
      await dropInstallation(db, organisation ?? workspace)
      known.clear()
      locked.delete(organisation ?? workspace)
    },
    store: {
      async storeInstallation(installation) {
        const id = installation.isEnterpriseInstall ? installation.enterprise?.id : installation.team?.id
        if (id === undefined) throw new ClawError('PLATFORM_REFUSED', 'Slack did not say which workspace was installed')
        await saveInstallation(db, { id, sealed: seal(key, id, JSON.stringify(installation)) }, now())
        known.clear()
        locked.delete(id)
        opened += 1
      },
      async fetchInstallation(query) {
        const { isEnterpriseInstall, teamId, enterpriseId } = query
        const installation = await read(idOf(query))
        const workspace = teamId as string | undefined
        if (isEnterpriseInstall && workspace !== undefined && enterpriseId !== undefined && !known.has(workspace)) {
          await joinInstallation(db, workspace, enterpriseId, now())
          known.set(workspace, { installation, at: now() })
        }
        return installation
      },
      async deleteInstallation(query) {
        await dropInstallation(db, idOf(query))
        known.clear()
      },
    },
  }
}

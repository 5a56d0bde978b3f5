/** What Discord keeps, in the shapes of its API (v10). */

export interface User {
  readonly id: string
  readonly username: string
  readonly global_name: string | null
  readonly discriminator: string
  readonly avatar: null
  readonly bot: boolean
}

export interface Role {
  readonly id: string
  readonly name: string
  /** A decimal bit set. */
  permissions: string
  readonly color: number
  readonly hoist: boolean
  readonly position: number
  readonly managed: boolean
  readonly mentionable: boolean
  readonly tags?: { readonly bot_id: string }
}

export interface Overwrite {
  /** Of a role or a member. */
  readonly id: string
  readonly type: 0 | 1
  readonly allow: string
  readonly deny: string
}

export const CHANNEL = { text: 0, dm: 1, voice: 2, category: 4, news: 5, thread: 11 } as const

export interface Channel {
  readonly id: string
  readonly type: number
  readonly guild_id?: string
  readonly name?: string
  readonly parent_id?: string | null
  readonly owner_id?: string
  /** The other person of a direct conversation. */
  readonly recipients?: readonly User[]
  permission_overwrites?: Overwrite[]
  readonly thread_metadata?: {
    readonly archived: boolean
    readonly auto_archive_duration: number
    readonly archive_timestamp: string
    readonly locked: boolean
  }
  last_message_id?: string | null
}

export interface Guild {
  readonly id: string
  readonly name: string
  readonly owner_id: string
  joined_at: string
  system_channel_id: string | null
  readonly roles: Role[]
  /** Role ids of each member, by user id. */
  readonly members: Map<string, string[]>
  unavailable: boolean
  /** Whether the bot is a member. */
  joined: boolean
}

export interface Emoji {
  /** Null for a character. */
  readonly id: string | null
  readonly name: string
}

/** `👍`, or `name:id` for one of a guild's own. */
export function emojiOf(text: string): Emoji {
  const [, name = text, id = null] = /^(\w+):(\d+)$/.exec(text) ?? []
  return { id, name }
}

export interface Reaction {
  readonly emoji: Emoji
  readonly user: string
  /** A super reaction. */
  readonly burst: boolean
}

export type Json = Readonly<Record<string, unknown>>

export interface Message {
  readonly id: string
  readonly channel_id: string
  readonly author: User
  content: string
  readonly timestamp: string
  edited_timestamp: string | null
  readonly tts: false
  readonly mention_everyone: boolean
  readonly mentions: readonly User[]
  readonly mention_roles: readonly string[]
  readonly attachments: readonly Json[]
  embeds: readonly Json[]
  readonly pinned: false
  readonly type: number
  components: readonly Json[]
  readonly flags: number
  readonly webhook_id?: string
  readonly application_id?: string
  readonly message_reference?: Json
  /** What it answers, while that is there. */
  readonly replies?: string
  /** The person who alone sees it; never delivered by the gateway, nor listed. */
  readonly only?: string
  readonly reactions: Reaction[]
}

/** What the API says instead of an answer. */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly errors?: Json
}

export const refuse = (status: number, code: number, message: string, errors?: Json): Refusal => ({
  status,
  code,
  message,
  ...(errors === undefined ? {} : { errors }),
})

export const REFUSALS = {
  unauthorized: refuse(401, 0, '401: Unauthorized'),
  notFound: refuse(404, 0, '404: Not Found'),
  channel: refuse(404, 10003, 'Unknown Channel'),
  guild: refuse(404, 10004, 'Unknown Guild'),
  member: refuse(404, 10007, 'Unknown Member'),
  message: refuse(404, 10008, 'Unknown Message'),
  user: refuse(404, 10013, 'Unknown User'),
  webhook: refuse(404, 10015, 'Unknown Webhook'),
  interaction: refuse(404, 10062, 'Unknown interaction'),
  acknowledged: refuse(400, 40060, 'Interaction has already been acknowledged.'),
  access: refuse(403, 50001, 'Missing Access'),
  foreign: refuse(403, 50005, 'Cannot edit a message authored by another user'),
  empty: refuse(400, 50006, 'Cannot send an empty message'),
  direct: refuse(403, 50007, 'Cannot send messages to this user'),
  permission: refuse(403, 50013, 'Missing Permissions'),
  token: refuse(401, 50027, 'Invalid Webhook Token'),
} as const

import type { Api } from 'grammy'
import { hasCode } from '../../core/errors.ts'
import type { Chats } from './chats.ts'
import { isPrivate } from './ids.ts'

/** How long it is believed who is an admin, in milliseconds. */
const FRESH_MS = 5 * 60_000

/** Groups and people are many: the oldest answers go first. */
const MOST = 10_000

/**
 * Whether a person is an admin of a chat: who is alone with the bot is, and who speaks as the group itself, which only its
 * admins may. Throws PLATFORM_LOST where Telegram does not say.
 */
export function createMembers(
  api: Api,
  chats: Chats,
  now: () => number,
): (chat: string, person: string) => Promise<boolean> {
  const known = new Map<string, { readonly admin: boolean; readonly until: number }>()

  return async (chat, person) => {
    if (chat === person) return true
    if (isPrivate(Number(chat)) || Number(person) < 0) return false
    const key = `${chat} ${person}`
    const before = known.get(key)
    if (before !== undefined && before.until > now()) return before.admin
    const admin = await chats
      .at(Number(chat), (id) => api.getChatMember(id, Number(person)))
      .then(
        ({ status }) => status === 'creator' || status === 'administrator',
        (error: unknown) => {
          // Whoever Telegram does not find there is no admin there.
          if (hasCode(error, 'PLATFORM_REFUSED')) return false
          throw error
        },
      )
    known.delete(key)
    known.set(key, { admin, until: now() + FRESH_MS })
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return admin
  }
}

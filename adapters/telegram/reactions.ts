import type { ReactionType } from 'grammy/types'
import { reactionKey } from '../../config/reactions.ts'

/** A paid reaction is a star that somebody has bought. */
const PAID = '⭐'

/** One spelling an emoji; custom ones by id, for a workspace's own table. */
export function emojiOf(reaction: ReactionType): string {
  switch (reaction.type) {
    case 'emoji':
      return reactionKey(reaction.emoji)
    case 'custom_emoji':
      return `custom:${reaction.custom_emoji_id}`
    case 'paid':
      return PAID
  }
}

/** What somebody's reactions became: first what is gone, then what is new. */
export function changes(
  before: readonly ReactionType[],
  after: readonly ReactionType[],
): readonly { readonly type: 'reaction' | 'reaction_removed'; readonly emoji: string }[] {
  const [old, now] = [before, after].map((reactions) => new Set(reactions.map(emojiOf))) as [Set<string>, Set<string>]
  return [
    ...[...old].filter((emoji) => !now.has(emoji)).map((emoji) => ({ type: 'reaction_removed' as const, emoji })),
    ...[...now].filter((emoji) => !old.has(emoji)).map((emoji) => ({ type: 'reaction' as const, emoji })),
  ]
}

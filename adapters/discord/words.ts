/** Who the bot is where something was said. */
export interface Self {
  readonly id: string
  /** Roles that stand for it alone: people pick them where they mean the bot. */
  readonly roles: readonly string[]
}

interface Mentioned {
  readonly id: string
  readonly username: string
  readonly global_name?: string | null
}

const USER = /<@!?(\d+)>/g
const ROLE = /<@&(\d+)>/g
const EMOJI = /<a?(:\w+:)\d+>/g

/** The words of a message as a person reads them, without the mention that addressed the bot. */
export function readableWords(content: string, mentions: readonly Mentioned[], self: Self): string {
  const names = new Map(mentions.map((user) => [user.id, user.global_name ?? user.username]))
  const own = [`<@!?${self.id}>`, ...self.roles.map((role) => `<@&${role}>`)].join('|')
  return content
    .replace(new RegExp(`^\\s*(?:(?:${own})[\\s,:]*)+`), '')
    .replace(new RegExp(`[^\\S\\n]*(?:${own})`, 'g'), '')
    .replace(USER, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
    .replace(EMOJI, '$1')
    .trim()
}

/** Whether the words address the bot: by its name, or by a role of its own. */
export function addresses(content: string, mentions: readonly Mentioned[], self: Self): boolean {
  if (mentions.some(({ id }) => id === self.id)) return true
  return [...content.matchAll(ROLE)].some(([, role = '']) => self.roles.includes(role))
}

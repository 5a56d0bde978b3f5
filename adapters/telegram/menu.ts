import type { BotCommand, BotCommandScope } from 'grammy/types'
import type { SaidCommand } from './message.ts'

/** What the menu of commands offers: Telegram's names have no blanks, so `/learn_on` is `/claw learn on`. */
const EVERYONE: readonly BotCommand[] = [
  { command: 'claw', description: 'What I can be asked: /claw help' },
  { command: 'status', description: 'What answers, and what waits to be learned' },
  { command: 'why', description: 'What the last reply taught, or will teach' },
  { command: 'memory', description: 'What is kept of your wishes' },
  { command: 'versions', description: 'All versions of the weights' },
  { command: 'optout', description: 'Nothing you say is learned from' },
  { command: 'optin', description: 'It is again' },
  { command: 'export', description: 'Everything that is kept of yours, as a file' },
  { command: 'forget_last', description: 'Erase your last question and what was learned from it' },
  { command: 'forget_me', description: 'Erase everything of yours' },
  { command: 'help', description: 'All commands' },
]

const ADMINS: readonly BotCommand[] = [
  { command: 'learn_on', description: 'Learn from feedback here' },
  { command: 'learn_off', description: 'Stop learning here' },
  { command: 'pause', description: 'Keep feedback, and train later' },
  { command: 'resume', description: 'Train again' },
  { command: 'rollback', description: 'Back to the version before' },
]

/** Whoever is alone with the bot is the admin there. */
export const MENUS: readonly { readonly scope: BotCommandScope; readonly commands: readonly BotCommand[] }[] = [
  { scope: { type: 'all_private_chats' }, commands: [...EVERYONE, ...ADMINS] },
  { scope: { type: 'all_group_chats' }, commands: EVERYONE },
  { scope: { type: 'all_chat_administrators' }, commands: [...EVERYONE, ...ADMINS] },
]

const NAMES = new Set([...EVERYONE, ...ADMINS].map(({ command }) => command))

/**
 * The words of `/claw …` that a command is, or null where it is none of the bot's. In a group, a short command may be
 * another bot's unless it names this one.
 */
export function menuCommand({ name, rest, to }: SaidCommand, alone: boolean): string | null {
  if (name === 'claw') return rest
  if (name === 'start' && (alone || to === 'me')) return 'help'
  if (!NAMES.has(name) || (!alone && to !== 'me')) return null
  return `${name.replaceAll('_', ' ')} ${rest}`.trim()
}

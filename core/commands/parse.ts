import type { Method, Scope, Speak } from '../../config/config.ts'

/** What a person may ask of the bot itself. Numbers are what they typed: whether they exist is checked later. */
export type Command =
  | { readonly name: 'status' | 'why' | 'versions' | 'memory' | 'help' }
  | { readonly name: 'pause' | 'resume' | 'optout' | 'optin' | 'export' }
  | { readonly name: 'drop note' | 'share note'; readonly note: number }
  | { readonly name: 'rollback'; readonly version: number | null }
  | { readonly name: 'learn'; readonly on: boolean }
  /** Null goes back to the operator's setting. */
  | { readonly name: 'method'; readonly method: Method | null }
  | { readonly name: 'scope'; readonly scope: Scope | null }
  | { readonly name: 'channel'; readonly speak: Speak }
  /** In days; 0 keeps what was said, null follows the operator's setting. */
  | { readonly name: 'retention'; readonly days: number | null }
  | { readonly name: 'forget'; readonly what: 'me' | 'last'; readonly confirmed: boolean }
  | { readonly name: 'unknown'; readonly text: string }

/** Only a workspace's admins may do these. Rolling back as well, where it is not one's own weights. */
export const ADMIN_COMMANDS: readonly Command['name'][] = [
  ...(['learn', 'method', 'scope', 'pause', 'resume', 'share note', 'channel', 'retention'] as const),
]

/** These change something for everyone, so everyone may see it; all other answers are for the one who asked. */
export const PUBLIC_COMMANDS: readonly Command['name'][] = [
  ...(['learn', 'method', 'scope', 'pause', 'resume', 'rollback', 'channel', 'retention'] as const),
]

export const HELP = `What I learned
  /claw status               what answers, and what waits to be learned
  /claw why                  what the last reply taught, or will teach
  /claw versions             all versions of the weights
  /claw rollback [VERSION]   back to the version before, or to that one (0 is the base)
Your wishes
  /claw memory               what is kept of your wishes
  /claw memory forget N      drops one of them
  /claw memory share N       makes one everybody's (admins)
Your data
  /claw optout, optin        nothing you say is learned from; it is again
  /claw forget last          erases your last question, its reply and what was learned from them
  /claw forget me            erases everything of yours
  /claw export               everything that is kept of yours, as a file
For admins
  /claw learn on|off         whether feedback changes the weights here
  /claw pause, resume        keeps feedback, and trains later
  /claw method METHOD        binary, opd, combined or default: how feedback becomes weights
  /claw scope SCOPE          workspace, person or default: whose weights it changes
  /claw channel MODE         all, mention or off: when I speak in this channel
  /claw retention DAYS|off   deletes what was said after so many days`

/** The lines of help on the commands of a name; none where nothing is called that. */
export function usage(name: string): string[] {
  return HELP.split('\n').filter((line) => {
    const [, asked = ''] = /^ {2}\/claw (.*?) {2}/.exec(line) ?? []
    return asked.split(', ').some((one) => one.split(' ', 1)[0] === name)
  })
}

const NUMBER = /^v?(\d{1,9})$/
const METHODS: Readonly<Record<string, Method | null>> = {
  binary: 'binary',
  opd: 'opd',
  combined: 'combined',
  default: null,
}
const MODES: readonly string[] = ['all', 'mention', 'off'] satisfies Speak[]
/** A hundred years: more is a slip of the pen. */
const MOST_DAYS = 36_500
const SCOPES: Readonly<Record<string, Scope | null>> = { workspace: 'workspace', person: 'person', default: null }

/** Reads `/claw status`, or the same without `/claw` where the platform has taken that off. */
export function parseCommand(text: string): Command {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  if (words[0] === '/claw') words.shift()
  const [name = 'help', ...rest] = words
  return read(name, rest) ?? { name: 'unknown', text: [name, ...rest].join(' ') }
}

/** Whether words that address the bot are a command and no question. Its bare name asks for help. */
export function isCommand(text: string): boolean {
  return parseCommand(text).name !== 'unknown'
}

function read(name: string, rest: readonly string[]): Command | null {
  const [first = '', second] = rest
  const number = NUMBER.exec(rest.at(-1) ?? '')?.[1]
  switch (name) {
    case 'status':
    case 'why':
    case 'versions':
    case 'help':
    case 'pause':
    case 'resume':
    case 'optout':
    case 'optin':
    case 'export':
      return rest.length === 0 ? { name } : null
    case 'memory':
      if (rest.length === 0) return { name }
      if (rest.length !== 2 || number === undefined) return null
      if (first === 'forget') return { name: 'drop note', note: +number }
      return first === 'share' ? { name: 'share note', note: +number } : null
    case 'rollback':
      if (rest.length === 0) return { name, version: null }
      return rest.length === 1 && number !== undefined ? { name, version: +number } : null
    case 'learn':
      return rest.length === 1 && (first === 'on' || first === 'off') ? { name, on: first === 'on' } : null
    case 'method':
      return rest.length === 1 && Object.hasOwn(METHODS, first) ? { name, method: METHODS[first] ?? null } : null
    case 'scope':
      return rest.length === 1 && Object.hasOwn(SCOPES, first) ? { name, scope: SCOPES[first] ?? null } : null
    case 'channel':
      return rest.length === 1 && MODES.includes(first) ? { name, speak: first as Speak } : null
    case 'retention':
      if (rest.length !== 1) return null
      if (first === 'off' || first === 'default') return { name, days: first === 'off' ? 0 : null }
      return /^[1-9]\d{0,4}$/.test(first) && +first <= MOST_DAYS ? { name, days: +first } : null
    case 'forget':
      if (first === 'last' && rest.length === 1) return { name, what: first, confirmed: true }
      if (first !== 'me' || rest.length > 2 || (second !== undefined && second !== 'yes')) return null
      return { name, what: first, confirmed: second === 'yes' }
    default:
      return null
  }
}

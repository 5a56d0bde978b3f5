/** What a person may ask of the bot itself. Numbers are what they typed: whether they exist is checked later. */
export type Command =
  | { readonly name: 'status' | 'why' | 'versions' | 'memory' | 'help' }
  | { readonly name: 'forget'; readonly note: number }
  | { readonly name: 'rollback'; readonly version: number | null }
  | { readonly name: 'learn'; readonly on: boolean }
  | { readonly name: 'unknown'; readonly text: string }

/** Only a workspace's admins may do these. */
export const ADMIN_COMMANDS: readonly Command['name'][] = ['rollback', 'learn']

export const HELP = `/claw status               what is served, and what waits to be learned
/claw why                  what the last reply taught, or will teach
/claw memory               the wishes kept for you
/claw memory forget N      drops one of them
/claw versions             all versions of the weights
/claw rollback [VERSION]   back to the version before, or to that one (0 is the base)
/claw learn on|off         whether feedback changes the weights here
/claw help                 this`

const NUMBER = /^v?(\d{1,9})$/

/** Reads `/claw status`, or the same without `/claw` where the platform has taken that off. */
export function parseCommand(text: string): Command {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  if (words[0] === '/claw') words.shift()
  const [name = 'help', ...rest] = words
  const number = NUMBER.exec(rest.at(-1) ?? '')?.[1]
  switch (name) {
    case 'status':
    case 'why':
    case 'versions':
    case 'help':
      if (rest.length === 0) return { name }
      break
    case 'memory':
      if (rest.length === 0) return { name }
      if (rest.length === 2 && rest[0] === 'forget' && number !== undefined) return { name: 'forget', note: +number }
      break
    case 'rollback':
      if (rest.length === 0) return { name, version: null }
      if (rest.length === 1 && number !== undefined) return { name, version: +number }
      break
    case 'learn':
      if (rest.length === 1 && (rest[0] === 'on' || rest[0] === 'off')) return { name, on: rest[0] === 'on' }
      break
  }
  return { name: 'unknown', text: [name, ...rest].join(' ') }
}

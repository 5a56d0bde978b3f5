import {
  type APIApplicationCommandInteractionDataOption,
  ApplicationIntegrationType,
  InteractionContextType,
  ApplicationCommandOptionType as Kind,
} from 'discord.js'

interface Choice {
  readonly name: string
  /** What it may be; anything where there are none, a number without. */
  readonly choices?: readonly string[]
  readonly required: boolean
}

/** `/claw` as people pick it: the words of a command, what it does, and what may follow. */
type Line = readonly [words: string, description: string, option?: Choice]

const number = (name: string, required: boolean): Choice => ({ name, required })
const one = (name: string, ...choices: readonly string[]): Choice => ({ name, required: true, choices })

/** A name that has more names under it cannot be picked alone, so `/claw memory` is `/claw memory show`. */
const LINES: readonly Line[] = [
  ['status', 'What answers, and what waits to be learned'],
  ['why', 'What the last reply taught, or will teach'],
  ['versions', 'All versions of the weights'],
  ['rollback', 'Back to the version before, or to that one', number('version', false)],
  ['memory show', 'What is kept of your wishes'],
  ['memory forget', 'Drops one of your wishes', number('note', true)],
  ['memory share', "Makes one wish everybody's (admins)", number('note', true)],
  ['optout', 'Nothing you say is learned from'],
  ['optin', 'What you say is learned from again'],
  ['forget last', 'Erases your last question, its reply and what was learned from them'],
  ['forget me', 'Erases everything of yours', { name: 'confirm', required: false, choices: ['yes'] }],
  ['export', 'Everything that is kept of yours, as a file'],
  ['learn', 'Whether feedback changes the weights here (admins)', one('state', 'on', 'off')],
  ['pause', 'Keeps feedback, and trains later (admins)'],
  ['resume', 'Trains again (admins)'],
  ['method', 'How feedback becomes weights (admins)', one('method', 'binary', 'opd', 'combined', 'default')],
  ['scope', 'Whose weights feedback changes (admins)', one('scope', 'workspace', 'person', 'default')],
  ['channel', 'When the bot speaks in this channel (admins)', one('when', 'all', 'mention', 'off')],
  ['retention', 'Days after which what was said is deleted; off keeps it (admins)', one('days')],
  ['help', 'All commands'],
]

/** What is registered with Discord. */
export const REGISTRATION = [
  {
    name: 'claw',
    description: 'What the bot learned, your wishes and your data',
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    options: subcommands(LINES),
  },
] as const

/** Whether what Discord has registered is what is wanted: it adds ids and versions, and leaves out what is false. */
export function isRegistered(registered: unknown, wanted: unknown = REGISTRATION): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(registered) || registered.length !== wanted.length) return false
    return wanted.every((part, at) => isRegistered(registered[at], part))
  }
  if (typeof wanted !== 'object' || wanted === null) return registered === wanted
  if (typeof registered !== 'object' || registered === null) return false
  const found: Readonly<Record<string, unknown>> = { ...registered }
  return Object.entries(wanted).every(([key, value]) => isRegistered(found[key], value))
}

function subcommands(lines: readonly Line[]): readonly object[] {
  const names = [...new Set(lines.map(([words]) => words.split(' ', 1)[0] ?? ''))]
  return names.map((name) => {
    const own = lines.filter(([words]) => words.split(' ', 1)[0] === name)
    const [first] = own
    if (first?.[0] === name) return subcommand(name, first)
    const options = own.map((line) => subcommand(line[0].slice(name.length + 1), line))
    return { type: Kind.SubcommandGroup, name, description: `What is under ${name}`, options }
  })
}

function subcommand(name: string, [, description, option]: Line): object {
  return { type: Kind.Subcommand, name, description, ...(option === undefined ? {} : { options: [optionOf(option)] }) }
}

function optionOf({ name, required, choices }: Choice): object {
  const common = { name, description: `The ${name}`, ...(required ? { required } : {}) }
  if (choices === undefined) return { ...common, type: Kind.Integer, min_value: 0 }
  const listed = choices.map((choice) => ({ name: choice, value: choice }))
  return { ...common, type: Kind.String, ...(listed.length === 0 ? {} : { choices: listed }) }
}

/** The words that a person would have typed: `memory forget 3`. */
export function commandWords(options: readonly APIApplicationCommandInteractionDataOption[] = []): string {
  const words = options.flatMap((option): string[] => {
    if ('options' in option) return [option.name, commandWords(option.options)]
    return 'value' in option ? [String(option.value)] : [option.name]
  })
  return words
    .join(' ')
    .replace(/^memory show\b/, 'memory')
    .trim()
}

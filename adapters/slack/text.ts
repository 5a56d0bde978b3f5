/** `<@U1>`, `<#C1|general>`, `<!here>`, `<https://example.com|label>`. */
const REFERENCE = /<([@#!]?)([^|<>]+)(?:\|([^<>]*))?>/g

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

const mentionOf = (bot: string): string => `<@${bot}(?:\\|[^<>]*)?>`

/** Whether a text as Slack sends it addresses the bot by its user id. */
export function mentions(raw: string, bot: string): boolean {
  return new RegExp(mentionOf(bot)).test(raw)
}

/** Whether the bot is addressed first, as one who is told to do something. */
export function startsWithMention(raw: string, bot: string): boolean {
  return new RegExp(`^\\s*${mentionOf(bot)}`).test(raw)
}

/** A text as its author sees it, without the mentions of the bot. */
export function readText(raw: string, bot: string): string {
  const mention = mentionOf(bot)
  return raw
    .replace(new RegExp(`^\\s*(?:${mention}[\\s,:]*)+`), '')
    .replace(new RegExp(`\\s*${mention}`, 'g'), '')
    .replace(REFERENCE, (_whole, sigil: string, target: string, label: string | undefined) =>
      shown(sigil, target, label),
    )
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim()
}

function shown(sigil: string, target: string, label: string | undefined): string {
  if (sigil === '!') return label ?? `@${target.split('^', 1)[0]}`
  if (sigil !== '') return `${sigil}${label || target}`
  const bare = target.replace(/^(?:https?:\/\/|mailto:|tel:)/, '')
  if (label === undefined || label === target) return target
  return label === bare ? label : `${label} (${target})`
}

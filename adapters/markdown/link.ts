import { type Inline, words } from './tree.ts'

const SAFE = new Set(['http:', 'https:', 'mailto:'])

/** Opens something inside a messenger: a person, for one, whom it would mention. */
const INTERNAL = /^(?:tg|slack|discord):/i

/** Written out, these would call everyone, or end the address early. */
const RISKY = /@(?=everyone|here|channel)|[|<>\p{Cf}\s]/giu

/** One person's address, in which no platform finds a name: what stands before `@` ends in a letter, or it would be one. */
const MAIL = /^[\w.+-]*\w@[a-z\d-]+(?:\.[a-z\d-]+)+$/i

/**
 * The address as its server sees it: no name before the host, a host in letters that look like themselves, and of an
 * e-mail address nothing but whom it reaches.
 */
function addressOf(url: string): URL | null {
  if (!URL.canParse(url)) return null
  const parsed = new URL(url)
  if (!SAFE.has(parsed.protocol)) return null
  if (parsed.protocol === 'mailto:') {
    parsed.search = ''
    parsed.hash = ''
    return MAIL.test(parsed.pathname) ? parsed : null
  }
  parsed.username = ''
  parsed.password = ''
  return parsed
}

const written = (url: URL): string => url.href.replace(RISKY, encodeURIComponent)

/** A link, or the words of one that leads nowhere safe. */
export function labelled(url: string, label: readonly Inline[]): readonly Inline[] {
  const address = addressOf(url)
  const said = words(label).trim()
  if (address === null) {
    const shown = url !== '' && ![url, shownAddress(url)].includes(said) && !INTERNAL.test(url.trim())
    return shown ? [...label, { type: 'text', value: said === '' ? url : ` (${url})` }] : label
  }
  const same = ['', 'http://', 'https://', 'mailto:'].some((scheme) => addressOf(scheme + said)?.href === address.href)
  const bare = same || said === ''
  const full = written(address)
  const slash = bare && full.endsWith('/') && !said.endsWith('/') && said !== ''
  return [{ type: 'link', url: slash ? full.slice(0, -1) : full, label: bare ? [] : label }]
}

/** How an address is written where it is no link: without the scheme of an e-mail address. */
export const shownAddress = (url: string): string => url.replace(/^mailto:/, '')

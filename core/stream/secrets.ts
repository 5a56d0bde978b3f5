/** Words that no one should keep, and how they look. Patterns are for text that `view` (redact.ts) has plain. */
export interface Kind {
  /** As it stands in the mask. */
  readonly name: string
  /** Global. Where it has a group, the group is what is masked. */
  readonly pattern: RegExp
  /** Given where the shape alone says too little. Returns how much of the match, from its start, it is. */
  readonly measure?: (match: string) => number
}

const token = (name: string, pattern: string): Kind => ({ name: `secret: ${name}`, pattern: new RegExp(pattern, 'gd') })

/** Not in the middle of a longer word. */
const START = '(?<![A-Za-z0-9])'
const WORD = '[A-Za-z0-9_-]'

/** The letters, with blanks and ends of lines between them or not. */
function spaced(letters: string): string {
  return [...letters].join('[\\s>\\\\]*')
}

/** Prefixes as the providers document them. What only a name beside it tells from other text comes last. */
export const SECRETS: readonly Kind[] = [
  token(
    'private key',
    `${spaced('BEGIN')}[A-Z\\s]{0,30}${spaced('PRIVATEKEY')}[\\s\\S]*?(?:${spaced('END')}[A-Z\\s]*${spaced('KEY')}[A-Z\\s]*-*|$)`,
  ),
  token('url with password', `${START}[a-z][a-z0-9+.-]{1,30}://[^\\s:/@<>]{0,80}:[^\\s/@<>]{1,200}@[^\\s<>"'\`|]+`),
  token('slack webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}'),
  token('slack token', `(?:xox[a-z]|xoxe\\.xox[bp]|xapp)-[0-9A-Za-z-]{10,}`),
  token('discord webhook', `discord(?:app)?\\.com/api/webhooks/\\d{16,20}/${WORD}{40,}`),
  token('discord token', `${START}[MNO]${WORD}{22,28}\\.${WORD}{6,7}\\.${WORD}{27,}|mfa\\.${WORD}{60,}`),
  token('telegram token', `(?<!\\d)\\d{8,10}:[A-Za-z0-9_-]{35,}`),
  token('github token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}'),
  token('gitlab token', `gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,}`),
  token('npm token', 'npm_[A-Za-z0-9]{36,}'),
  token('pypi token', `pypi-${WORD}{50,}`),
  token('rubygems token', 'rubygems_[a-f0-9]{48}'),
  token('anthropic key', `sk-ant-${WORD}{20,}`),
  token('openai key', `${START}sk-(?:(?:proj|svcacct|admin|or-v1)-${WORD}{20,}|[A-Za-z0-9]{32,})`),
  token('hugging face token', '(?:hf|api_org)_[A-Za-z0-9]{30,}'),
  token('groq key', 'gsk_[A-Za-z0-9]{40,}'),
  token('xai key', 'xai-[A-Za-z0-9]{60,}'),
  token('replicate token', 'r8_[A-Za-z0-9]{37,}'),
  token('perplexity key', 'pplx-[A-Za-z0-9]{40,}'),
  token('google key', `AIza${WORD}{35,}`),
  token('google oauth', `GOCSPX-${WORD}{24,}|ya29\\.${WORD}{20,}`),
  token('aws key id', `${START}(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])`),
  token(
    'aws secret',
    `(?:aws|secret_?access_?key)[\\w .-]{0,30}["']?\\s*(?:[:=]|=>)\\s*["'\`]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])`,
  ),
  token('azure key', '(?:AccountKey|SharedAccessKey|sig)=([A-Za-z0-9+/%]{40,}={0,2})'),
  token('stripe key', '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}={0,2}'),
  token('square token', `sq0[a-z]{3}-${WORD}{22,}|EAAA${WORD}{56,}`),
  token('shopify token', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  token('sendgrid key', `SG\\.${WORD}{16,32}\\.${WORD}{30,}`),
  token('twilio key', `${START}(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])`),
  token('mailgun key', `${START}key-[0-9a-f]{32}(?![A-Za-z0-9])`),
  token('mailchimp key', `${START}[0-9a-f]{32}-us\\d{1,2}(?!\\d)`),
  token('digitalocean token', 'do[opr]_v1_[a-f0-9]{64}'),
  token('linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  token('notion token', `(?:ntn|secret)_[A-Za-z0-9]{40,}`),
  token('atlassian token', `ATATT3${WORD}{50,}(?:=[A-F0-9]{8})?`),
  token('databricks token', `${START}dapi[0-9a-f]{32}(?:-\\d)?`),
  token('docker token', `dckr_[a-z]{3}_${WORD}{24,}`),
  token('vault token', `hv[sbr]\\.${WORD}{24,}`),
  token('grafana token', 'gl(?:sa|c)_[A-Za-z0-9+/_]{32,}={0,2}'),
  token('postman key', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  token('new relic key', 'NRAK-[A-Z0-9]{27}'),
  token('age key', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  token('jwt', `eyJ${WORD}{8,1024}\\.eyJ${WORD}{8,}\\.${WORD}{10,}`),
  token(
    'authorization',
    `(?:bearer|basic)\\s+([A-Za-z0-9._~+/-]{20,}={0,2})`.replace('bearer|basic', '[Bb]earer|[Bb]asic|BEARER|BASIC'),
  ),
  {
    name: 'secret: password',
    pattern:
      /(?:pass(?:word|wd|phrase|wort|code)|\bpwd|kennwort|mot de passe|contraseña|senha|secret|api[ _-]?key|access[ _-]?key|credentials?|token|пароль)["'`]?\s*(?:[:=]>?|\b(?:is|ist|est|es|é)\b:?|[—–-]>?)\s*["'`]?([^\s"'`,;[\]<>]{6,200})/dgi,
    measure: (value) => (isPassword(value) ? value.replace(/[.,;:!?)]+$/, '').length : 0),
  },
  {
    name: 'secret: key',
    pattern: /(?<![A-Za-z0-9+/_.=#@-])[A-Za-z0-9+/_-]{32,}={0,2}(?![A-Za-z0-9+/_-])/dg,
    measure: (value) => (isRandom(value) ? value.length : 0),
  },
]

/** Letters with digits or signs, as no word of a language has. A placeholder and a path are none. */
function isPassword(value: string): boolean {
  const bare = value.replace(/[.,;:!?)]+$/, '')
  return (
    bare.length >= 6 &&
    /\p{L}/u.test(bare) &&
    /[\d!@#$%^&*+=]/.test(bare) &&
    !/^(?:https?:|\$\{|\$[A-Z_]+$|\/)/.test(bare)
  )
}

/** As good as drawn by lot: all three kinds of characters, hardly any character more often than chance has it. */
function isRandom(value: string): boolean {
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || (value.match(/\d/g) ?? []).length < 3) return false
  // Words of a name or a path are long runs of one case.
  if (/[a-z]{7,}|[A-Z]{9,}/.test(value) || (value.match(/[/_-]/g) ?? []).length > value.length / 8) return false
  return entropy(value) >= 4
}

/** Shannon entropy in bits a character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
